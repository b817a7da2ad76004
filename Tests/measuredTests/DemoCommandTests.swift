import Foundation
import Testing

@Suite struct DemoCommandTests {
  /// A demo takes seconds, so that one is looked at from all sides.
  @Test func `replays a week marked as synthetic`() async throws {
    let folder = try TemporaryFolder()
    let store = folder.path("demo.sqlite")
    let result = await InProcess.run(["demo", "--store", store])
    #expect(result.status == 0, "\(result.error)")
    #expect(result.output.contains("The data is synthetic"))
    #expect(
      result.output.contains("unassigned: 59.2 kg is far from the weight of alex, about 82.1 kg"))
    let row = result.lines.last { $0.hasPrefix("Weigh yourself") } ?? ""
    #expect(row.filter { $0 == "✓" }.count == 6 && row.filter { $0 == "!" }.count == 1)
    #expect(result.lines.contains { $0.contains("✓ done") && $0.contains("! not recorded") })
    try await checkEvents(store)
    try await checkKnee(store)
    try await checkExport(store, in: folder)

    let again = await InProcess.run(["demo", "--json", "--store", store])
    let readings = again.objects.filter { $0["type"] as? String == "reading" }
    #expect(again.status == 0 && readings.isEmpty, "\(readings)")
    #expect(again.objects.contains { $0["type"] as? String == "duplicate" })
  }

  private func checkEvents(_ store: String) async throws {
    let events = await InProcess.run(
      ["events", "--store", store, "--from", "2026-11-02", "--to", "2026-11-09", "--json"])
    let done = events.objects.filter { $0["completed"] as? Bool == true }.compactMap {
      $0["task"] as? String
    }
    let counts = Dictionary(done.map { ($0, 1) }, uniquingKeysWith: +)
    #expect(
      counts == [
        "weigh-in": 6, "knee": 4, "walk": 5, "pulse": 6, "medicine": 19, "stretch": 4,
        "check-in": 6, "water": 7,
      ])
  }

  /// The measured range is the model's, within half a degree.
  private func checkKnee(_ store: String) async throws {
    let samples = await InProcess.run(["samples", "--json", "--store", store])
    let ranges = samples.objects.filter { $0["kind"] as? String == "range" }
      .compactMap { $0["value"] as? Double }
    #expect(ranges.count == 6)
    for (range, truth) in zip(ranges, [78, 84, 92, 95, 97, 104]) {
      #expect(abs(range - Double(truth)) < 0.5)
    }
  }

  /// Another store that imports the export has the same export.
  private func checkExport(_ store: String, in folder: TemporaryFolder) async throws {
    let (export, copied) = (folder.path("demo.jsonl"), folder.path("copy.jsonl"))
    let commands = [
      ["export", export, "--store", store], ["import", export, "--store", folder.path("copy")],
      ["export", copied, "--store", folder.path("copy")],
    ]
    for command in commands {
      let result = await InProcess.run(["store"] + command)
      #expect(result.status == 0, "\(command): \(result.error)")
    }
    #expect(
      try Data(contentsOf: URL(filePath: copied)) == Data(contentsOf: URL(filePath: export)))
  }
}
