import Foundation
import Testing

/// Numbers in JSON have the digits that their quantity has, without the noise of binary fractions.
@Suite struct NumberOutputTests {
  private let folder: TemporaryFolder
  private let store: [String]

  init() async throws {
    folder = try TemporaryFolder()
    store = ["--store", folder.path("s.sqlite")]
    let plan = try folder.write(
      AnswerCommandTests.plan
        .replacing("discrete, unit: kg", with: "discrete, unit: lb")
        .replacing("given: Anna}", with: "given: Anna}, units: us, expects: {bodyMass: 141.1 lb}"),
      to: "plan.yaml")
    let imported = await InProcess.run(["plan", "import", plan] + store)
    #expect(imported.status == 0, "\(imported.error)")
  }

  /// Runs a command, and checks that no number that it prints has more than nine decimals.
  private func run(_ arguments: String...) async throws -> MeasuredProcess.Result {
    let result = await InProcess.run(arguments + store)
    #expect(result.status == 0, "\(result.error)")
    #expect(result.output.firstMatch(of: /:-?[0-9]+\.[0-9]{10}/) == nil, "\(result.output)")
    return result
  }

  /// 141.19 lb come back from the store, in kilograms, as 141.19000000000003 lb or the like.
  @Test func `events and samples have the digits of their quantity`() async throws {
    let pounds = (0..<20).map { "141.\(11 + $0 * 4)" }
    var objects: [[String: Any]] = []
    for (day, value) in zip(10..., pounds) {
      let done = try await run(
        "done", "weigh-in", "--date", "2026-03-\(day)", "--value", value, "--json")
      objects += done.objects
    }
    let events = try await run("events", "--from", "2026-03-10", "--to", "2026-03-30", "--json")
    objects += events.objects.filter { $0["task"] as? String == "weigh-in" }
    #expect(objects.count == 40)
    for (object, pounds) in zip(objects, pounds + pounds) {
      let values = object["values"] as? [[String: Any]]
      #expect(values?.map { $0["value"] as? Double } == [Double(pounds)])
      #expect((object["progress"] as? [String: Any])?["value"] as? Double == Double(pounds))
    }
    #expect(try await run("samples", "--json").lines.count == 20)
    #expect(try await run("samples", "--summary", "--json").lines.count == 20)
    #expect(try await run("patient", "list", "--json").lines.count == 2)
  }

  /// A weight measurement in hundredths of a pound.
  @Test func `decoded values have the digits of their quantity`() async throws {
    let decoded = await InProcess.run(["decode", "2A9D", "012737"])
    let reading = try #require(decoded.objects.first)
    #expect(reading["sourceValue"] as? Double == 141.19)
    #expect(reading["value"] as? Double == 64.042_706_72)
  }

  /// Means of heart rates.
  @Test func `replayed values have the digits of their quantity`() async throws {
    let trace = try folder.write(Recordings.heartBeats(7), to: "beats.jsonl")
    let plan = try folder.write(
      Recordings.plan.replacing("unit: bpm}", with: "unit: bpm}\n    progress: latest"),
      to: "pulse.yaml")
    let replay = await InProcess.run(["replay", trace, "--plan", plan, "--json"])
    #expect(replay.status == 0, "\(replay.error)")
    #expect(replay.output.firstMatch(of: /:-?[0-9]+\.[0-9]{10}/) == nil, "\(replay.output)")
  }
}
