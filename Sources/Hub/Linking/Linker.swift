import Care
import Foundation

/// Finds the events that a sample completes, and tells what changed.
///
/// The outcome of a linked event is computed from the samples in it, so storing a sample is all
/// there is to do; deleting it takes the completion back.
struct Linker {
  /// Where events are read.
  var reader: any StoreReader

  init(writer: any StoreReader) {
    reader = writer
  }

  /// The events of the patient's tasks that are linked to the sample's quantity and that it lies in.
  func linkedEvents(of sample: Sample, patient: String) throws -> [Event] {
    let linked = Set(
      try reader.taskVersions(patient: patient)
        .filter { $0.linkage?.quantity == sample.quantity }
        .map(\.id))
    guard !linked.isEmpty else { return [] }
    // An all-day event ends a second before midnight but takes samples up to midnight.
    let from = sample.start.addingTimeInterval(-1)
    let to = sample.end.addingTimeInterval(0.000_001)
    return try linked.sorted().flatMap { task in
      try reader.events(patient: patient, task: task, from: from, to: to)
        .filter { $0.takes(sample) }
    }
  }

  /// What became of each event.
  func changes(from before: [Event], to after: [Event], by sample: Sample) -> [HubReport] {
    let earlier = Dictionary(before.map { ($0.id, $0.progress) }) { first, _ in first }
    return after.compactMap { event in
      let progress = event.progress
      let previous = earlier[event.id]
      if progress.isCompleted {
        return previous?.isCompleted == true ? nil : .completed(event, progress, by: sample)
      }
      return previous == progress ? nil : .progressed(event, progress)
    }
  }
}
