public import Foundation

/// One occurrence of a task, with what came of it.
///
/// Computed, never stored.
public struct Event: Hashable, Sendable, Identifiable {
  /// The version of the task that owns the occurrence.
  public var task: CareTask
  /// Which version of the task that is, counted from 1.
  public var version: Int
  /// The occurrence in that version's schedule.
  public var occurrence: ScheduleOccurrence
  /// What came of it, where anything did.
  public var outcome: Outcome?

  /// `<version uuid>_<occurrence>`, the same on every machine.
  public var id: String { "\(task.uuid.uuidString)_\(occurrence.index)" }

  /// Makes an event.
  public init(
    task: CareTask, version: Int, occurrence: ScheduleOccurrence, outcome: Outcome? = nil
  ) {
    self.task = task
    self.version = version
    self.occurrence = occurrence
    self.outcome = outcome
  }
}

/// One occurrence of a schedule.
public struct ScheduleOccurrence: Hashable, Sendable {
  /// Its position in the whole schedule, counted from the schedule's start, whatever was asked for.
  public var index: Int
  /// When it starts.
  public var start: Date
  /// When it ends: for an all-day one, one second before the next local midnight.
  public var end: Date
  /// Whether it takes a whole local day.
  public var isAllDay: Bool
  /// The element it comes from.
  public var element: ScheduleElement

  /// Makes an occurrence.
  public init(index: Int, start: Date, end: Date, isAllDay: Bool, element: ScheduleElement) {
    self.index = index
    self.start = start
    self.end = end
    self.isAllDay = isAllDay
    self.element = element
  }
}
