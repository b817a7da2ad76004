import Care
import Foundation
import StrictYAML
import Testing

@testable import Plans

/// The article on rules, whose blocks make up the example file.
@Suite struct RulesArticleTests {
  private func text(_ path: String) throws -> String {
    try String(
      contentsOfFile: FileManager.default.currentDirectoryPath + "/Examples/" + path,
      encoding: .utf8)
  }

  @Test
  func `its blocks are the example, which is a valid plan`() throws {
    var blocks = ""
    var isInside = false
    for line in try text("RULES.md").split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("```") {
        isInside = line == "```yaml"
      } else if isInside {
        blocks += line + "\n"
      }
    }
    let example = try text("rules.yaml")
    #expect(blocks == example)
    let plan = try PlanFile.parse(example, file: "rules.yaml")
    #expect(plan.tasks.map(\.rules.count) == [1, 4])
    #expect(plan.tasks.compactMap(\.fallback).count == 2)
  }

  @Test(
    arguments: [
      "{after: 3, ofLast: 5, of: range, above: 90, then: {by: 10, atMost: 120}}",
      "{after: 1, of: range, below: 60, then: {by: -10, atLeast: 60}}",
      "{after: 2, of: range, atMost: 60, message: Rest.}",
      "{after: 2, of: range, equal: 60, message: Rest.}",
      "{after: 2, of: range, between: [60, 90], inclusive: true, message: Rest.}",
      "{rises: 10, of: range, within: 36h, unit: deg, then: {contact: anna}, message: Rest.}",
      "{falls: 10, of: range, within: 2d, message: Rest.}",
    ])
  func `every form of its table is read`(_ rule: String) throws {
    let old = "{after: 3, of: range, atLeast: 90, then: {target: 100}, message: Well done.}"
    let parts = try text("rules.yaml").split(separator: old, omittingEmptySubsequences: false)
    try #require(parts.count == 2)
    let plan = try PlanFile.parse(parts.joined(separator: rule), file: "rules.yaml")
    #expect(plan.tasks[0].rules.count == 1)
    #expect(try PlanFile.parse(PlanFile.encode(plan), file: "again.yaml") == plan)
  }
}
