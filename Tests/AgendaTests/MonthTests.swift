import Care
import CareStore
import Foundation
import TestSupport
import Testing

@testable import Agenda

/// Forty days in Casablanca, whose clocks are set back on 15 February 2026 and forward on 22 March,
/// with a machine that is off three times.
@Suite struct MonthTests {
  private static let zone = TimeZone(identifier: "Africa/Casablanca") ?? .gmt

  private static let text = """
    timeZone: Africa/Casablanca
    patients:
      - {id: john}
    contacts:
      - {id: anna, patient: john, name: {given: Anna}}
    tasks:
      - id: pills
        title: Take the pills
        schedule:
          - {start: 2026-02-12T02:30, interval: {days: 1}, duration: 1h}
          - {start: 2026-02-12T20:00, interval: {days: 1}, duration: 30m}
        reminder: {before: 15m}
      - id: weigh-in
        title: Weigh yourself
        schedule:
          - {start: 2026-02-12, interval: {days: 1}, duration: allDay}
        linkage: {quantity: bodyMass, unit: kg}
        reminder: {after: 8h}
        fallback: {after: 10h}
        rules:
          - {rises: 2, within: 1d, then: {contact: anna}, message: Call the practice.}
      - id: knee
        title: Bend the knee
        resettable: true
        schedule:
          - {start: 2026-02-12T09:00, interval: {days: 1}, duration: 2h, targets: [{value: 90, unit: deg, kind: range}]}
        activeTask: {type: rangeOfMotion, joint: knee, side: left}
        fallback: {after: 30m}
        rules:
          - {after: 3, ofLast: 4, of: range, atLeast: 85, then: {by: 10, atMost: 120}}
    """

  /// An event as the oracle counts it, without the store.
  private struct Expected {
    var task: String
    var start: Date
    var reminder: Range<Date>?
    var fallback: Range<Date>?
    /// When the person did it, and the result.
    var result: (date: Date, value: Double)?
    var isRefused = false
  }

  private static func local(_ day: Int, _ hour: Int, _ minute: Int = 0) -> Date {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = zone
    let components = DateComponents(
      year: 2026, month: 2, day: 12 + day, hour: hour, minute: minute)
    return calendar.date(from: components) ?? .distantPast
  }

