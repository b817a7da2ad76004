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
  /// The events that start on the day, and those that started before and last into it.
  public var events: [Event]
  /// How many unassigned samples are of this day.
  public var unassignedCount: Int

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
    self.init(
      start: start, end: end, timeZone: timeZone,
      patients: try reader.patients().filter { patient == nil || $0.id == patient },
      // An event that ended exactly at midnight belongs to the day before.
      events: try reader.events(patient: patient, task: nil, from: start, to: end, now: now)
        .filter { $0.occurrence.end > start || $0.occurrence.start >= start },
      unassignedCount: try reader.sampleCount(
        SampleQuery(owner: .unassigned, from: start, to: end)))
  }
}
