public import Foundation

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
  /// - Throws: ``ScheduleError/tooManyOccurrences(limit:)`` for a span too long.
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

extension Event {
  /// What names it in a store.
  public var reference: EventReference {
    EventReference(taskUUID: task.uuid, occurrence: occurrence.index)
  }
}
