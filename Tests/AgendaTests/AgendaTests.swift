import Care
import CareStore
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Agenda

/// The dates of what is due, and the effect of a person's answer.
@Suite struct AgendaTests {
  private static let head = """
    timeZone: Europe/Berlin
    patients:
      - {id: john}
    contacts:
      - {id: anna, patient: john, name: {given: Anna}}
    tasks:

    """

  private static let walk = """
      - id: walk
        title: Walk
        schedule:
          - {start: 2026-11-02T09:00, interval: {days: 1}, duration: 1h}
        reminder: {before: 15m}
        fallback: {after: 2h}
    """

  private func run(_ store: SQLStore, _ text: String) async throws -> [Firing] {
    let now = time(text)
    return try await store.write { try Agenda.run($0, now: now) }.map(\.firing)
  }

  private func wakeAt(_ store: SQLStore, _ text: String) async throws -> String {
    let now = time(text)
    let date = try await store.read { try Agenda.look($0, now: now).wakeAt }
    return date.rfc3339(in: TimeZone(identifier: "Europe/Berlin") ?? .gmt)
  }

  @Test
  func `a reminder is due before its event, a fallback after it, each once`() async throws {
    let store = try await SQLStore.planned(
      Self.head + Self.walk, at: time("2026-11-01T12:00:00+01:00"))
    #expect(try await wakeAt(store, "2026-11-01T12:00:00+01:00") == "2026-11-02T08:45:00+01:00")
    #expect(try await run(store, "2026-11-02T08:44:59+01:00") == [])
    let first = try await run(store, "2026-11-02T08:45:00+01:00")
    #expect(first.map(\.kind) == [.reminder])
    #expect(first.first?.event.start == time("2026-11-02T09:00:00+01:00"))
    #expect(try await run(store, "2026-11-02T08:45:00+01:00") == [])
    #expect(try await wakeAt(store, "2026-11-02T08:45:00+01:00") == "2026-11-02T11:00:00+01:00")
    #expect(try await run(store, "2026-11-02T11:00:00+01:00").map(\.kind) == [.fallback])
    #expect(try await run(store, "2026-11-02T11:00:00+01:00") == [])
  }

  @Test func `several reminders come until one is answered`() async throws {
    let text = Self.walk.replacing("{before: 15m}", with: "{before: 15m, every: 10m, times: 3}")
    let store = try await SQLStore.planned(
      Self.head + text, at: time("2026-11-01T12:00:00+01:00"))
    var found: [String] = []
    for minute in 40...59 {
      let fired = try await run(store, "2026-11-02T08:\(minute):00+01:00")
      found += fired.map { "8:\(minute) \($0.key.number)" }
    }
    #expect(found == ["8:45 0", "8:55 1"])
    // The clock is set back: nothing comes again.
    #expect(try await run(store, "2026-11-02T08:50:00+01:00") == [])
    #expect(try await run(store, "2026-11-02T09:05:00+01:00").map(\.key.number) == [2])
    try await store.answer("walk", at: time("2026-11-03T08:50:00+01:00") + 600, [])
    #expect(try await run(store, "2026-11-03T09:05:00+01:00") == [])
  }

  @Test(arguments: Answer.State.allCases)
  func `an answer, also that it was not done, makes both superfluous`(_ state: Answer.State)
    async throws
  {
    let store = try await SQLStore.planned(
      Self.head + Self.walk, at: time("2026-11-01T12:00:00+01:00"))
    try await store.answer(
      "walk", at: time("2026-11-02T09:10:00+01:00"), [], state: state)
    #expect(try await run(store, "2026-11-02T09:10:00+01:00") == [])
    #expect(try await run(store, "2026-11-02T11:00:00+01:00") == [])
  }

  @Test
  func `what is over when the machine starts is skipped`() async throws {
    let store = try await SQLStore.planned(
      Self.head + Self.walk, at: time("2026-11-01T12:00:00+01:00"))
    #expect(try await run(store, "2026-11-02T09:59:59+01:00").map(\.kind) == [.reminder])
    #expect(try await run(store, "2026-11-03T10:00:00+01:00") == [])
    #expect(try await run(store, "2026-11-03T23:59:59+01:00").map(\.kind) == [.fallback])
    #expect(try await run(store, "2026-11-05T00:00:00+01:00") == [])
  }

