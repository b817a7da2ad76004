import Care
import CareStore
import Foundation
import Testing
import TestSupport

@testable import Agenda

/// Rules about what is missing: events, readings, and people who are away.
@Suite struct AbsenceTests {
  private static func plan(_ task: String, away: String = "") -> String {
    """
    timeZone: Europe/Berlin
    patients:
      - {id: john\(away)}
    tasks:
      - id: weigh
        title: Weigh
        schedule:
          - {start: 2026-11-02, interval: {days: 1}, duration: allDay}
        linkage: {quantity: bodyMass}
    \(task)
    """
  }

  private static let missed = "    rules: [{missed: 3, message: Call.}]"
  private static let silent = "    rules: [{silent: 3d, message: Silent.}]"

  private func run(_ store: SQLStore, _ text: String) async throws -> [String] {
    let now = time(text)
    return try await store.write { try Agenda.run($0, now: now) }.map {
      "\($0.firing.event.start.rfc3339(in: .gmt)) \($0.firing.due.rfc3339(in: .gmt))"
    }
  }

  private func rehearse(_ store: SQLStore, _ now: String) async throws -> [String] {
    try await store.read {
      try Agenda.rehearsal(
        $0, patient: nil, since: time("2026-11-01T00:00:00+01:00"), now: time(now))
    }.map { "\($0.event.start.rfc3339(in: .gmt)) \($0.due.rfc3339(in: .gmt))" }
  }

  @Test func `three events in a row are missed, at the end of the third, once`() async throws {
    let store = try await SQLStore.planned(
      Self.plan(Self.missed), at: time("2026-11-01T12:00:00+01:00"))
    #expect(try await run(store, "2026-11-04T23:59:00+01:00") == [])
    let third = "2026-11-03T23:00:00+00:00 2026-11-04T23:00:00+00:00"
    #expect(try await run(store, "2026-11-05T00:00:00+01:00") == [third])
    #expect(try await run(store, "2026-11-05T00:01:00+01:00") == [])
    // The clock is set back: it was told already.
    #expect(try await run(store, "2026-11-05T00:00:00+01:00") == [])
    // A weight ends the row; three more begin the next.
    try await store.weigh(82, at: time("2026-11-06T08:00:00+01:00"))
    #expect(try await run(store, "2026-11-09T12:00:00+01:00") == [])
    let sixth = "2026-11-08T23:00:00+00:00 2026-11-09T23:00:00+00:00"
    #expect(try await run(store, "2026-11-10T12:00:00+01:00") == [sixth])
    #expect(try await rehearse(store, "2026-11-10T12:00:00+01:00") == [third, sixth])
  }

  @Test func `an answer and a pause of the person are no missed events`() async throws {
    let store = try await SQLStore.planned(
      Self.plan(Self.missed, away: ", away: [{from: 2026-11-04, to: 2026-11-05}]"),
      at: time("2026-11-01T12:00:00+01:00"))
    // Missed on the 2nd and 3rd, away on the 4th and 5th, missed on the 6th.
    #expect(try await run(store, "2026-11-06T12:00:00+01:00") == [])
    let row = "2026-11-05T23:00:00+00:00 2026-11-06T23:00:00+00:00"
    #expect(try await run(store, "2026-11-07T12:00:00+01:00") == [row])
    try await store.answer("weigh", at: time("2026-11-08T08:00:00+01:00"), [], state: .notDone)
    #expect(try await run(store, "2026-11-10T12:00:00+01:00") == [])
  }

  @Test func `nothing was measured for three days`() async throws {
    let store = try await SQLStore.planned(
      Self.plan(Self.silent), at: time("2026-11-01T12:00:00+01:00"))
    try await store.weigh(82, at: time("2026-11-03T08:00:00+01:00"))
    let look = time("2026-11-06T07:59:00+01:00")
    #expect(try await store.read { try Agenda.look($0, now: look).due } == [])
    #expect(
      try await store.read { try Agenda.look($0, now: look).wakeAt }
        == time("2026-11-06T08:00:00+01:00"))
    let silence = "2026-11-03T07:00:00+00:00 2026-11-06T07:00:00+00:00"
    #expect(try await run(store, "2026-11-06T08:00:00+01:00") == [silence])
    #expect(try await run(store, "2026-11-07T08:00:00+01:00") == [])
    try await store.weigh(82, at: time("2026-11-07T08:00:00+01:00"))
    #expect(try await run(store, "2026-11-09T08:00:00+01:00") == [])
    #expect(
      try await rehearse(store, "2026-11-12T08:00:00+01:00") == [
        silence, "2026-11-07T07:00:00+00:00 2026-11-10T07:00:00+00:00",
      ])
  }

  @Test func `a silence does not count while the person is away`() async throws {
    let store = try await SQLStore.planned(
      Self.plan(Self.silent, away: ", away: [{from: 2026-11-04, to: 2026-11-08}]"),
      at: time("2026-11-01T12:00:00+01:00"))
    try await store.weigh(82, at: time("2026-11-03T08:00:00+01:00"))
    #expect(try await run(store, "2026-11-08T12:00:00+01:00") == [])
    #expect(try await run(store, "2026-11-11T12:00:00+01:00") == [])
    let silence = "2026-11-08T23:00:00+00:00 2026-11-11T23:00:00+00:00"
    #expect(try await run(store, "2026-11-12T00:00:00+01:00") == [silence])
  }

  @Test func `nobody is reminded while away`() async throws {
    let store = try await SQLStore.planned(
      Self.plan(
        "    reminder: {after: 8h}", away: ", away: [{from: 2026-11-04, to: 2026-11-04}]"),
      at: time("2026-11-01T12:00:00+01:00"))
    for (day, count) in [(3, 1), (4, 0), (5, 1)] {
      #expect(try await run(store, "2026-11-0\(day)T08:00:00+01:00").count == count)
    }
  }
}
