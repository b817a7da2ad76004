/// When a task is due: one or more elements, merged by start.
public struct Schedule: Hashable, Sendable {
  /// The elements, sorted by start.
  public let elements: [ScheduleElement]
}
