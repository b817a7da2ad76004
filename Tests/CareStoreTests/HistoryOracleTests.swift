import Care
import CareStore
import Foundation
import TestSupport
import Testing

/// Random histories of plans, edits, outcomes and samples, against a model that finds everything by
/// trying every version and every occurrence.
struct HistoryOracleTests {
  /// Each seed makes ten histories, of ten patients in one store.
  @Test(arguments: Rounds.seeds(200, gate: 10))
  func histories(_ seed: UInt64) async throws {
    let store = try SQLStore.example()
    try await store.write { writer in
      var random = SeededGenerator(seed: seed)
      for number in 0..<10 {
        var history = HistoryTrial(patient: "p\(number)", writer: writer)
        for _ in 0..<7 { try history.step(&random) }
      }
    }
  }
}

/// One history, in the store and in the model.
private struct HistoryTrial {
  let patient: String
  let writer: any StoreWriter
  var model = HistoryOracle()
  /// The hour of the history, from 0.
  var hour = 0
  /// The events before the next step.
  private var keys: [EventKey] = []

  init(patient: String, writer: any StoreWriter) {
    self.patient = patient
    self.writer = writer
  }

  private var now: Date { midnight + TimeInterval(hour) * 3600 }
  private static let days = -2..<12

  private var window: (from: Date, to: Date) {
    (day(Self.days.lowerBound), day(Self.days.upperBound))
  }

  mutating func step(_ random: inout SeededGenerator) throws {
    hour += Int.random(in: 0...30, using: &random)
    let before = keys
    var changedFrom = Date.distantFuture
    switch model.tasks.isEmpty ? 0 : Int.random(in: 0..<10, using: &random) {
    case 0, 1, 2: changedFrom = try importPlan(&random)
    case 3: changedFrom = try end(&random)
    case 4, 5, 6: try setOutcome(&random)
    case 7: try deleteOutcome(&random)
    default: try measure(&random)
    }
    let events = try events()
    keys = events.map(\.key)
    let after = keys
    // Nothing before an edit's effective date changes.
    #expect(
      Set(after.filter { $0.start < changedFrom }) == Set(before.filter { $0.start < changedFrom }))
    #expect(Set(after).count == after.count, "an event is owned twice")
    compare(events)
  }

  private func events() throws -> [Event] {
    try writer.events(patient: patient, task: nil, from: window.from, to: window.to)
      .filter { $0.occurrence.start >= window.from }
  }

  private func compare(_ events: [Event]) {
    let expected = model.events(from: window.from, to: window.to)
    #expect(events.map(OracleEvent.init) == expected, "\(model.tasks)")
    let found = Set(events.filter { $0.outcome != nil }.map(\.key))
    let stored = model.outcomes.keys.filter { (window.from..<window.to).contains($0.start) }
    #expect(found.isSuperset(of: stored), "an outcome has no event")
  }

  // MARK: Changes

  private func schedule(_ random: inout SeededGenerator) throws -> Schedule {
    let start = day(Int.random(in: -2..<6, using: &random))
    let first = Int.random(in: 0..<24, using: &random)
    func element(_ interval: Interval, _ duration: EventDuration) throws -> ScheduleElement {
      try ScheduleElement(
        start: start + TimeInterval(first) * 3600, interval: interval, duration: duration,
        timeZone: losAngeles)
    }
    switch Int.random(in: 0..<6, using: &random) {
    case 0: return try Schedule([element(Interval(days: 1), .allDay)])
    case 1: return try Schedule([element(Interval(hours: 8), .seconds(3600))])
    case 2: return try Schedule([element(Interval(days: 2), .seconds(73 * 3600))])
    case 3:
      let twice = try element(Interval(days: 1), .seconds(1800))
      return try Schedule([twice, twice])
    default: return try Schedule([element(Interval(days: 1), .seconds(7200))])
    }
  }

  private mutating func importPlan(_ random: inout SeededGenerator) throws -> Date {
    let id = ["a", "b"].randomElement(using: &random) ?? "a"
    var task = PlannedTask(
      id: id, patient: patient, title: "\(Int.random(in: 0..<100, using: &random))",
      schedule: try schedule(&random))
    if let last = model.tasks[id]?.last, Bool.random(using: &random) {
      task.schedule = last.task.schedule
    }
    if Bool.random(using: &random) {
      task.linkage = Linkage(quantity: .bodyMass, type: .discrete, unit: .kilogram)
    }
    if Int.random(in: 0..<3, using: &random) == 0 {
      task.effectiveDate = now + TimeInterval(Int.random(in: -72...72, using: &random)) * 3600
    }
    let isNew = model.tasks[id] == nil
    let first = task.schedule.occurrence(at: 0)?.start ?? now
    var version = OracleVersion(
      task: task, effectiveDate: task.effectiveDate ?? (isNew ? first : now), isEnded: false)
    if task.effectiveDate == nil, !isNew {
      version.effectiveDate = model.beginning(of: version, madeAt: now, today: day(hour / 24))
    }
    let plan = PlanDocument(
      timeZone: losAngeles, patients: [Patient(id: patient)], tasks: [task])
    try change(to: version, id: id) { try $0.importPlan(plan, now: $1) }
    if model.tasks[id]?.last?.task == task { model.order = [id] }
    return version.effectiveDate
  }

  private mutating func end(_ random: inout SeededGenerator) throws -> Date {
    guard let id = model.tasks.keys.sorted().randomElement(using: &random),
      let current = model.current(id, at: now)
    else { return now }
    let date = now + TimeInterval(Int.random(in: -30...10, using: &random)) * 3600
    let version = OracleVersion(
      task: (model.current(id, at: date) ?? current).task, effectiveDate: date, isEnded: true)
    let reference = TaskReference(patient: patient, task: id)
    try change(to: version, id: id) { try $0.endTask(reference, at: date, now: $1) }
    return date
  }

  /// Does what makes `version`; the store refuses it exactly if the model does.
  private mutating func change(
    to version: OracleVersion, id: String, _ body: (any StoreWriter, Date) throws -> Any
  ) throws {
    var changed = model
    changed.tasks[id, default: []].append(version)
    let isAllowed = changed.keepsEverything(
      of: model, task: id, from: version.effectiveDate, to: now + 2 * 86_400)
    do {
      _ = try body(writer, now)
      #expect(isAllowed, "\(version)")
      model = changed
    } catch StoreError.refused(.hiddenOutcome) {
      #expect(!isAllowed, "\(version)")
    }
  }

  private mutating func setOutcome(_ random: inout SeededGenerator) throws {
    let due = try events().filter { $0.occurrence.start < now && $0.task.linkages.isEmpty }
    guard let event = due.randomElement(using: &random) else { return }
    let value = OutcomeValue.typed(Double(Int.random(in: 1...9, using: &random)))
    _ = try writer.setOutcome([value], of: event, now: now)
    model.outcomes[event.key] = value
  }

  private mutating func deleteOutcome(_ random: inout SeededGenerator) throws {
    let done = try events().filter { model.outcomes[$0.key] != nil }
    guard let event = done.randomElement(using: &random) else { return }
    _ = try writer.deleteOutcome(of: event.reference, now: now)
    model.outcomes[event.key] = nil
  }

  private mutating func measure(_ random: inout SeededGenerator) throws {
    if let index = model.samples.indices.randomElement(using: &random),
      Int.random(in: 0..<4, using: &random) == 0
    {
      let change: SampleChange = model.samples[index].counts ? .delete : .restore
      _ = try writer.change(
        .sample(model.samples[index].sample.identity), change, reason: nil, now: now)
      model.samples[index].counts.toggle()
      return
    }
    let sample = Sample.weight(
      Double(Int.random(in: 50...90, using: &random)),
      identity: "\(patient)|\(model.samples.count)", patient: patient,
      at: now - TimeInterval(Int.random(in: 0..<48 * 3600, using: &random)))
    #expect(try writer.insert(sample))
    model.samples.append((sample, true))
  }
}

