import Care
import Foundation
import TestSupport
import Testing

/// Which version owns which occurrence.
@Suite struct TaskHistoryTests {
  private func noon(_ start: String, until end: String? = nil) throws -> Schedule {
    try schedule(start + "T12:00", until: end, every: Interval(days: 1))
  }

  private func versions(_ history: TaskHistory, _ from: String, _ to: String) throws -> [Int] {
    try history.events(from: date(from), to: date(to)).map(\.version)
  }

  @Test func `one version follows the other`() throws {
    let history = try TaskHistory([
      task(noon("2023-05-01", until: "2023-05-11")),
      task(noon("2023-05-11", until: "2023-05-14"), effective: date("2023-05-11")),
    ])
    #expect(try versions(history, "2023-05-08", "2023-05-14") == [1, 1, 1, 2, 2, 2])
  }

  @Test func `the new version cuts the old one`() throws {
    let history = try TaskHistory([
      task(noon("2023-05-08")), task(noon("2023-05-11"), effective: date("2023-05-11")),
    ])
    #expect(try versions(history, "2023-05-10", "2023-05-14") == [1, 2, 2, 2])
  }

  /// The work grows with the elements, not with their cube.
  @Test func `a day of 400 equal elements is read quickly`() throws {
    let noon = try noon("2023-05-01").elements[0]
    let history = TaskHistory([
      try task(Schedule(Array(repeating: noon, count: 400)))
    ])
    let events = try history.events(from: date("2023-05-08"), to: date("2023-05-09"))
    #expect(events.map(\.ordinal) == Array(0..<400))
    #expect(events.map(\.occurrence.index) == Array(2800..<3200))
    for event in [events[0], events[199], events[399]] {
      #expect(history.event(event.reference)?.ordinal == event.ordinal)
    }
  }

