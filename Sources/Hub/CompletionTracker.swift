import Actions
import Care
import Foundation

/// Finds the events that a sample completes, and reports the changes.
///
/// The outcome of a linked event is computed from its samples, so the tracker stores nothing. It
/// remembers the completed events, so that a heart rate every second does not read the day's
/// samples again each time.
struct CompletionTracker: Sendable {
  /// The most completed events that are remembered.
  static let memory = 1024

  private var completed: Set<EventReference> = []

  /// The events that take `sample`, without those that are known to be complete.
  func openEvents(
    of sample: Sample, in plan: PlanSnapshot, _ reader: any StoreReader
  ) throws -> [Event] {
    // An all-day event ends a second before midnight but takes samples up to midnight.
    let from = sample.start.addingTimeInterval(-1)
    let to = sample.end.addingTimeInterval(0.000_001)
    return try plan.linkedTasks.flatMap { history -> [Event] in
      guard let task = history.versions.first, task.patient == sample.patient else { return [] }
      let due = try history.events(from: from, to: to)
        .filter { $0.takes(sample) && !completed.contains($0.reference) }
      guard !due.isEmpty else { return [] }
      let wanted = Set(due.map(\.reference))
      return try reader.events(patient: task.patient, task: task.id, from: from, to: to)
        .filter { wanted.contains($0.reference) }
    }
  }

  /// The events that changed since `before`.
  mutating func changes(
    from before: [Event], to after: [Event], by sample: Sample
  ) -> [HubReport] {
    let earlier = Dictionary(before.map { ($0.reference, $0.progress) }) { first, _ in first }
    return after.compactMap { event in
      let progress = event.progress
      let previous = earlier[event.reference]
      guard progress.isCompleted else {
        return previous == progress ? nil : .progressed(event, progress, by: sample)
      }
      if completed.count >= Self.memory { completed.removeAll() }
      completed.insert(event.reference)
      return previous?.isCompleted == true ? nil : .completed(event, progress, by: sample)
    }
  }
}
