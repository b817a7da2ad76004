public import Foundation

/// One local day of a store: its people, its events and how many samples are unassigned.
public struct CareDay: Hashable, Sendable {
  /// The first moment of the day.
  public var start: Date
  /// The first moment of the next day.
  public var end: Date
  /// The zone whose day it is.
  public var timeZone: TimeZone
  /// The patients, by id.
  public var patients: [Patient]
  /// The events that start on the day, those of more than a day that last into it, and what began
  /// on the evening before as long as it is not over.
  public var events: [Event]
  /// How many unassigned samples are of this day.
  public var unassignedCount: Int
  /// The tasks of which there are more events than a list shows, which has none of them.
  public var crowded: [CareTask] = []

  /// Makes a day.
  public init(
    start: Date, end: Date, timeZone: TimeZone, patients: [Patient], events: [Event],
    unassignedCount: Int
  ) {
    self.start = start
    self.end = end
    self.timeZone = timeZone
    self.patients = patients
    self.events = events
    self.unassignedCount = unassignedCount
  }

  /// Reads the day that contains `date` in `timeZone`, of one patient or, for `nil`, of all.
  ///
  /// - Parameters:
  ///   - reader: The store.
  ///   - patient: The patient; `nil` for everyone.
  ///   - date: An instant of the day.
  ///   - timeZone: The zone whose day it is.
  ///   - now: The current time, so that a day that is not over has the tasks' newest words.
  /// - Throws: ``StoreError``.
  public init(
    _ reader: any StoreReader, patient: String?, on date: Date, in timeZone: TimeZone,
    now: Date? = nil
  ) throws {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = timeZone
    let start = calendar.startOfDay(for: date)
    let end = calendar.date(byAdding: .day, value: 1, to: start) ?? start.addingTimeInterval(86_400)
    let events = try reader.events(
      EventQuery(patient: patient, from: start, to: end, now: now, omitsCrowded: true))
    self.init(
      start: start, end: end, timeZone: timeZone,
      patients: try reader.patients().filter { patient == nil || $0.id == patient },
      events: events.filter { $0.occurrence.isOfDay(from: start, at: now) },
      unassignedCount: try reader.sampleCount(
        SampleQuery(owner: .unassigned, from: start, to: end)))
    crowded = try reader.crowdedTasks(patient: patient, besides: events, from: start, to: end)
  }
}

extension StoreReader {
  /// The tasks that a list of events has left out, since there are too many of each.
  ///
  /// - Parameters:
  ///   - patient: The patient; `nil` for everyone.
  ///   - events: The list: ``EventQuery/omitsCrowded``.
  ///   - from: The beginning of its span.
  ///   - to: The end.
  /// - Returns: The tasks.
  /// - Throws: ``StoreError``.
  package func crowdedTasks(
    patient: String?, besides events: [Event], from: Date, to: Date
  ) throws -> [CareTask] {
    let shown = Set(events.map { TaskReference(patient: $0.task.patient, task: $0.task.id) })
    return try histories(patient: patient).compactMap { history in
      guard let task = history.current(at: from),
        !shown.contains(TaskReference(patient: task.patient, task: task.id)),
        history.isCrowded(from: from, to: to)
      else { return nil }
      return task
    }
  }
}

extension ScheduleOccurrence {
  /// Whether a list of the day that begins at `start`, of which the occurrence has a part, has it.
  ///
  /// An occurrence over midnight is of the day on which it begins: it would be counted twice. The
  /// next day has it while it can still be done, and has one that lasts longer than a day.
  ///
  /// - Parameters:
  ///   - start: The first moment of the day.
  ///   - now: The current time; `nil` for a day as it was.
  /// - Returns: Whether it has.
  package func isOfDay(from start: Date, at now: Date? = nil) -> Bool {
    if self.start >= start { return true }
    // An occurrence that ends exactly at midnight has no part in the next day.
    guard end > start else { return false }
    // A whole day of another zone begins on what is the evening before here.
    if isAllDay || end.timeIntervalSince(self.start) > 86_400 { return true }
    return now.map { start <= $0 && $0 < end } ?? false
  }
}