// MARK: - The model

/// A version of a task, in the order of making.
private struct OracleVersion: CustomStringConvertible {
  var task: PlannedTask
  var effectiveDate: Date
  var isEnded: Bool
  /// The occurrences of its schedule until long after the history, one by one from the first.
  var occurrences: [(occurrence: ScheduleOccurrence, ordinal: Int)] = []

  init(task: PlannedTask, effectiveDate: Date, isEnded: Bool) {
    self.task = task
    self.effectiveDate = effectiveDate
    self.isEnded = isEnded
    var last: (start: Date, ordinal: Int)?
    while let next = task.schedule.occurrence(at: occurrences.count), next.start < day(20) {
      let ordinal = last?.start == next.start ? (last?.ordinal ?? 0) + 1 : 0
      last = (next.start, ordinal)
      occurrences.append((next, ordinal))
    }
  }

  var description: String {
    "\(task.id) ‘\(task.title)’ from \(effectiveDate), \(isEnded ? "ended" : "open")"
      + ", every \(task.schedule.elements[0].interval) since \(task.schedule.startDate)"
  }
}

/// An event as both sides see it.
private struct OracleEvent: Hashable {
  var key: EventKey
  var title: String
  var values: [Double]

  init(key: EventKey, title: String, values: [Double]) {
    self.key = key
    self.title = title
    self.values = values
  }

  init(_ event: Event) {
    key = event.key
    title = event.task.title
    values = (event.outcome?.values ?? []).compactMap(\.value.number).sorted()
  }
}

private struct HistoryOracle {
  /// The versions of each task, in the order of making; each closes those that begin later.
  var tasks: [String: [OracleVersion]] = [:]
  var outcomes: [EventKey: OutcomeValue] = [:]
  /// The tasks of the plan that was imported last.
  var order: [String] = []
  var samples: [(sample: Sample, counts: Bool)] = []