  @Test func `what was put off is silent until then, and comes again`() async throws {
    let text = Self.walk.replacing("{before: 15m}", with: "{before: 15m, every: 10m, times: 3}")
    let store = try await SQLStore.planned(
      Self.head + text, at: time("2026-11-01T12:00:00+01:00"))
    #expect(try await run(store, "2026-11-02T08:45:00+01:00").map(\.key.number) == [0])
    let (start, until) = (time("2026-11-02T09:00:00+01:00"), time("2026-11-02T09:20:00+01:00"))
    let key = EventKey(patient: "john", task: "walk", start: start)
    let pressed = time("2026-11-02T08:46:00+01:00")
    _ = try await store.write {
      try $0.record(
        Firing(Firing.Key(.snooze, key), due: until, date: pressed), making: nil, now: pressed)
    }
    func isAsked(_ text: String) async throws -> Bool {
      let now = time(text)
      return try await store.read { reader in
        let events = try reader.events(
          patient: "john", task: nil, from: start - 3600, to: start + 3600)
        let putOff = try Agenda.putOff(events, in: reader, now: now)
        return !Agenda.prompts(in: events, putOff: putOff, now: now).isEmpty
      }
    }
    // The plan's further reminders fall into the rest.
    #expect(try await run(store, "2026-11-02T09:10:00+01:00") == [])
    #expect(try await !isAsked("2026-11-02T09:10:00+01:00"))
    #expect(try await wakeAt(store, "2026-11-02T09:10:00+01:00") == "2026-11-02T09:20:00+01:00")
    let again = try await run(store, "2026-11-02T09:20:00+01:00")
    #expect(again.map(\.kind) == [.reminder])
    #expect(again.map(\.due) == [until])
    #expect(try await isAsked("2026-11-02T09:20:00+01:00"))
    #expect(try await run(store, "2026-11-02T09:21:00+01:00") == [])
  }

  @Test
  func `a prompt is there from its due time until it is answered`() async throws {
    let store = try await SQLStore.planned(
      Self.head + Self.walk, at: time("2026-11-01T12:00:00+01:00"))
    func prompts(_ text: String) async throws -> [Firing.Kind] {
      let now = time(text)
      return try await store.read { reader in
        let events = try reader.events(
          patient: "john", task: nil, from: time("2026-11-02T00:00:00+01:00"),
          to: time("2026-11-03T00:00:00+01:00"))
        return Agenda.prompts(in: events, now: now).map(\.kind)
      }
    }
    #expect(try await prompts("2026-11-02T08:00:00+01:00") == [])
    #expect(try await prompts("2026-11-02T08:50:00+01:00") == [.reminder])
    #expect(try await prompts("2026-11-02T10:30:00+01:00") == [])
    #expect(try await prompts("2026-11-02T12:00:00+01:00") == [.fallback])
    try await store.answer("walk", at: time("2026-11-02T09:59:00+01:00"), [])
    #expect(try await prompts("2026-11-02T12:00:00+01:00") == [])
  }

  // MARK: - Rules

  private static let knee = """
      - id: knee
        title: Bend the knee
        schedule:
          - {start: 2026-11-02T09:00, interval: {days: 1}, duration: 1h, targets: [{value: 90, unit: deg, kind: range}]}
        activeTask: {type: rangeOfMotion, joint: knee, side: left}
        rules:
          - {after: 3, of: range, atLeast: 90, then: {target: 100}}
    """

  private func bend(_ store: SQLStore, _ day: Int, _ degrees: Double) async throws {
    try await store.answer(
      "knee", at: time("2026-11-0\(day)T09:10:00+01:00"), [("range", degrees, .degree)])
  }

  private func targets(_ store: SQLStore) async throws -> [Double?] {
    try await store.read {
      try $0.events(
        patient: "john", task: "knee", from: time("2026-11-02T00:00:00+01:00"),
        to: time("2026-11-08T00:00:00+01:00"))
    }.map { $0.occurrence.element.targets.first?.value.number }
  }

