import Care
import Foundation

/// Finds the events that a sample completes, and tells what changed.
///
/// The outcome of a linked event is computed from the samples in it, so storing a sample is all
/// there is to do; deleting it takes the completion back. What the linker adds is the news. It
/// remembers which events are complete, so that a heart rate a second does not read a day of them
/// again each time.
struct Linker: Sendable {
  /// How many completed events are remembered.
  static let memory = 1024

  private var completed: Set<EventReference> = []

  /// Where the events that `sample` lies in stand, those left out that are known to be complete.
  func openEvents(
    of sample: Sample, in context: PlanContext, _ reader: any StoreReader
  ) throws -> [Event] {
    // An all-day event ends a second before midnight but takes samples up to midnight.
    let from = sample.start.addingTimeInterval(-1)
    let to = sample.end.addingTimeInterval(0.000_001)
    return try context.linkedTasks.flatMap { history -> [Event] in
      guard let task = history.versions.first, task.patient == sample.patient else { return [] }
      let due = try history.events(from: from, to: to)
        .filter { $0.takes(sample) && !completed.contains($0.reference) }
      guard !due.isEmpty else { return [] }
      let wanted = Set(due.map(\.reference))
      return try reader.events(patient: task.patient, task: task.id, from: from, to: to)
        .filter { wanted.contains($0.reference) }
    }
  }

  /// What became of each event since `before`.
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
