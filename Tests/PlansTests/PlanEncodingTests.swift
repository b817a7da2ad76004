import Care
import Foundation
import StrictYAML
import TestSupport
import Testing

@testable import Plans

/// A written plan is read back as the same plan.
@Suite struct PlanEncodingTests {
  @Test func `the example is read back unchanged`() throws {
    let plan = try PlanFile.parse(PlanFileTests.example, file: "plan.yaml")
    let text = PlanFile.encode(plan)
    #expect(try PlanFile.parse(text, file: "again.yaml") == plan)
    #expect(
      text.contains(
        #"      - {start: 2026-11-01T09:00, end: 2026-11-08, interval: {days: 1}, duration: 1h, "#
          + "targets: [{value: 90, unit: deg, kind: range}]}\n"))
    #expect(text.contains("title: \"Bend the left knee\"\n"))
    #expect(text.hasPrefix("timeZone: America/Los_Angeles\npatients:\n  - {id: john, "))
  }

  @Test func `the whole vocabulary is read back unchanged`() throws {
    let plan = try PlanFile.parse(PlanFileTests.vocabulary, file: "plan.yaml")
    let text = PlanFile.encode(plan)
    #expect(try PlanFile.parse(text, file: "again.yaml") == plan)
    #expect(
      text.contains(
        "      - {kind: diastolic, between: [65, 85], inclusive: true, says: good}\n"))
    #expect(text.contains("      - {kind: mood, type: choice, choices: [good, bad]}\n"))
  }

  @Test(arguments: [
    "plain", "true", "NULL", "", " ", "5", "-", "a: b", "a #b", "x\ny\t\\\"", "ünï", "\u{0}\u{7F}",
    "\u{2028}\u{FEFF}\u{85}", "😀", "日本", "‏", "[1]", "{", "&a *a", "don't", "~", "=", "<<", "1e3",
    String(repeating: "long ", count: 1000),
  ])
  func `every text comes back as it was`(text: String) throws {
    let node = try YAMLDocument.parse("v: {a: [\(YAMLText.scalar(text))]}", file: "f")
    let inner = try node.pairs()[0].value.pairs()[0].value.sequence()[0]
    #expect(try inner.scalar().text == text)
    #expect(!inner.isNull)
  }

  @Test func `secrets are not written`() throws {
    var plan = try PlanFile.parse(PlanFileTests.example, file: "plan.yaml")
    let text = PlanFile.encode(plan)
    plan.devices[0].key = Secret(Array(0..<16))
    plan.devices[0].consentCode = Secret(2520)
    #expect(PlanFile.encode(plan) == text)
  }

  @Test(arguments: 0..<200)
  func `every plan comes back as it was`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let plan = try RandomPlan.make(&generator)
    let text = PlanFile.encode(plan)
    #expect(try PlanFile.parse(text, file: "plan.yaml") == plan)
    #expect(PlanFile.encode(try PlanFile.parse(text, file: "plan.yaml")) == text)
  }

  /// A plan with a random error is read or refused; the reader never crashes.
  @Test(arguments: 0..<10, [PlanFileTests.example, PlanFileTests.vocabulary])
  func `mutations are read or refused`(seed: UInt64, plan: String) {
    var generator = SeededGenerator(seed: seed)
    let original = Array(plan)
    let lines = plan.split(separator: "\n").count
    for _ in 0..<200 {
      var text = original
      for _ in 0..<Int.random(in: 1...3, using: &generator) {
        let at = Int.random(in: 0..<text.count, using: &generator)
        let other = original.randomElement(using: &generator) ?? " "
        switch Int.random(in: 0..<3, using: &generator) {
        case 0: text[at] = other
        case 1: text.remove(at: at)
        default: text.insert(other, at: at)
        }
      }
      do throws(YAMLError) {
        let plan = try PlanFile.parse(String(text), file: "f")
        #expect(plan.tasks.allSatisfy { task in plan.patients.contains { $0.id == task.patient } })
      } catch {
        #expect(error.file == "f" && error.line >= 1 && error.line <= lines + 3)
      }
    }
  }
}
