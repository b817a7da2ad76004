import Actions
public import Assessments
public import Care
public import DeviceCatalog
public import Foundation
public import Radio

/// A report of the hub; reports come in the order of the events.
public enum HubReport: Hashable, Sendable {
  /// A reading was stored for a patient.
  case stored(Sample)
  /// A reading was stored unassigned; the sample has the reason.
  case unassigned(Sample)
  /// A reading was stored, and not taken as a measurement: the device's definition discards it, or its
  /// value is none that the quantity can have.
  case notTaken(Sample)
  /// A reading of a person of whom nothing is stored under a name; it waits for no assignment.
  case disowned(Sample)
  /// A reading is in the store already.
  case duplicate(Reading)
  /// A reading of a room or a battery was not stored: its device is no patient's.
  case passedOver(Reading)
  /// An event progressed without reaching its goal.
  case progressed(Event, EventProgress, by: Sample)
  /// The sample completed the event.
  case completed(Event, EventProgress, by: Sample)
  /// The active task of an event was performed, and could not be measured.
  case notMeasured(Event, UnmeasuredReason)
  /// A command to a device failed.
  case linkFailed(LinkReport)
  /// The radio refused a command.
  case radioRefused(RadioError)
  /// A device's session reported a state that a person who looks for a fault needs to know.
  case device(SessionNote)
  /// A frame of a device was refused.
  case rejected(RejectedFrame)
  /// The device's clock is wrong by that many seconds, more if it is ahead: its readings are dated
  /// by their arrival.
  case wrongClock(Reading, error: TimeInterval)
  /// This machine's clock was set forward by that many seconds, back if negative.
  case clockSet(by: TimeInterval)
  /// The store refused a reading.
  case refusedReading(Reading, StoreError.Refusal)
  /// Nothing was counted of a running total.
  case uncounted(Reading, UncountedReason)
  /// The store refused the outcome of a performed measurement.
  case refusedOutcome(Event, StoreError.Refusal)
}

/// Why an active task was not measured.
public enum UnmeasuredReason: Hashable, Sendable {
  /// The assessment refuses its recording.
  case refused(AssessmentRefusal)
  /// The sensor's motion, like this reading of it, belongs to no patient.
  case unassigned(UnassignedReason, Reading)
}

/// The counts of a run.
public struct HubSummary: Hashable, Sendable {
  /// Radio events processed.
  public var events = 0
  /// Readings stored for a patient.
  public var stored = 0
  /// Readings stored unassigned.
  public var unassigned = 0
  /// Readings stored, and not taken as measurements.
  public var notTaken = 0
  /// Readings that were stored already.
  public var duplicates = 0
  /// Events completed.
  public var completed = 0
  /// Frames and readings that were refused.
  public var rejected = 0
  /// Readings of rooms and batteries that were not stored, since their device is no patient's.
  public var passedOver = 0
  /// The first such device.
  public var passedOverDevice: DeviceID?

  /// An empty summary.
  public init() {}

  /// Whether no reading came of the events, new or known.
  public var isEmpty: Bool {
    stored + unassigned + notTaken + duplicates + rejected + passedOver == 0
  }

  /// Counts one report.
  public mutating func count(_ report: HubReport) {
    switch report {
    case .stored: stored += 1
    case .unassigned: unassigned += 1
    case .notTaken: notTaken += 1
    case .duplicate: duplicates += 1
    case .completed: completed += 1
    case .rejected, .refusedReading: rejected += 1
    case .passedOver(let reading):
      passedOver += 1
      passedOverDevice = passedOverDevice ?? reading.device.address
    case .progressed, .notMeasured, .linkFailed, .radioRefused, .device, .refusedOutcome,
      .wrongClock, .disowned, .uncounted, .clockSet:
      break
    }
  }
}

// MARK: - Completion tracker

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