  /// A store in which the rule has fired on 4 November.
  private func fired() async throws -> (SQLStore, StoredFiring) {
    let store = try await SQLStore.planned(
      Self.head + Self.knee, at: time("2026-11-01T12:00:00+01:00"))
    for (day, degrees) in [(2, 92.0), (3, 95), (4, 91)] {
      #expect(try await run(store, "2026-11-0\(day)T09:05:00+01:00") == [])
      try await bend(store, day, degrees)
    }
    let now = time("2026-11-04T09:11:00+01:00")
    let fired = try await store.write { try Agenda.run($0, now: now) }
    #expect(fired.count == 1)
    return (store, try #require(fired.first))
  }

  @Test
  func `three results in a row raise the target from the next day on`() async throws {
    let (store, stored) = try await fired()
    #expect(stored.firing.kind == .rule)
    #expect(stored.firing.results.map(\.value) == [92, 95, 91])
    #expect(stored.firing.target?.from == 90)
    #expect(stored.firing.target?.to == 100)
    #expect(stored.firing.target?.effectiveDate == time("2026-11-05T00:00:00+01:00"))
    #expect(try await targets(store) == [90, 90, 90, 100, 100, 100])
    // The target is reached, so that the rule has nothing to do.
    for day in 5...7 { try await bend(store, day, 99) }
    #expect(try await run(store, "2026-11-07T09:11:00+01:00") == [])
  }

  @Test
  func `it is undone in one step, and the same results do not make it fire again`() async throws {
    let (store, stored) = try await fired()
    let now = time("2026-11-05T08:00:00+01:00")
    let undone = try await store.write { try $0.undoFiring(stored.id, now: now) }
    #expect(undone.firing.undoneDate == now)
    #expect(try await targets(store) == [90, 90, 90, 90, 90, 90])
    #expect(try await run(store, "2026-11-05T08:00:01+01:00") == [])
    await #expect(throws: StoreError.self) {
      _ = try await store.write { try $0.undoFiring(stored.id, now: now) }
    }
    // Three new results do.
    for day in 5...6 { try await bend(store, day, 99) }
    #expect(try await run(store, "2026-11-06T09:11:00+01:00") == [])
    try await bend(store, 7, 99)
    #expect(try await run(store, "2026-11-07T09:11:00+01:00").count == 1)
  }