  @Test func `an answer has so many events`() throws {
    let every = try schedule("2023-05-01", every: Interval(minutes: 1))
    let history = TaskHistory([task(every)])
    #expect(throws: ScheduleError.tooManyOccurrences(limit: EventExpansion.limit)) {
      try EventExpansion.events(
        of: [history, history], outcomes: [], from: date("2023-05-02"), to: date("2023-05-20"))
    }
    #expect(
      try EventExpansion.events(
        of: [history], outcomes: [], from: date("2023-05-02"), to: date("2023-05-20")
      ).count >= 18 * 1440)
  }

  @Test func `what is due each second has a next event`() throws {
    let start = try date("2023-05-01")
    let history = TaskHistory([try task(schedule("2023-06-01", every: Interval(seconds: 1)))])
    #expect(try history.next(after: start)?.occurrence.start == date("2023-06-01"))
  }

  @Test func `the outcome is on its event`() throws {
    let task = try task(noon("2023-05-08"))
    let outcome = try #require(Outcome(of: task, 3, values: [value(.integer(1))]))
    let events = try EventExpansion.events(
      of: [TaskHistory([task])], outcomes: [outcome], from: date("2023-05-10"),
      to: date("2023-05-14"))
    #expect(events.map(\.occurrence.index) == [2, 3, 4, 5])
    #expect(events.map(\.outcome) == [nil, outcome, nil, nil])
  }

  @Test func `a schedule that begins later leaves a gap`() throws {
    let history = try TaskHistory([
      task(noon("2023-05-08")), task(noon("2023-05-15"), effective: date("2023-05-09")),
    ])
    #expect(try versions(history, "2023-05-08", "2023-05-14") == [1])
  }

  @Test func `a version owns the all day event that starts with it`() throws {
    let daily = try schedule("2023-05-08", every: Interval(days: 1), lasting: .allDay)
    let start = try #require(daily.occurrence(at: 4)?.start)
    let history = try TaskHistory([
      task(daily),
      task(
        schedule("2023-05-12", every: Interval(days: 1), lasting: .allDay), effective: start),
    ])
    #expect(try history.events(from: start, to: start + 86_400).map(\.version) == [2])
  }

  @Test func `a version from noon leaves the morning to the old one`() throws {
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

  @Test(arguments: [(0.0, 1), (-1.0, 0)])
  func `of versions of the same date the later made one owns the event`(
    shift: TimeInterval, owner: Int
  ) throws {
    let start = try date("2023-05-08T12:00")
    let versions = [
      try task(noon("2023-05-08"), effective: start),
      try task(noon("2023-05-08"), effective: start + shift).madeLater,
    ]
    let history = TaskHistory(versions)
    let events = try history.events(from: date("2023-05-08"), to: date("2023-05-09"))
    #expect(events.map(\.task.uuid) == [versions[owner].uuid])
    #expect(history.events(at: 0) == events)
  }

  @Test func `an import closes versions that begin later`() throws {
    let first = try task(noon("2023-05-08"))
    let later = try task(noon("2023-05-08"), id: "later", effective: date("2023-05-12"))
    let mended = try task(noon("2023-05-08"), effective: date("2023-05-10")).imported
    let history = TaskHistory([first, later, mended])
    #expect(try versions(history, "2023-05-08", "2023-05-14") == [1, 1, 2, 2, 2, 2])
    #expect(history.versions.map(\.uuid) == [first.uuid, mended.uuid, later.uuid])
  }

  @Test func `an ended task has no more events`() throws {
    let first = try task(noon("2023-05-08"))
    var end = try task(noon("2023-05-08"), effective: date("2023-05-10T14:00")).imported
    end.isEnded = true
    let history = TaskHistory([first, end])
    #expect(try versions(history, "2023-05-08", "2023-05-14") == [1, 1, 1])
    #expect(try history.event(startingAt: date("2023-05-11T12:00"), ordinal: 0) == nil)
  }

  @Test func `words come from the newest version while the day lasts`() throws {
    let daily = try schedule("2023-05-08", every: Interval(days: 1), lasting: .allDay)
    let first = task(daily)
    var second = try task(daily, effective: date("2023-05-10T10:00"))
    second.title = "Corrected"
    second.isOptional = true
    let history = TaskHistory([first, second])
    let events = try history.events(from: date("2023-05-09"), to: date("2023-05-12"))
      .filter { try $0.occurrence.start >= date("2023-05-09") }
    func titles(at now: String) throws -> [String] {
      try events.map { try history.presented($0, at: date(now)).task.title }
    }
    #expect(try titles(at: "2023-05-10T09:00") == ["task", "task", "Corrected"])
    #expect(try titles(at: "2023-05-10T10:00") == ["task", "Corrected", "Corrected"])
    #expect(try titles(at: "2023-05-10T23:59") == ["task", "Corrected", "Corrected"])
    #expect(try titles(at: "2023-05-11") == ["task", "task", "Corrected"])
    // The task's question is its owner's.
    let today = try history.presented(events[1], at: date("2023-05-10T12:00"))
    #expect(!today.task.isOptional)
    #expect(today.task.uuid == first.uuid)
  }

  @Test func `occurrences that start together are told apart`() throws {
    let element = try noon("2023-05-08").elements[0]
    let history = try TaskHistory([task(Schedule([element, element, element]))])
    let events = try history.events(from: date("2023-05-09"), to: date("2023-05-10"))
    #expect(events.map(\.ordinal) == [0, 1, 2])
    for event in events {
      #expect(history.event(event.reference) == event)
      #expect(
        history.event(startingAt: event.occurrence.start, ordinal: event.ordinal) == event)
    }
  }

  @Test func `an event that began before the change stays alone`() throws {
    let daily = try schedule("2023-05-08", every: Interval(days: 1), lasting: .allDay)
    let history = try TaskHistory([
      task(daily), task(daily, effective: date("2023-05-10T10:00")),
    ])
    #expect(try versions(history, "2023-05-10", "2023-05-11") == [1])
    #expect(try versions(history, "2023-05-11T00:00:01", "2023-05-12") == [2])
    #expect(history.events(at: 2).map(\.version) == [1])
    #expect(history.events(at: 3).map(\.version) == [2])
  }

  @Test(arguments: [["b", "c", "a"], ["a"], []])
  func `events sort by start then the plans order then ID`(order: [String]) throws {
    let element = try noon("2023-05-08").elements[0]
    let thrice = try Schedule([element, element, element])
    let tasks = ["b", "c", "a"].map { task(thrice, id: $0) }
    let events = try EventExpansion.events(
      of: EventExpansion.histories(of: tasks), outcomes: [],
      order: EventOrder(order.map { TaskReference(patient: "john", task: $0) }),
      from: date("2023-05-08"), to: date("2023-05-09"))
    let ids = order + ["a", "b", "c"].filter { !order.contains($0) }
    #expect(events.map(\.task.id) == ids.flatMap { [$0, $0, $0] })
    #expect(events.map(\.occurrence.index) == [0, 1, 2, 0, 1, 2, 0, 1, 2])
    #expect(events[1].id == "\(events[1].task.uuid.uuidString)_1")
  }

  @Test func `tasks of two patients are apart`() throws {
    let first = try task(noon("2023-05-08"))
    var second = try task(noon("2023-05-08"), effective: date("2023-05-09"))
    second.patient = "jane"
    #expect(
      EventExpansion.histories(of: [first, second]).map(\.versions) == [[second], [first]])
    let events = try EventExpansion.events(
      of: EventExpansion.histories(of: [first, second]), outcomes: [], from: date("2023-05-10"),
      to: date("2023-05-11"))
    #expect(Set(events.map(\.task.patient)) == ["john", "jane"])
  }

  @Test func `a date has the version that is in force`() throws {
    let first = try task(noon("2023-05-08"))
    let second = try task(noon("2024-05-08"), effective: date("2024-05-08"))
    let history = TaskHistory([first, second])
    #expect(try history.version(at: date("2023-05-07")) == nil)
    #expect(try history.version(at: date("2024-05-07")) == first)
    #expect(try history.version(at: date("2024-05-08")) == second)
  }

  /// For random windows and versions, every event is found exactly once.
  @Test(arguments: 0..<30)
  func `windows add up`(seed: UInt64) throws {
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
    #expect(whole.map(\.occurrence.start) == whole.map(\.occurrence.start).sorted())
    for event in whole.prefix(30) {
      #expect(history.event(event.reference) == event)
      #expect(history.events(at: event.occurrence.index).contains(event))
    }
  }
}
