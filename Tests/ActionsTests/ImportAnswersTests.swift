import Access
import Care
import CareStore
import Foundation
import Interchange
import Plans
import Testing

@testable import Actions

/// Answers of other programs, without a face.
@Suite struct ImportAnswersTests {
  private let store: SQLStore
  private let now = time("2026-03-20T12:00:00Z")

  init() async throws {
    store = try SQLStore.inMemory(makeUUID: { UUID() })
    let plan = try PlanFile.parse(
      """
      timeZone: Europe/Berlin
      patients:
        - {id: ann, name: {given: Ann}}
      tasks:
        - id: metoprolol
          patient: ann
          title: Metoprolol
          schedule:
            - {start: 2026-03-01T07:00, interval: {days: 1}, duration: 2h}
            - {start: 2026-03-01T19:00, interval: {days: 1}, duration: 2h}
        - {id: stretch, patient: ann, title: Stretch, schedule: [{start: 2026-03-01, interval: {days: 1}, duration: allDay}]}
        - {id: spray, patient: ann, title: Nitro  Spray, optional: true, schedule: [{start: 2026-03-01, interval: {days: 1}, duration: allDay}]}
        - {id: weigh-in, patient: ann, title: Weigh, schedule: [{start: 2026-03-01, interval: {days: 1}, duration: allDay}], linkage: {quantity: bodyMass}}
      """, file: "plan.yaml", activeTasks: [])
    _ = try await store.write { try $0.importPlan(plan, now: time("2026-02-20T00:00:00Z")) }
  }

  private func load(
    _ text: String, patient: String? = nil
  ) async throws -> ImportHistory.Result {
    let file = try HistoryFile(MemoryBytes(Array(text.utf8), name: "file"), copy: nil)
    let report = try await HistoryTransfer(patient: patient).run(
      file, in: store, by: .owner, now: { [now] in now })
    return try #require(report).result
  }

  /// The events of a task that have an answer: `start state at`.
  private func answered(_ task: String) async throws -> [String] {
    let events = try await store.read { [now] in
      try $0.events(patient: "ann", task: task, from: time("2026-02-20T00:00:00Z"), to: now)
    }
    return events.compactMap { event in
      guard let outcome = event.outcome else { return nil }
      let times = (outcome.answer.at.map { [$0] } ?? []) + outcome.values.map(\.time)
      return ([event.occurrence.start] + times).map { String($0.rfc3339(in: .gmt).prefix(16)) }
        .joined(separator: " ") + " \(outcome.answer.state)"
    }
  }

  private static let taken = """
    Reminded;Name;Dosage;Taken;Tags;Interval;Notes;Reminded (ISO 8601);Taken (ISO 8601)
    x;metoprolol ;10mg;x;;0:00;;2026-03-02T06:30:00Z;2026-03-02T06:34:00Z
    x;Metoprolol;10mg;x;;0:00;;2026-03-02T18:00:00Z;2026-03-02T20:10:00Z
    x;Metoprolol;10mg;x;;0:00;;2026-02-20T06:00:00Z;2026-02-20T06:04:00Z
    x;Aspirin;1;x;;0:00;;2026-03-02T06:00:00Z;2026-03-02T06:04:00Z
    x;Aspirin;1;x;;0:00;;2026-03-03T06:00:00Z;2026-03-03T06:04:00Z
    x;Weigh;1;x;;0:00;;2026-03-03T06:00:00Z;2026-03-03T06:04:00Z
    x;Nitro Spray;1;x;;0:00;;2026-03-03T06:00:00Z;2026-03-03T06:04:00Z
    x;Nitro Spray;1;x;;0:00;;2026-03-03T09:00:00Z;2026-03-03T09:04:00Z
    x;Metoprolol;10mg;x;;0:00;;2026-04-02T06:00:00Z;2026-04-02T06:04:00Z

    """

  @Test func `a medicine's answers go to its events, once`() async throws {
    let first = try await load(Self.taken)
    #expect(first.new == 4 && first.known == 0, "\(first)")
    #expect(
      first.skips == [
        HistorySkip(line: 10, reason: .time("2026-04-02T06:00:00+00:00")),
        HistorySkip(line: nil, reason: .noTask("Aspirin"), count: 2),
        HistorySkip(line: 4, reason: .noEvent("Metoprolol")),
        HistorySkip(line: 7, reason: .asksForMore("Weigh")),
      ])
    let doses = [
      "2026-03-02T06:00 2026-03-02T06:34 done", "2026-03-02T18:00 2026-03-02T20:10 done",
    ]
    #expect(try await answered("metoprolol") == doses)
    let sprays = ["2026-03-02T23:00 2026-03-03T06:04 2026-03-03T09:04 done"]
    #expect(try await answered("spray") == sprays)
    let again = try await load(Self.taken)
    #expect(again.new == 0 && again.known == 4)
    #expect(try await answered("metoprolol") == doses)
    #expect(try await answered("spray") == sprays)
  }

  @Test func `an answer that was given or taken back here stays so`() async throws {
    _ = try await load(Self.taken)
    try await store.write { [now] writer in
      let events = try writer.events(
        patient: "ann", task: "metoprolol", from: time("2026-03-02T00:00:00Z"),
        to: time("2026-03-02T12:00:00Z"))
      _ = try TakeBack(try #require(events.first), .wholeAnswer)
        .perform(in: writer, by: .owner, now: now)
    }
    #expect(try await load(Self.taken).new == 0)
    #expect(try await answered("metoprolol") == ["2026-03-02T18:00 2026-03-02T20:10 done"])
  }

  @Test func `a habit's days are those of the person`() async throws {
    let text = """
      Date,Stretch,Metoprolol,
      2026-03-04,YES_MANUAL,YES_MANUAL,
      2026-03-03,SKIP,UNKNOWN,
      2026-03-02,NO,UNKNOWN,
      2026-03-01,YES_AUTO,UNKNOWN,
      """
    let result = try await load(text)
    #expect(result.new == 3)
    // Which of two doses a day's mark is of, nobody knows.
    #expect(
      result.skips == [
        HistorySkip(line: 5, reason: .implied),
        HistorySkip(line: 2, reason: .noEvent("Metoprolol")),
      ])
    #expect(
      try await answered("stretch") == [
        "2026-03-01T23:00 notDone", "2026-03-02T23:00 skipped", "2026-03-03T23:00 done",
      ])
    #expect(try await load(text).known == 3)
  }

  @Test func `with several people somebody says whose they are`() async throws {
    let plan = try PlanFile.parse(
      "timeZone: Europe/Berlin\npatients: [{id: bob, name: {given: Bob}}]\n", file: "plan.yaml",
      activeTasks: [])
    try await store.write { [now] in _ = try $0.importPlan(plan, now: now) }
    let result = try await load(Self.taken)
    #expect(result.new == 0)
    #expect(result.skips == [HistorySkip(line: nil, reason: .ownerless, count: 9)])
    #expect(try await load(Self.taken, patient: "ann").new == 4)
  }

  @Test func `a dry run stores nothing`() async throws {
    let file = try HistoryFile(MemoryBytes(Array(Self.taken.utf8), name: "file"), copy: nil)
    let report = try await HistoryTransfer(isDryRun: true).run(
      file, in: store, by: .owner, now: { [now] in now })
    #expect(report?.result.new == 4 && report?.read == 9)
    #expect(try await answered("metoprolol") == [])
  }
}
