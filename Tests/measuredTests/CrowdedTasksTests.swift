import Foundation
import Testing

@testable import Terminal

/// A task that is due each second, beside others: the others are shown, and it is named.
@Suite struct CrowdedTasksTests {
  private let folder: TemporaryFolder
  private let path: String

  private static let prepared = PreparedStore(
    plan: """
      timeZone: Europe/Vienna
      patients:
        - {id: anna, name: {given: Anna}}
        - {id: karl, name: {given: Karl}}
      tasks:
        - {id: walk, patient: anna, title: Walk, schedule: [{start: 2026-03-02T08:00, interval: {days: 1}, duration: 1h}]}
        - {id: blink, patient: anna, title: Blink, schedule: [{start: 2026-03-02, interval: {seconds: 1}, duration: 1s}]}
        - {id: breathe, patient: karl, title: Breathe, schedule: [{start: 2026-03-02, interval: {seconds: 4}, duration: 1s}]}
      """)

  init() async throws {
    folder = try TemporaryFolder()
    path = folder.path("s.sqlite")
    try await Self.prepared.copy(to: path)
  }

  private func run(_ arguments: String...) async -> MeasuredProcess.Result {
    await InProcess.run(arguments + ["--date", "2026-03-04", "--store", path])
  }

  @Test(arguments: ["today", "week"])
  func `the others are shown and it is named`(command: String) async throws {
    let shown = await run(command)
    #expect(shown.status == 0, "\(shown.error)")
    #expect(shown.lines.contains { $0.contains("Walk") })
    let named = shown.lines.filter { $0.contains("is due more than") }
    #expect(named.count == 2)
    #expect(named.first?.contains("Blink") == true && named.last?.contains("Breathe") == true)
    #expect(!shown.output.contains("[blink]") && !shown.output.contains("[breathe]"))
    // Who has such a task alone has not nothing planned.
    #expect(shown.lines.contains("Karl"))
    let one = await run(command, "--patient", "karl")
    #expect(one.lines.contains { $0.contains("Breathe is due more than") })
    #expect(!one.output.contains("Blink"))
  }

  /// A program gets all or nothing.
  @Test(arguments: ["today", "week"])
  func `as JSON it is refused with the limit`(command: String) async throws {
    let refused = await run(command, "--json")
    #expect(refused.status != 0)
    #expect(refused.objects.count == 1)
    #expect(refused.objects.first?["error"] as? String == "refused")
    #expect((refused.objects.first?["reason"] as? String)?.contains("1500") == true)
  }
}
