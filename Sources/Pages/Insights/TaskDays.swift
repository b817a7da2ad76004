import Care
import Foundation

/// The parts of one task that were done, by day.
struct TaskDays: Sendable {
  /// The task, as its latest event shows it.
  private(set) var task: CareTask
  /// The shares of what was due, by place of the day; of what is for when it is needed the times at
  /// which it was done.
  private(set) var fractions: [Int: DaySummary] = [:]
  /// The numbers of the outcomes, by kind and place of the day; `nil` is the plain kind.
  private(set) var values: [String?: [Int: DaySummary]] = [:]
  /// The unit of a kind's numbers.
  private(set) var units: [String?: UnitOfMeasure] = [:]
  /// The counts of due and missed occurrences, by time of day.
  private(set) var slots: [String: Slot] = [:]

  /// The counts of occurrences that were performed, and that reached their goal, by place of the day.
  private(set) var results: [Int: Results] = [:]

  /// The states of the occurrences of a day.
  struct Results: Hashable, Sendable {
    /// How many have a value or the answer that they were done.
    var performed = 0
    /// How many reached their goal.
    var reached = 0
  }

  /// The occurrences of a task at one time of the day.
  struct Slot: Hashable, Sendable {
    /// How many were due.
    var due = 0
    /// How many have neither a value nor an answer.
    var missed = 0
  }

  /// The part that was done on a day; `nil` if nothing was due.
  func fraction(_ place: Int) -> Double? { fractions[place]?.mean }

  /// Whether it was done, by day; days on which nothing was due are left out.
  var isDone: [Int: Bool] { fractions.mapValues { ($0.mean ?? 0) >= 1 } }

  /// The mean part of the days; `nil` if nothing was due on any.
  func adherence(_ places: Range<Int>) -> Double? {
    var sum = DaySummary()
    for place in places { fractions[place].map { sum.add($0) } }
    return sum.mean
  }

  /// The numbers that a person entered or measured of a kind, by day: the sum of plain values, the
  /// mean of answers.
  func daily(_ kind: String?) -> [Int: Double] {
    (values[kind] ?? [:]).compactMapValues { kind == nil ? $0.sum : $0.mean }
  }

  private init(_ task: CareTask) {
    self.task = task
  }

  /// Reads the tasks of a person on some days, in the plan's order.
  ///
  /// An event that is neither over nor done yet counts neither as done nor as missed.
  ///
  /// - Parameters:
  ///   - reader: The store.
  ///   - patient: The person.
  ///   - days: The days.
  ///   - now: The current time.
  ///   - body: The closure to call with each event, by day.
  /// - Throws: ``StoreError``.
  /// - Returns: The tasks that had an event, without those that are only for reading.
  static func all(
    _ reader: any StoreReader, patient: String, on days: DayGrid, now: Date,
    each body: (Event) -> Void = { _ in }
  ) throws -> [TaskDays] {
    var tasks: [String: TaskDays] = [:]
    var from = days.start
    // No more than the events of a month are in memory at a time.
    while from < days.end, from <= now {
      let place = days.place(of: from) ?? 0
      let to = days.starts.element(place + 30) ?? days.end
      let events = try reader.events(
        EventQuery(
          patient: patient, from: from, to: min(to, now + 1), now: now, omitsCrowded: true))
      for event in events where event.occurrence.start >= from {
        body(event)
        guard event.task.kind != .readOnly else { continue }
        tasks[event.task.id, default: TaskDays(event.task)].add(event, days: days, now: now)
      }
      from = to
    }
    let order = try reader.planOrder().filter { $0.patient == patient }.map(\.task)
    let places = Dictionary(
      order.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
    return tasks.values.sorted {
      (places[$0.task.id] ?? .max, $0.task.id) < (places[$1.task.id] ?? .max, $1.task.id)
    }
  }

  private mutating func add(_ event: Event, days: DayGrid, now: Date) {
    guard let place = days.place(of: event.occurrence.start) else { return }
    task = event.task
    for value in event.outcome?.values ?? [] {
      guard let number = value.value.number, number.isFinite else { continue }
      values[value.kind, default: [:]][place, default: DaySummary()].add(number)
      if let unit = value.unit { units[value.kind] = unit }
    }
    let state = event.state(at: now)
    guard ![.open, .later, .skipped, .notNeeded].contains(state) else { return }
    // An as-needed task is not due.
    guard !event.task.isOptional || event.isPerformed else { return }
    fractions[place, default: DaySummary()].add(event.share)
    if event.isPerformed {
      results[place, default: Results()].performed += 1
      if event.progress.isCompleted { results[place, default: Results()].reached += 1 }
    }
    guard !event.occurrence.isAllDay, !event.task.isOptional else { return }
    let local = LocalDateTime(event.occurrence.start, in: days.timeZone)
    let time = String(local.description.dropFirst(11).prefix(5))
    slots[time, default: Slot()].due += 1
    if state == .missed { slots[time, default: Slot()].missed += 1 }
  }
}