  /// The events with what the person does about them.
  private static func events(_ generator: inout SeededGenerator) -> [Expected] {
    var events: [Expected] = []
    for day in 0..<41 {
      func happens(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &generator) < percent }
      for (hour, minute, length) in [(2, 30, 3_600.0), (20, 0, 1_800)] {
        let start = local(day, hour, minute)
        var event = Expected(task: "pills", start: start)
        event.reminder = (start - 900)..<(start + length)
        if happens(60) {
          let delay = Double.random(in: 0..<length, using: &generator).rounded()
          event.result = (start + delay - (happens(30) ? 1_800 : 0), 1)
          event.isRefused = happens(20)
        }
        events.append(event)
      }
      let (midnight, next) = (local(day, 0), local(day + 1, 0))
      var weighing = Expected(task: "weigh-in", start: midnight)
      weighing.reminder = local(day, 8)..<local(day, 10)
      weighing.fallback = local(day, 10)..<next
      if happens(75) {
        weighing.result = (
          local(day, Int.random(in: 6...13, using: &generator), 7),
          Double(Int.random(in: 80...83, using: &generator))
        )
      }
      events.append(weighing)
      var knee = Expected(task: "knee", start: local(day, 9))
      knee.fallback = local(day, 9, 30)..<next
      if happens(70) {
        knee.result = (
          local(day, 9, Int.random(in: 0...59, using: &generator)),
          Double(Int.random(in: 75...105, using: &generator))
        )
      }
      events.append(knee)
    }
    return events
  }

  /// The spans in which the machine is off: just before, exactly at and after a due time.
  private static let pauses = [
    (local(5, 10) - 1)..<(local(5, 13)),
    local(17, 2, 15)..<local(17, 2, 50),
    (local(30, 9, 30) + 1)..<local(32, 20),
  ]

  private static func start(of pause: Date) -> Date? {
    pauses.first { $0.contains(pause) }?.upperBound
  }

  /// When something that is due at the beginning of a span happens; `nil` if the span is over, or
  /// the event done, by then.
  private static func firing(_ span: Range<Date>?, unless done: Date?) -> Date? {
    guard let span else { return nil }
    let date = start(of: span.lowerBound) ?? span.lowerBound
    guard date < span.upperBound, done.map({ date < $0 }) ?? true else { return nil }
    return date
  }

  private static func line(_ kind: String, _ task: String, _ start: Date, _ date: Date) -> String {
    "\(date.rfc3339(in: zone)) \(kind) \(task) \(start.rfc3339(in: zone))"
  }

  /// The events that have to happen, from the plan alone.
  private static func oracle(_ events: [Expected]) -> (lines: [String], targets: [Date: Double]) {
    var lines: [String] = []
    var weights: [(day: Int, start: Date, value: Double)] = []
    var ranges: [(start: Date, value: Double)] = []
    var target = 90.0
    var changes: [(from: Date, value: Double)] = []
    func done(_ event: Expected) -> Date? {
      event.result.map { Self.start(of: $0.date) ?? $0.date }
    }
    for event in events {
      if let date = firing(event.reminder, unless: done(event)) {
        lines.append(line("reminder", event.task, event.start, date))
      }
      if let date = firing(event.fallback, unless: done(event)) {
        lines.append(line("fallback", event.task, event.start, date))
      }
    }
    for (number, event) in events.filter({ $0.task == "weigh-in" }).enumerated() {
      guard let result = event.result, let date = done(event) else { continue }
      weights.append((number, event.start, result.value))
      guard let last = weights.last,
        weights.dropLast().contains(where: {
          last.day - $0.day <= 1 && last.value - $0.value >= 2
        })
      else { continue }
      lines.append(line("rule", "weigh-in", event.start, date))
      weights = [last]
    }
    for event in events.filter({ $0.task == "knee" }) {
      guard let result = event.result, let date = done(event), target < 120 else { continue }
      ranges.append((event.start, result.value))
      guard result.value >= 85, ranges.suffix(4).count(where: { $0.value >= 85 }) >= 3 else {
        continue
      }
      lines.append(line("rule", "knee", event.start, date))
      ranges = []
      target = min(120, target + 10)
      var calendar = Calendar(identifier: .gregorian)
      calendar.timeZone = zone
      let midnight = calendar.startOfDay(for: date)
      changes.append((calendar.date(byAdding: .day, value: 1, to: midnight) ?? date, target))
    }
    var targets: [Date: Double] = [:]
    for event in events where event.task == "knee" {
      targets[event.start] = changes.last { $0.from <= event.start }?.value ?? 90
    }
    return (lines.sorted(), targets)
  }

  @Test
  func `the zone's clocks change twice in these days`() {
    let offsets = (0...41).map { Self.zone.secondsFromGMT(for: Self.local($0, 12)) }
    #expect(offsets.first == 3_600)
    #expect(zip(offsets, offsets.dropFirst()).count { $0 != $1 } == 2)
  }

  @Test(arguments: Rounds.seeds(6, from: 1))
  func `each happens once or not at all, as written`(_ seed: UInt64) async throws {
    var generator = SeededGenerator(seed: seed)
    let events = Self.events(&generator)
    let (expected, targets) = Self.oracle(events)
    let path = FileManager.default.temporaryDirectory
      .appending(path: "agenda-\(UUID().uuidString).db").path
    defer {
      for suffix in ["", "-wal", "-shm"] {
        try? FileManager.default.removeItem(atPath: path + suffix)
      }
    }
    let begin = Self.local(0, 0) - 3_600
    var now = begin
    var store = try SQLStore.open(path: path, makeUUID: { UUID() })
    let plan = try plan(Self.text)
    _ = try await store.write { try $0.importPlan(plan, now: begin) }
    // The person's actions while the machine is off arrive when it is on again.
    var actions = events.filter { $0.result != nil }
      .sorted { ($0.result?.date ?? begin) < ($1.result?.date ?? begin) }[...]
    var pauses = Self.pauses[...]
    var fired: [StoredFiring] = []
    while now < Self.local(41, 0) {
      while let action = actions.first, let result = action.result, result.date <= now {
        try await Self.perform(action, result, in: store)
        actions = actions.dropFirst()
      }
      fired += try await Self.run(store, now)
      let date = now
      let wake = try await store.read { try Agenda.look($0, now: date).wakeAt }
      var next = min(wake, Self.local(41, 0))
      if let action = actions.first?.result?.date { next = min(next, action) }
      if let pause = pauses.first, pause.lowerBound <= next {
        try store.close()
        store = try SQLStore.open(path: path, makeUUID: { UUID() })
        next = pause.upperBound
        pauses = pauses.dropFirst()
      }
      now = next
    }
    #expect(pauses.isEmpty)
    let lines = fired.map { stored in
      Self.line(
        stored.firing.kind.rawValue, stored.firing.event.task, stored.firing.event.start,
        stored.firing.date)
    }.sorted()
    let missing = Set(expected).subtracting(lines).sorted()
    let superfluous = Set(lines).subtracting(expected).sorted()
    #expect(missing == [])
    #expect(superfluous == [])
    #expect(lines == expected)
    let knees = try await store.read {
      try $0.events(patient: "john", task: "knee", from: begin, to: Self.local(41, 0))
    }
    for knee in knees {
      #expect(knee.occurrence.element.targets.first?.value.number == targets[knee.occurrence.start])
    }
    // A clock that is set back makes nothing happen again.
    for day in stride(from: 40, through: 0, by: -7) {
      #expect(try await Self.run(store, Self.local(day, 10)) == [])
    }
    #expect(try await store.check() == [])
    try store.close()
  }

  private static func run(_ store: SQLStore, _ now: Date) async throws -> [StoredFiring] {
    try await store.write { try Agenda.run($0, now: now) }
  }

  private static func perform(
    _ event: Expected, _ result: (date: Date, value: Double), in store: SQLStore
  ) async throws {
    switch event.task {
    case "weigh-in": try await store.weigh(result.value, at: result.date)
    default:
      let reference = try await store.read { reader in
        try reader.events(
          patient: "john", task: event.task, from: event.start, to: event.start + 1
        ).first { $0.occurrence.start == event.start }?.reference
      }
      let value = OutcomeValue(
        value: .double(result.value), unit: event.task == "knee" ? .degree : nil,
        kind: event.task == "knee" ? "range" : nil, time: result.date, provenance: .active)
      _ = try await store.write { writer in
        try writer.setOutcome(
          event.isRefused ? [] : [value], answer: Answer(state: event.isRefused ? .notDone : .done),
          of: try #require(reference), now: result.date)
      }
    }
  }
}
