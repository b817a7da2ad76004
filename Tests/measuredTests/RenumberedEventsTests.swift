import Care
import CareStore
import Foundation
import Testing

@testable import Commands
@testable import Terminal

/// Answers on a day on which two versions of a task count their events alike.
@Suite struct RenumberedEventsTests {
  private let zone = TimeZone(identifier: "Europe/Berlin") ?? .gmt

  private func date(_ text: String) throws -> Date { try #require(Date(text, in: zone)) }

  /// A store whose pills moved from 02:00 to 08:00 on the 23rd at 05:00.
  private func store() async throws -> SQLStore {
    let store = try SQLStore.inMemory(makeUUID: { UUID() })
    for (start, effective) in [
      ("2026-10-12T02:00", nil), ("2026-10-12T08:00", "2026-11-23T05:00"),
    ] as [(String, String?)] {
      let element = try ScheduleElement(
        start: try date(start), interval: Interval(days: 1), timeZone: zone)
      let task = PlannedTask(
        id: "pills", patient: "anna", title: "Pills", schedule: try Schedule([element]),
        effectiveDate: try effective.map(date))
      let plan = PlanDocument(
        timeZone: zone, patients: [Patient(id: "anna", name: PersonName(given: "Anna"))],
        tasks: [task])
      let now = try date(effective ?? start)
      _ = try await store.write { try $0.importPlan(plan, now: now) }
    }
    return store
  }

  private func day(_ reader: any StoreReader) throws -> AnswerDay {
    let histories = try reader.histories(patient: nil)
    let now = try date("2026-11-23T09:00")
    return try AnswerDay(
      reader, task: try #require(histories.first), on: now,
      text: DayText(timeZone: zone, now: now, tasks: histories))
  }

  private func hour(_ event: Event) -> Int { LocalDateTime(event.occurrence.start, in: zone).hour }

  private func answer(_ event: Event, in store: SQLStore) async throws {
    // One answer after the other.
    let now = try date("2026-11-23T09:00") + Double(hour(event))
    _ = try await store.write { try $0.setOutcome([], of: event.reference, now: now) }
  }

  @Test func `the hint names the version where the number does not do`() async throws {
    let store = try await store()
    let day = try await store.read { try self.day($0) }
    #expect(day.events.map(\.occurrence.index) == [42, 42])
    #expect(
      day.text.commands(for: day.events, on: day.span).map(\.command)
        == ["measured done pills", "measured done pills --occurrence 42 --version 2"])
    let second = try day.eventToAnswer(EventPlace(occurrence: 42, version: 2))
    #expect(hour(second) == 8)
    // Of the day before there is only one.
    let other = try await store.read { reader in
      let histories = try reader.histories(patient: nil)
      let now = try date("2026-11-22T09:00")
      return try AnswerDay(
        reader, task: try #require(histories.first), on: now,
        text: DayText(timeZone: zone, now: now, tasks: histories))
    }
    #expect(other.text.placeFlags(of: try #require(other.events.first)) == "--occurrence 41")
  }

  @Test func `a number alone is the next open event or refused`() async throws {
    let store = try await store()
    let place = EventPlace(occurrence: 42, version: nil)
    for hour in [2, 8] {
      let event = try await store.read { try self.day($0) }.eventToAnswer(place)
      #expect(self.hour(event) == hour)
      try await answer(event, in: store)
      // The answer that was given last is taken back.
      let last = try await store.read { try self.day($0) }.eventToReopen(place)
      #expect(self.hour(last) == hour)
    }
    let day = try await store.read { try self.day($0) }
    #expect(throws: CommandFailure.self) { try day.eventToAnswer(place) }
    #expect(hour(try day.eventToAnswer(EventPlace(occurrence: 42, version: 1))) == 2)
    #expect(throws: CommandFailure.self) {
      try day.eventToAnswer(EventPlace(occurrence: 42, version: 3))
    }
  }
}
