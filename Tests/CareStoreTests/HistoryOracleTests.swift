import Care
import CareStore
import Foundation
import TestSupport
import Testing

/// Random histories of plans, edits, answers and samples, against a model that finds everything by
/// trying every version and every day: with pauses, cycles, last days of months, a stay in another
/// zone, answers of every kind, and spans that cross a border.
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

  private var now: Date { oracleDay(0) + TimeInterval(hour) * 3600 }
  private static let days = -2..<12

  private var window: (from: Date, to: Date) {
    (oracleDay(Self.days.lowerBound), oracleDay(Self.days.upperBound))
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
    try compareCounted(events)
  }

  /// Events that are only counted say the same of what counts.
  private func compareCounted(_ events: [Event]) throws {
    let counted = try writer.events(
      EventQuery(patient: patient, from: window.from, to: window.to, countsOnly: true)
    ).filter { $0.occurrence.start >= window.from }
    #expect(counted.map(\.key) == events.map(\.key))
    #expect(counted.map { $0.outcome?.values } == events.map { $0.outcome?.values })
    #expect(counted.map { $0.outcome?.answer.state } == events.map { $0.outcome?.answer.state })
    #expect(counted.map(\.progress) == events.map(\.progress))
  }

  private func events() throws -> [Event] {
    try writer.events(patient: patient, task: nil, from: window.from, to: window.to)
      .filter { $0.occurrence.start >= window.from }
  }

  private func compare(_ events: [Event]) {
    let expected = model.events(from: window.from, to: window.to)
    #expect(events.map(OracleEvent.init) == expected, "\(model.tasks)")
    for event in events {
      var counts = Adherence.Counts()
      counts.add(event)
      #expect(counts.excused == (event.outcome?.answer.state == .skipped ? 1 : 0))
      #expect(counts.due == 1 - counts.excused)
    }
    let found = Set(events.filter { $0.outcome != nil }.map(\.key))
    let stored = model.outcomes.keys.filter { (window.from..<window.to).contains($0.start) }
    #expect(found.isSuperset(of: stored), "an outcome has no event")
  }

  // MARK: Changes

  private func course(_ random: inout SeededGenerator) -> OracleCourse {
    var course = OracleCourse(
      firstDay: Int.random(in: -2..<6, using: &random),
      hour: Int.random(in: 0..<24, using: &random))
    switch Int.random(in: 0..<6, using: &random) {
    case 0: course.duration = .allDay
    case 1: (course.step, course.duration) = (.hours(8), .seconds(3600))
    case 2: (course.step, course.duration) = (.days(2), .seconds(73 * 3600))
    case 3: (course.isTwice, course.duration) = (true, .seconds(1800))
    default: break
    }
    func days(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
    if days(0...4) == 0 { course.lastDay = days(1...2) }
    if days(0...2) == 0 { course.cycle = StepSelection.Cycle(on: days(1...3), off: days(1...3)) }
    if days(0...2) == 0 {
      let from = days(-2...8)
      course.pause = from..<(days(0...2) == 0 ? Int.max : from + days(1...4))
    }
    if days(0...2) == 0 {
      course.stay = (
        days(-3...9), [tokyo, TimeZone(identifier: "Europe/Berlin") ?? .gmt][days(0...1)]
      )
    }
    return course
  }

  private mutating func importPlan(_ random: inout SeededGenerator) throws -> Date {
    let id = ["a", "b"].randomElement(using: &random) ?? "a"
    var course = course(&random)
    if let last = model.tasks[id]?.last, Bool.random(using: &random) { course = last.course }
    var task = PlannedTask(
      id: id, patient: patient, title: "\(Int.random(in: 0..<100, using: &random))",
      schedule: try course.schedule())
    switch Int.random(in: 0..<4, using: &random) {
    case 0: task.linkage = Linkage(quantity: .bodyMass, type: .discrete, unit: .kilogram)
    case 1: task.linkage = Linkage(quantity: .stepCount, type: .cumulative, unit: .one)
    default: break
    }
    if Int.random(in: 0..<3, using: &random) == 0 {
      task.effectiveDate = now + TimeInterval(Int.random(in: -72...72, using: &random)) * 3600
    }
    let isNew = model.tasks[id] == nil
    var version = OracleVersion(
      task: task, course: course, effectiveDate: task.effectiveDate ?? now, isEnded: false)
    if task.effectiveDate == nil {
      version.effectiveDate =
        isNew
        ? version.occurrences.first?.start ?? course.start
        : model.beginning(of: version, madeAt: now)
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
    let last = model.current(id, at: date) ?? current
    let version = OracleVersion(
      task: last.task, course: last.course, effectiveDate: date, isEnded: true)
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
    let state = Answer.State.allCases.randomElement(using: &random) ?? .done
    let due = try events().filter {
      $0.occurrence.start < now && ($0.task.linkages.isEmpty || state != .done)
    }
    guard let event = due.randomElement(using: &random) else { return }
    let value = OutcomeValue.typed(Double(Int.random(in: 1...9, using: &random)))
    let values = state == .done ? [value] : []
    _ = try writer.setOutcome(values, answer: Answer(state: state), of: event.reference, now: now)
    model.outcomes[event.key] = (state, values.first?.value.number)
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
    let start = now - TimeInterval(Int.random(in: 0..<48 * 3600, using: &random))
    if Bool.random(using: &random) {
      let sample = Sample.weight(
        Double(Int.random(in: 50...90, using: &random)), identity: identity, patient: patient,
        at: start)
      return try insert(sample)
    }
    // Steps of a walk that may cross a border; a second sensor may have counted the same walk, and
    // many walks end exactly where an event begins.
    let border = model.occurrences.randomElement(using: &random)?.start
    let length = TimeInterval(Int.random(in: 0...90, using: &random)) * 60
    let end = [border.map { min($0, now) }, nil].randomElement(using: &random) ?? nil
    for place in ["trunk", "left-wrist"].prefix(Int.random(in: 1...2, using: &random)) {
      let (from, to) = end.map { ($0 - length, $0) } ?? (start, start + length)
      try insert(
        .steps(Double(Int.random(in: 1...99, using: &random)), place, identity, patient, from, to))
    }
  }

  private var identity: String { "\(patient)|\(model.samples.count)" }

  private mutating func insert(_ sample: Sample) throws {
    #expect(try writer.insert(sample))
    model.samples.append((sample, true))
  }
}

// MARK: - The model

/// The day of December on which each history begins: the last one of a month is near.
private let dayOfDecember = 29

/// A midnight, counted from that of the histories' first day.
private func oracleDay(_ number: Int) -> Date { day(number + dayOfDecember - 7) }

private let tokyo = TimeZone(identifier: "Asia/Tokyo") ?? .gmt

/// When a task is due, as a person would say it.
private struct OracleCourse {
  enum Step {
    case days(Int)
    case hours(Int)
  }

  /// The first day, counted from that of the history.
  var firstDay: Int
  /// The hour of the day.
  var hour: Int
  var step = Step.days(1)
  var duration = EventDuration.seconds(7200)
  /// Whether each occurrence is there two times.
  var isTwice = false
  var cycle: StepSelection.Cycle?
  /// If given, only the last day of a month, every so many months from that of the first day.
  var lastDay: Int?
  /// The days without occurrences.
  var pause: Range<Int>?
  /// The zone in which the person is from a day on; steps of hours go on as they are.
  var stay: (from: Int, zone: TimeZone)?

  /// The local time of a day in a zone.
  private func time(_ day: Int, hour: Int, in zone: TimeZone) -> Date {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = zone
    return calendar.date(
      from: DateComponents(year: 2026, month: 12, day: dayOfDecember + day, hour: hour))
      ?? midnight
  }

  /// The zone of a day's steps.
  private func zone(on day: Int) -> TimeZone {
    if case .days = step, let stay, day >= stay.from { return stay.zone }
    return losAngeles
  }

  /// The first step, and the zone of its days.
  var start: Date { time(firstDay, hour: hour, in: startZone) }
  var startZone: TimeZone { zone(on: firstDay) }

  /// Whether a day of the calendar has steps.
  private func isDue(on day: Int) -> Bool {
    if let pause, pause.contains(day) { return false }
    // 31 December; of a history that begins in January none is left.
    if lastDay != nil, dayOfDecember + day != 31 { return false }
    guard let cycle else { return true }
    return (day - firstDay) % (cycle.on + cycle.off) < cycle.on
  }

  /// Every occurrence until long after the history, found day by day.
  var occurrences: [OracleOccurrence] {
    var found: [OracleOccurrence] = []
    switch step {
    case .days(let days):
      for day in stride(from: firstDay, to: 24, by: days) where isDue(on: day) {
        let zone = zone(on: day)
        switch duration {
        case .allDay:
          found.append(
            OracleOccurrence(
              start: time(day, hour: 0, in: zone), end: time(day + 1, hour: 0, in: zone)))
        case .seconds(let seconds):
          let start = time(day, hour: hour, in: zone)
          found.append(OracleOccurrence(start: start, end: start + seconds))
        }
      }
    case .hours(let hours):
      for start in stride(from: start, to: oracleDay(24), by: TimeInterval(hours) * 3600) {
        let passed = Int(
          saturating: (start.timeIntervalSince(oracleDay(0)) / 86_400).rounded(.down))
        guard isDue(on: passed), case .seconds(let seconds) = duration else { continue }
        found.append(OracleOccurrence(start: start, end: start + seconds))
      }
    }
    guard isTwice else { return found }
    return found.flatMap { one in
      var other = one
      other.ordinal = 1
      return [one, other]
    }
  }

  /// The same as a schedule.
  func schedule() throws -> Schedule {
    func date(_ day: Int) -> CalendarDate {
      CalendarDate(time(day, hour: 12, in: losAngeles), in: losAngeles)
    }
    let interval =
      switch step {
      case .days(let days): Interval(days: days)
      case .hours(let hours): Interval(hours: hours)
      }
    let pauses = pause.map {
      StepSelection.Pause(
        from: date($0.lowerBound), to: $0.upperBound == .max ? nil : date($0.upperBound))
    }
    let element = try ScheduleElement(
      start: time(firstDay, hour: hour, in: losAngeles), interval: interval, duration: duration,
      timeZone: losAngeles,
      selection: StepSelection(lastDay: lastDay, cycle: cycle, pauses: pauses.map { [$0] } ?? []))
    let parts =
      stay.map { element.moved(by: Stay(from: date($0.from), timeZone: $0.zone)) } ?? [element]
    return try Schedule(isTwice ? parts + parts : parts)
  }
}

private struct OracleOccurrence: Hashable {
  var start: Date
  /// The first instant that is no part of it.
  var end: Date
  var ordinal = 0
}

/// A version of a task, in the order of making.
private struct OracleVersion: CustomStringConvertible {
  var task: PlannedTask
  var course: OracleCourse
  var effectiveDate: Date
  var isEnded: Bool
  /// The occurrences of its course until long after the history.
  var occurrences: [OracleOccurrence]

  init(task: PlannedTask, course: OracleCourse, effectiveDate: Date, isEnded: Bool) {
    self.task = task
    self.course = course
    self.effectiveDate = effectiveDate
    self.isEnded = isEnded
    occurrences = course.occurrences
  }

  var description: String {
    "\(task.id) ‘\(task.title)’ from \(effectiveDate), \(isEnded ? "ended" : "open"), \(course)"
  }
}

/// An event as both sides see it.
private struct OracleEvent: Hashable {
  var key: EventKey
  var title: String
  var values: [Double]
  /// The answer; `nil` without an outcome.
  var state: Answer.State?

  init(key: EventKey, title: String, values: [Double], state: Answer.State?) {
    self.key = key
    self.title = title
    self.values = values
    self.state = state
  }

  init(_ event: Event) {
    key = event.key
    title = event.task.title
    values = (event.outcome?.values ?? []).compactMap(\.value.number).sorted()
    state = event.outcome?.answer.state
  }
}

private struct HistoryOracle {
  /// The versions of each task, in the order of making; each closes those that begin later.
  var tasks: [String: [OracleVersion]] = [:]
  var outcomes: [EventKey: (state: Answer.State, value: Double?)] = [:]
  /// The tasks of the plan that was imported last.
  var order: [String] = []
  var samples: [(sample: Sample, counts: Bool)] = []

  /// The occurrences of all versions.
  var occurrences: [OracleOccurrence] {
    tasks.keys.sorted().flatMap { tasks[$0, default: []].flatMap(\.occurrences) }
  }

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
        for occurrence in version.occurrences where occurrence.start < to {
          guard occurrence.start >= from, owns(index, occurrence.start, id) else { continue }
          let key = EventKey(
            patient: version.task.patient, task: id, start: occurrence.start,
            ordinal: occurrence.ordinal)
          let values = values(key, version.task, occurrence)
          found.append(
            OracleEvent(
              key: key, title: version.task.title, values: values,
              state: outcomes[key]?.state ?? (values.isEmpty ? nil : .done)))
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
    _ key: EventKey, _ task: PlannedTask, _ occurrence: OracleOccurrence
  ) -> [Double] {
    // An answer holds, whatever was measured.
    if let outcome = outcomes[key] { return outcome.value.map { [$0] } ?? [] }
    guard let linkage = task.linkage else { return [] }
    let counted = samples.filter { sample, counts in
      counts && sample.quantity == linkage.quantity && sample.start >= occurrence.start
        && (sample.start < occurrence.end || sample.start == occurrence.start)
    }.map(\.sample)
    guard linkage.type == .cumulative, !counted.isEmpty else {
      return counted.map(\.value).sorted()
    }
    // A measurement with a length is of where it began, and of two sensors over one span the higher counts.
    var sum = counted.filter { $0.start == $0.end }.map(\.value).reduce(0, +)
    for (_, same) in Dictionary(grouping: counted, by: { [$0.start, $0.end] }) {
      guard let one = same.first, one.start < one.end else { continue }
      let devices = Dictionary(grouping: same, by: \.device.address)
      sum += devices.values.map { $0.map(\.value).reduce(0, +) }.max() ?? 0
    }
    return [sum]
  }

  /// When a version begins that has no date.
  func beginning(of version: OracleVersion, madeAt now: Date) -> Date {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = version.course.startZone
    let (id, today) = (version.task.id, calendar.startOfDay(for: now))
    let tomorrow = today + 86_400
    let versions = tasks[id] ?? []
    func isToday(_ date: Date) -> Bool { (today..<tomorrow).contains(date) }
    let last = versions.last?.course.start
    if isToday(version.course.start), !(last.map(isToday) ?? false) { return now }
    let old = events(from: today, to: tomorrow).filter { $0.key.task == id }
    let new = version.occurrences.filter { isToday($0.start) }
    func isWhole(_ date: Date) -> Bool {
      old.filter { $0.key.start < date }.count + new.filter { $0.start >= date }.count == new.count
    }
    if isWhole(now) { return now }
    let begun = ([today] + versions.map(\.effectiveDate)).filter { $0 <= now }.max() ?? today
    let ends = versions.flatMap(\.occurrences).filter { occurrence in
      old.contains { $0.key.start == occurrence.start && owns(occurrence, id) }
    }
    let isOver = (ends + new).contains { occurrence in
      max(occurrence.end, occurrence.start + 1) <= now
    }
    let isAnswered = old.contains { $0.state != nil }
    return isWhole(begun) && !isOver && !isAnswered ? begun : tomorrow
  }

  /// Whether the version that owns an occurrence's start has this very occurrence.
  private func owns(_ occurrence: OracleOccurrence, _ id: String) -> Bool {
    inForce(id, at: occurrence.start)?.occurrences.contains(occurrence) ?? false
  }

  /// Whether every event of a task in a span that has an outcome in `old` has one here.
  func keepsEverything(
    of old: HistoryOracle, task id: String, from: Date, to: Date
  ) -> Bool {
    let kept = Set(events(from: from, to: to).filter { $0.state != nil }.map(\.key))
    return old.events(from: from, to: to)
      .filter { $0.key.task == id && $0.state != nil }
      .allSatisfy { kept.contains($0.key) }
  }
}

extension Sample {
  /// Steps that a sensor counted.
  fileprivate static func steps(
    _ count: Double, _ place: String, _ identity: String, _ patient: String, _ start: Date,
    _ end: Date
  ) -> Sample {
    Sample(
      identity: SampleIdentity(text: identity),
      reading: Reading(
        quantity: .stepCount, value: count, arrival: end,
        interval: start < end ? DateInterval(start: start, end: end) : nil,
        device: DeviceIdentity(address: DeviceID(place))),
      patient: patient, start: start, end: end)
  }
}
