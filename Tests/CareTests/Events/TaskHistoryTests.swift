import Care
import Foundation
import TestSupport
import Testing

/// Cases 34 to 48 and 52, 53: which version owns which occurrence.
@Suite struct TaskHistoryTests {
  private func noon(_ start: String, until end: String? = nil) throws -> Schedule {
    try schedule(start + "T12:00", until: end, every: Interval(days: 1))
  }

  private func versions(_ history: TaskHistory, _ from: String, _ to: String) throws -> [Int] {
    try history.events(from: date(from), to: date(to)).map(\.version)
  }

  @Test func case34OneVersionAfterTheOther() throws {
    let history = try TaskHistory([
      task(noon("2023-05-01", until: "2023-05-11")),
      task(noon("2023-05-11", until: "2023-05-14"), effective: date("2023-05-11")),
    ])
    #expect(try versions(history, "2023-05-08", "2023-05-14") == [1, 1, 1, 2, 2, 2])
  }

  @Test func case35TheNewVersionCutsTheOldOne() throws {
    let history = try TaskHistory([
      task(noon("2023-05-08")), task(noon("2023-05-11"), effective: date("2023-05-11")),
    ])
    #expect(try versions(history, "2023-05-10", "2023-05-14") == [1, 2, 2, 2])
  }

  @Test func case36TheOutcomeIsOnItsEvent() throws {
    let task = try task(noon("2023-05-08"))
    let outcome = try Outcome(
      uuid: UUID(), taskUUID: task.uuid, occurrence: 3, start: date("2023-05-11T12:00"),
      end: date("2023-05-11T13:00"), values: [value(.integer(1))],
      createdDate: date("2023-05-11T12:30"))
    let events = try EventExpansion.events(
      versions: [task], outcomes: [outcome], from: date("2023-05-10"), to: date("2023-05-14"))
    #expect(events.map(\.occurrence.index) == [2, 3, 4, 5])
    #expect(events.map(\.outcome) == [nil, outcome, nil, nil])
  }

  @Test func case39AScheduleThatBeginsLater() throws {
    let history = try TaskHistory([
      task(noon("2023-05-08")), task(noon("2023-05-15"), effective: date("2023-05-09")),
    ])
    #expect(try versions(history, "2023-05-08", "2023-05-14") == [1])
  }

  @Test func case40EffectiveWhenAnAllDayEventStarts() throws {
    let daily = try schedule("2023-05-08", every: Interval(days: 1), lasting: .allDay)
    let start = try #require(daily.occurrence(at: 4)?.start)
    let history = try TaskHistory([
      task(daily),
      task(
        schedule("2023-05-12", every: Interval(days: 1), lasting: .allDay), effective: start),
    ])
    #expect(try history.events(from: start, to: start + 86_400).map(\.version) == [2])
  }

  @Test func case42EffectiveWhenALaterEventStarts() throws {
    let zone = try zone("America/New_York")
    let history = try TaskHistory([
      task(.mealTimesEachDay(start: date("2023-01-01"), timeZone: zone)),
      task(
        .daily(hour: 20, start: date("2023-01-01"), timeZone: zone),
        effective: date("2023-01-05T12:00")),
    ])
    let events = try history.events(from: date("2023-01-05"), to: date("2023-01-06"))
    #expect(
      try events.map(\.occurrence.start) == [date("2023-01-05T07:30"), date("2023-01-05T20:00")])
    #expect(events.map(\.version) == [1, 2])
  }

  @Test(arguments: [(0.0, [2]), (-1.0, [1])])
  func case45TheSameEffectiveDateOrASecondEarlier(shift: TimeInterval, expected: [Int]) throws {
    let start = try date("2023-05-08T12:00")
    let history = try TaskHistory([
      task(noon("2023-05-08")), task(noon("2023-05-08"), effective: start + shift),
    ])
    #expect(try versions(history, "2023-05-08", "2023-05-09") == expected)
    #expect(history.events(at: 0).map(\.version) == expected)
  }

  @Test func anEventThatBeganBeforeTheChangeStaysBesideTheNew() throws {
    let daily = try schedule("2023-05-08", every: Interval(days: 1), lasting: .allDay)
    let history = try TaskHistory([
      task(daily), task(daily, effective: date("2023-05-10T10:00")),
    ])
    // They start together, so their order is that of their ids.
    #expect(try versions(history, "2023-05-10", "2023-05-11").sorted() == [1, 2])
    #expect(try versions(history, "2023-05-11T00:00:01", "2023-05-12") == [2])
    #expect(history.events(at: 2).map(\.version) == [1, 2])
    #expect(history.events(at: 3).map(\.version) == [2])
  }

  @Test func case48EventsSortByStartThenVersionThenOccurrence() throws {
    let element = try noon("2023-05-08").elements[0]
    let thrice = try Schedule([element, element, element])
    let tasks = ["b", "c", "a"].map { task(thrice, id: $0) }
    let events = try EventExpansion.events(
      versions: tasks, outcomes: [], from: date("2023-05-08"), to: date("2023-05-09"))
    let uuids = tasks.map(\.uuid.uuidString).sorted()
    #expect(events.map(\.task.uuid.uuidString) == uuids.flatMap { [$0, $0, $0] })
    #expect(events.map(\.occurrence.index) == [0, 1, 2, 0, 1, 2, 0, 1, 2])
    #expect(events[1].id == "\(uuids[0])_1")
  }

  @Test func tasksOfTwoPatientsAreApart() throws {
    let first = try task(noon("2023-05-08"))
    var second = try task(noon("2023-05-08"), effective: date("2023-05-09"))
    second.patient = "jane"
    #expect(
      EventExpansion.histories(of: [first, second]).map(\.versions) == [[second], [first]])
    let events = try EventExpansion.events(
      versions: [first, second], outcomes: [], from: date("2023-05-10"), to: date("2023-05-11"))
    #expect(Set(events.map(\.task.patient)) == ["john", "jane"])
  }

  @Test func case52And53TheVersionOfADate() throws {
    let first = try task(noon("2023-05-08"))
    let second = try task(noon("2024-05-08"), effective: date("2024-05-08"))
    let history = TaskHistory([first, second])
    #expect(try history.version(at: date("2023-05-07")) == nil)
    #expect(try history.version(at: date("2024-05-07")) == first)
    #expect(try history.version(at: date("2024-05-08")) == second)
  }

  /// For random windows and versions, every event is found exactly once.
  @Test(arguments: 0..<30)
  func windowsAddUp(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let start = try date("2023-05-01")
    let versions = try (0..<4).map { _ in
      let shift = Double.random(in: 0...20, using: &generator) * 86_400
      let daily = try schedule(
        "2023-05-01", every: Interval(hours: Int.random(in: 5...40, using: &generator)),
        lasting: Bool.random(using: &generator) ? .allDay : .seconds(7200))
      return task(daily, effective: start + shift.rounded())
    }
    let history = TaskHistory(versions)
    let cuts = (0...10).map { start + Double($0) * 250_000 }
    let whole = try history.events(from: cuts[0], to: cuts[10])
    var parts: Set<Event> = []
    for (from, to) in zip(cuts, cuts.dropFirst()) {
      parts.formUnion(try history.events(from: from, to: to))
    }
    #expect(parts == Set(whole))
    #expect(whole == whole.sorted())
    for event in whole.prefix(30) {
      #expect(history.event(event.reference) == event)
      #expect(history.events(at: event.occurrence.index).contains(event))
    }
  }
}