  @Test
  func `of two changes of a target the later one is undone first`() async throws {
    let store = try await SQLStore.planned(
      Self.head + Self.knee.replacing("target: 100", with: "by: 1, atMost: 200"),
      at: time("2026-11-01T12:00:00+01:00"))
    var fired: [StoredFiring] = []
    for day in 2...7 {
      try await bend(store, day, 99)
      fired += try await store.write {
        try Agenda.run($0, now: time("2026-11-0\(day)T09:11:00+01:00"))
      }.filter { $0.firing.kind == .rule }
    }
    try #require(fired.count == 2)
    let (first, second) = (fired[0], fired[1])
    let now = time("2026-11-07T20:00:00+01:00")
    await #expect(throws: StoreError.refused(.laterFiring(second.number))) {
      _ = try await store.write { try $0.undoFiring(first.id, now: now) }
    }
    _ = try await store.write { try $0.undoFiring(second.id, now: now) }
    _ = try await store.write { try $0.undoFiring(first.id, now: now) }
    #expect(try await targets(store) == [90, 90, 90, 90, 90, 90])
  }

  @Test
  func `a plan that is imported again keeps the rule's target`() async throws {
    let (store, _) = try await fired()
    let plan = try plan(Self.head + Self.knee)
    let report = try await store.write {
      try $0.importPlan(plan, now: time("2026-11-05T08:00:00+01:00"))
    }
    #expect(report.lines.first { $0.kind == .task }?.change == .unchanged)
    #expect(report.lines.first { $0.kind == .task }?.kept == .changedByRule)
    #expect(try await targets(store) == [90, 90, 90, 100, 100, 100])
  }

  @Test
  func `two stores in which the same happened agree when they are merged`() async throws {
    let first = try await SQLStore.planned(
      Self.head + Self.knee, at: time("2026-11-01T12:00:00+01:00"))
    for (day, degrees) in [(2, 92.0), (3, 95), (4, 91)] { try await bend(first, day, degrees) }
    let second = try SQLStore.inMemory(makeUUID: { UUID() })
    _ = try await second.merge(lines: try await lines(of: first))
    let here = try await run(first, "2026-11-04T09:11:00+01:00")
    let there = try await run(second, "2026-11-04T10:30:00+01:00")
    #expect(here.map(\.key) == there.map(\.key))
    _ = try await first.merge(lines: try await lines(of: second))
    _ = try await second.merge(lines: try await lines(of: first))
    let firings = try await first.read { try $0.firings(FiringQuery()) }
    #expect(firings.map(\.firing) == here)
    #expect(try await second.read { try $0.firings(FiringQuery()) }.map(\.firing) == here)
    #expect(try await targets(first) == [90, 90, 90, 100, 100, 100])
    #expect(try await targets(second) == [90, 90, 90, 100, 100, 100])
    #expect(try await first.check() == [])
    // A firing that one of them takes back is taken back in both.
    let id = try #require(firings.first).id
    let now = time("2026-11-05T08:00:00+01:00")
    _ = try await second.write { try $0.undoFiring(id, now: now) }
    _ = try await first.merge(lines: try await lines(of: second))
    #expect(try await targets(first) == [90, 90, 90, 90, 90, 90])
    #expect(try await first.read { try $0.firings(FiringQuery()) }.first?.firing.undoneDate == now)
    #expect(try await lines(of: first) == lines(of: second))
  }

  private func lines(of store: SQLStore) async throws -> [String] {
    let lines = Lines()
    try await store.export { lines.append($0) }
    return lines.all
  }

  private static let weight = """
      - id: weigh-in
        title: Weigh yourself
        schedule:
          - {start: 2026-11-02, interval: {days: 1}, duration: allDay}
        linkage: {quantity: bodyMass, unit: kg}
        thresholds:
          - {above: 90, says: too high, alert: true}
        rules:
          - {rises: 2, within: 1d, then: {contact: anna}, message: Call the practice.}
    """

  @Test
  func `two weights a day apart alert the contact`() async throws {
    let store = try await SQLStore.planned(
      Self.head + Self.weight, at: time("2026-11-01T12:00:00+01:00"))
    try await store.weigh(80, at: time("2026-11-02T07:00:00+01:00"))
    try await store.weigh(81.9, at: time("2026-11-03T07:00:00+01:00"))
    #expect(try await run(store, "2026-11-03T07:01:00+01:00") == [])
    try await store.weigh(84, at: time("2026-11-04T22:00:00+01:00"))
    let alert = try await run(store, "2026-11-04T22:01:00+01:00")
    #expect(alert.map { $0.rule?.contact } == ["anna"])
    #expect(alert.first?.results.map(\.value) == [81.9, 84])
    #expect(alert.first?.target == nil)
    try await store.weigh(90.5, at: time("2026-11-06T07:00:00+01:00"))
    try await store.weigh(91, at: time("2026-11-06T08:00:00+01:00"))
    let high = try await run(store, "2026-11-06T08:01:00+01:00")
    #expect(high.map(\.kind) == [.alert])
    #expect(high.first?.results.map(\.value) == [90.5, 91])
    #expect(try await run(store, "2026-11-06T09:00:00+01:00") == [])
  }

  @Test
  func `a rehearsal says what would have fired, and writes nothing`() async throws {
    let bare = Self.knee.split(separator: "\n").dropLast(2).joined(separator: "\n")
    let store = try await SQLStore.planned(
      Self.head + bare, at: time("2026-11-01T12:00:00+01:00"))
    for (day, degrees) in [(2, 92.0), (3, 95), (4, 91), (5, 80)] {
      try await bend(store, day, degrees)
    }
    let plan = try plan(Self.head + Self.knee)
    let now = time("2026-11-06T08:00:00+01:00")
    _ = try await store.write { try $0.importPlan(plan, now: now) }
    // The rule is in force from now on, so that what was before it does not count.
    #expect(try await run(store, "2026-11-06T08:00:00+01:00") == [])
    let firings = try await store.read {
      try Agenda.rehearsal(
        $0, patient: nil, since: time("2026-11-01T00:00:00+01:00"), now: now)
    }
    #expect(firings.map { $0.results.map(\.value) } == [[92, 95, 91]])
    #expect(firings.first?.target?.effectiveDate == time("2026-11-05T00:00:00+01:00"))
    #expect(try await store.read { try $0.firings(FiringQuery()) } == [])
    #expect(try await targets(store) == [90, 90, 90, 90, 90, 90])
  }

  @Test
  func `an erased patient leaves no firing, and none comes back`() async throws {
    let (store, _) = try await fired()
    let copy = try await lines(of: store)
    try await store.erase(patient: "john", now: time("2026-11-05T08:00:00+01:00"))
    #expect(try await store.read { try $0.firings(FiringQuery()) } == [])
    _ = try await store.merge(lines: copy)
    #expect(try await store.read { try $0.firings(FiringQuery()) } == [])
    #expect(try await lines(of: store).filter { $0.contains("john") } == [])
  }

  @Test
  func `a patient's new id takes the firings along`() async throws {
    let (store, stored) = try await fired()
    let now = time("2026-11-04T12:00:00+01:00")
    try await store.write { try $0.renamePatient("john", to: "jack", now: now) }
    let firings = try await store.read { try $0.firings(FiringQuery(patient: "jack")) }
    #expect(firings.map(\.id) == [stored.id])
    #expect(try await run(store, "2026-11-04T12:00:01+01:00") == [])
    #expect(try await store.check() == [])
  }
}

/// Collected lines.
private final class Lines: Sendable {
  private let lines = Mutex<[String]>([])

  func append(_ line: String) { lines.withLock { $0.append(line) } }
  var all: [String] { lines.withLock { $0 } }
}