  /// The version in force: every later made one removes those that begin after it.
  private func inForce(_ id: String, at date: Date) -> OracleVersion? {
    var open: [OracleVersion] = []
    for version in tasks[id] ?? [] {
      open.removeAll { $0.effectiveDate >= version.effectiveDate }
      open.append(version)
    }
    return open.last { $0.effectiveDate <= date }
  }

  /// The version in force, else the first that will be.
  func current(_ id: String, at date: Date) -> OracleVersion? {
    inForce(id, at: date) ?? tasks[id]?.first
  }

  /// The starts of each version's occurrences, one by one from the first.
  func events(from: Date, to: Date) -> [OracleEvent] {
    var found: [OracleEvent] = []
    for (id, versions) in tasks {
      for (index, version) in versions.enumerated() where !version.isEnded {
        for (occurrence, ordinal) in version.occurrences where occurrence.start < to {
          guard occurrence.start >= from, owns(index, occurrence.start, id) else { continue }
          let key = EventKey(
            patient: version.task.patient, task: id, start: occurrence.start, ordinal: ordinal)
          found.append(
            OracleEvent(
              key: key, title: version.task.title, values: values(key, version.task, occurrence)))
        }
      }
    }
    return found.sorted {
      ($0.key.start, place(of: $0), $0.key.task, $0.key.ordinal)
        < ($1.key.start, place(of: $1), $1.key.task, $1.key.ordinal)
    }
  }

  private func place(of event: OracleEvent) -> Int {
    order.firstIndex(of: event.key.task) ?? order.count
  }

  private func owns(_ index: Int, _ start: Date, _ id: String) -> Bool {
    guard let owner = inForce(id, at: start), let version = tasks[id]?[index] else { return false }
    return !owner.isEnded && owner.effectiveDate == version.effectiveDate
      && owner.task == version.task
      && tasks[id]?.lastIndex { $0.effectiveDate == version.effectiveDate } == index
  }

  private func values(
    _ key: EventKey, _ task: PlannedTask, _ occurrence: ScheduleOccurrence
  ) -> [Double] {
    if let outcome = outcomes[key]?.value.number,
      task.linkage == nil || measured(occurrence).isEmpty
    {
      return [outcome]
    }
    return task.linkage == nil ? [] : manual(key) ?? measured(occurrence)
  }

  private func manual(_ key: EventKey) -> [Double]? {
    (outcomes[key]?.value.number).map { [$0] }
  }

  private func measured(_ occurrence: ScheduleOccurrence) -> [Double] {
    let end = occurrence.isAllDay ? occurrence.end + 1 : occurrence.end
    return samples.filter { sample, counts in
      counts && sample.start >= occurrence.start
        && (sample.start < end || sample.start == occurrence.start)
    }.map(\.sample.value).sorted()
  }

  /// When a version begins that has no date.
  func beginning(of version: OracleVersion, madeAt now: Date, today: Date) -> Date {
    let (id, tomorrow) = (version.task.id, today + 86_400)
    let versions = tasks[id] ?? []
    func isToday(_ date: Date) -> Bool { (today..<tomorrow).contains(date) }
    let last = versions.last?.task.schedule.startDate
    if isToday(version.task.schedule.startDate), !(last.map(isToday) ?? false) { return now }
    let old = events(from: today, to: tomorrow).filter { $0.key.task == id }
    let new = version.occurrences.map(\.occurrence).filter { isToday($0.start) }
    func isWhole(_ date: Date) -> Bool {
      old.filter { $0.key.start < date }.count + new.filter { $0.start >= date }.count == new.count
    }
    if isWhole(now) { return now }
    let begun = ([today] + versions.map(\.effectiveDate)).filter { $0 <= now }.max() ?? today
    let ends = versions.flatMap(\.occurrences).map(\.occurrence).filter { occurrence in
      old.contains { $0.key.start == occurrence.start && owns(occurrence, id) }
    }
    let isOver = (ends + new).contains { occurrence in
      max(occurrence.isAllDay ? occurrence.end + 1 : occurrence.end, occurrence.start + 1) <= now
    }
    let isAnswered = old.contains { !$0.values.isEmpty }
    return isWhole(begun) && !isOver && !isAnswered ? begun : tomorrow
  }

  /// Whether the version that owns an occurrence's start has this very occurrence.
  private func owns(_ occurrence: ScheduleOccurrence, _ id: String) -> Bool {
    inForce(id, at: occurrence.start)?.occurrences.contains { $0.occurrence == occurrence } ?? false
  }

  /// Whether every event of a task in a span that has an outcome in `old` has one here.
  func keepsEverything(
    of old: HistoryOracle, task id: String, from: Date, to: Date
  ) -> Bool {
    let kept = Set(events(from: from, to: to).filter { !$0.values.isEmpty }.map(\.key))
    return old.events(from: from, to: to)
      .filter { $0.key.task == id && !$0.values.isEmpty }
      .allSatisfy { kept.contains($0.key) }
  }
}
