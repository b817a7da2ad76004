import Foundation
import Testing

@testable import Terminal

/// A command in the tests' process prints and ends as in a process of its own, so that the other tests
/// need none.
@Suite struct SameInProcessTests {
  /// Commands in order; `STORE` and names with a dot are paths in the folder.
  private static let table: [[String]] = [
    ["--version"], ["samples", "--help"], ["settle"], ["rply"],
    ["today", "STORE"], ["plan", "import", "broken.yaml", "STORE"],
    ["plan", "import", "-", "STORE"], ["plan", "export", "new.yaml", "STORE"],
    ["replay", "weigh-in.jsonl", "STORE", "--json"],
    ["done", "check-in", "--date", "2019-10-30", "STORE"],
    ["done", "nothing", "--date", "2019-10-30", "STORE"],
    ["events", "--from", "lately", "--to", "2019-11-01", "STORE"],
    ["decode", "-"], ["measure", "steps", "none.csv", "--json"],
    ["devices", "show", "xiaomi-mi-scale-2"], ["store", "check", "STORE"],
    ["store", "erase", "--patient", "john", "STORE"],
  ]

  /// The output and status of the commands, with `/F` for the folder and without times of now.
  private func outputs(
    _ run: (_ arguments: [String], _ input: String) async throws -> MeasuredProcess.Result
  ) async throws -> [String] {
    let folder = try TemporaryFolder()
    _ = try folder.write("timeZone: nowhere\n", to: "broken.yaml")
    _ = try folder.write(Recordings.weighIn, to: "weigh-in.jsonl")
    var outputs: [String] = []
    for words in Self.table {
      let arguments = words.flatMap { word in
        if word == "STORE" { return ["--store", folder.path("s.sqlite")] }
        return [word.contains(".") ? folder.path(word) : word]
      }
      let result = try await run(arguments, Recordings.plan)
      let text = "\(words) \(result.status)\n--out\n\(result.output)--error\n\(result.error)"
      outputs.append(
        text.replacing(folder.url.path, with: "/F")
          .replacing(/"at":"[^"]*"/, with: "at"))
    }
    return outputs
  }

  @Test func `commands print and end as in a process`() async throws {
    let expected = try await outputs { arguments, input in
      try await onThread { try MeasuredProcess.run(arguments, input: input) }
    }
    let found = try await outputs { await InProcess.run($0, input: $1) }
    for (found, expected) in zip(found, expected) { #expect(found == expected) }
  }

  @Test func `a command has its own variables and input`() async throws {
    let folder = try TemporaryFolder()
    let stores = ["a", "b"].map { folder.path("\($0).sqlite") }
    async let first = InProcess.run(
      ["plan", "import", "-"], input: Recordings.plan, environment: ["MEASURED_STORE": stores[0]])
    async let second = InProcess.run(
      ["plan", "import", "-"], input: AnswerCommandTests.plan,
      environment: ["MEASURED_STORE": stores[1]])
    let results = await [first, second]
    #expect(results.map(\.status) == [0, 0], "\(results)")
    #expect(results[0].output.contains("patient john: added"))
    #expect(results[1].output.contains("patient karl: added"))
    #expect(stores.allSatisfy { FileManager.default.fileExists(atPath: $0) })
  }

  @Test(arguments: [("y\n", 0), ("n\n", 3), ("", 3)] as [(String, Int32)])
  func `a command on a terminal asks`(answer: String, status: Int32) async throws {
    let folder = try TemporaryFolder()
    let store = ["--store", folder.path("s.sqlite")]
    let plan = try folder.write(Recordings.plan, to: "plan.yaml")
    #expect(await InProcess.run(["plan", "import", plan] + store).status == 0)
    let erased = await InProcess.run(
      ["store", "erase", "--patient", "john"] + store, input: answer,
      terminals: Terminals(input: true, error: true))
    #expect(erased.status == status, "\(erased.error)")
    #expect(erased.error.contains("[y/N] "))
  }
}
