public import Foundation

/// One occurrence of a task, with its outcome.
///
/// Computed, never stored.
public struct Event: Hashable, Sendable, Identifiable {
  /// The version of the task that owns the occurrence.
  public var task: CareTask
  /// Which version of the task that is, counted from 1.
  public var version: Int
  /// The occurrence in that version's schedule.
  public var occurrence: ScheduleOccurrence
  /// Its outcome, if it has one.
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

/// Identifies an event.
public struct EventReference: Hashable, Sendable {
  /// The version of the task.
  public var taskUUID: UUID
  /// The occurrence in that version's schedule.
  public var occurrence: Int

  /// Makes a reference.
  public init(taskUUID: UUID, occurrence: Int) {
    self.taskUUID = taskUUID
    self.occurrence = occurrence
  }
}

extension Event {
  /// Identifies the event in a store.
  public var reference: EventReference {
    EventReference(taskUUID: task.uuid, occurrence: occurrence.index)
  }
}

/// Events sort by start, then by their version's id as text, then by occurrence: the same on every
/// machine and for any order of input.
extension Event: Comparable {
  public static func < (a: Event, b: Event) -> Bool {
    guard a.occurrence.start == b.occurrence.start else {
      return a.occurrence.start < b.occurrence.start
    }
    let (first, second) = (a.task.uuid.uuidString, b.task.uuid.uuidString)
    return (first, a.occurrence.index) < (second, b.occurrence.index)
  }
}

// MARK: - Expansion

/// Joins versions, occurrences and outcomes into events.
public enum EventExpansion {
  /// The events of [from, to) with their outcomes, sorted.
  ///
  /// - Parameters:
  ///   - versions: All live versions of any number of tasks, oldest first within a task.
  ///   - outcomes: The live outcomes; those of other events are ignored.
  ///   - from: An event that ended exactly then is among them.
  ///   - to: An event that starts then is not.
  /// - Returns: The events, each with the outcome of its own version and occurrence.
  /// - Throws: ``ScheduleError/tooManyOccurrences(limit:)`` for too long a span.
  public static func events(
    versions: [CareTask], outcomes: [Outcome], from: Date, to: Date
  ) throws(ScheduleError) -> [Event] {
    let byEvent = Dictionary(
      outcomes.map { (EventReference(taskUUID: $0.taskUUID, occurrence: $0.occurrence), $0) },
      uniquingKeysWith: { _, last in last })
    var events: [Event] = []
    for history in histories(of: versions) {
      events += try history.events(from: from, to: to)
    }
    for index in events.indices {
      events[index].outcome = byEvent[events[index].reference]
    }
    return events.sorted()
  }

  /// The versions sorted into one history for each task of each patient, by patient and id.
  public static func histories(of versions: [CareTask]) -> [TaskHistory] {
    struct Key: Hashable {
      var patient: String
      var id: String
    }
    let groups = Dictionary(grouping: versions) { Key(patient: $0.patient, id: $0.id) }
    return groups.sorted { ($0.key.patient, $0.key.id) < ($1.key.patient, $1.key.id) }
      .map { TaskHistory($0.value) }
  }
}
