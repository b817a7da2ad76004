public import Foundation

/// A durable place for plans, samples and outcomes.
///
/// Everything is read and written in transactions: what a `write` body did is either all there
/// afterwards, on the disk, or nothing of it is.
public protocol Store: Sendable {
  /// Reads a consistent state.
  func read<T: Sendable>(
    _ body: @Sendable (any StoreReader) throws -> T
  ) async throws -> T

  /// Writes in one transaction, durable when it returns.
  ///
  /// A body that throws changes nothing.
  func write<T: Sendable>(
    _ body: @Sendable (any StoreWriter) throws -> T
  ) async throws -> T
}

/// What can be asked of a store inside one transaction.
///
/// Every call throws ``StoreError``.
public protocol StoreReader {
  /// A number that grows with every import that changes a patient, a device, a task or the zone, and
  /// with every change to a calibration.
  func planRevision() throws -> Int64
  /// The zone of the plan that was imported last; `nil` before the first.
  func planTimeZone() throws -> TimeZone?
  /// The patients, by id.
  func patients() throws -> [Patient]
  /// The device bindings, by address.
  func deviceBindings() throws -> [DeviceBinding]
  /// The calibrations of sensors, by address.
  func calibrations() throws -> [SensorCalibration]
  /// Every live version of the tasks of `patient` (of everyone for `nil`), oldest first within a
  /// task; deleted tasks are left out.
  func taskVersions(patient: String?) throws -> [CareTask]
  /// The events of [from, to), with their outcomes, sorted by start, task and occurrence.
  ///
  /// The outcome of an event that is linked to a quantity is computed from its samples as they are
  /// now; what a person typed in stands against them.
  func events(patient: String?, task: String?, from: Date, to: Date) throws -> [Event]
  /// Samples by what they are of and when they were, oldest first; deleted ones are left out.
  func samples(_ query: SampleQuery) throws -> [Sample]
  /// The patient's accepted sample with the latest start; among equals the one stored last.
  func latestSample(patient: String, quantity: Quantity) throws -> Sample?
  /// The short number that a stored sample goes by in this store; `nil` where there is none.
  func number(of identity: SampleIdentity) throws -> Int64?
  /// The sample that goes by that number in this store.
  func identity(ofNumber number: Int64) throws -> SampleIdentity
  /// Whether a sample of this identity was ever stored, deleted or not.
  func contains(_ identity: SampleIdentity) throws -> Bool
}

/// What can be changed inside one transaction.
///
/// Every call throws ``StoreError``.
public protocol StoreWriter: StoreReader {
  /// Takes over a plan: new tasks, next versions of changed ones, patients and devices.
  ///
  /// - Parameters:
  ///   - plan: The whole plan.
  ///   - now: The moment of import.
  /// - Returns: What became of each task, in the plan's order.
  /// - Throws: ``StoreError``; nothing of the plan is then taken over.
  func importPlan(_ plan: PlanDocument, now: Date) throws -> [PlanImportResult]
  /// Keeps a sensor's calibration in place of the one that it had.
  func setCalibration(_ calibration: SensorCalibration) throws
  /// Deletes the calibration of a sensor.
  ///
  /// - Throws: ``StoreError/unknown(_:)`` if it has none.
  func deleteCalibration(of sensor: DeviceID) throws
  /// Stores a sample.
  ///
  /// - Returns: `false`, and nothing changes, where one of this identity was ever stored.
  func insert(_ sample: Sample) throws -> Bool
  /// Gives an unassigned sample to a patient.
  func assign(_ identity: SampleIdentity, to patient: String, now: Date) throws -> Sample
  /// Leaves a tombstone in place of a sample, which stays known.
  func deleteSample(_ identity: SampleIdentity, now: Date) throws -> Sample
  /// Makes `values` the event's outcome, replacing what was there.
  ///
  /// - Throws: ``StoreError/refused(_:)`` where a rule forbids it (a read-only task, a covered or
  ///   missing occurrence, a future day, an assessment that is not resettable).
  func setOutcome(_ values: [OutcomeValue], of event: EventReference, now: Date) throws -> Event
  /// Adds outcomes of events that have none: all of them, or none.
  ///
  /// - Throws: ``StoreError/refused(_:)`` where an event has an outcome, or is among them twice, and
  ///   as ``setOutcome(_:of:now:)`` does.
  func addOutcomes(
    _ additions: [(event: EventReference, values: [OutcomeValue])], now: Date
  ) throws -> [Event]
  /// Takes the event's outcome away.
  func deleteOutcome(of event: EventReference, now: Date) throws -> Event
}

extension StoreWriter {
  /// Makes `values` the event's outcome, replacing what was there; as
  /// ``setOutcome(_:of:now:)-(_,EventReference,_)``.
  public func setOutcome(
    _ values: [OutcomeValue], of event: Event, now: Date
  ) throws -> Event {
    try setOutcome(values, of: event.reference, now: now)
  }
}

/// Which event is meant.
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

/// Which samples are asked for; what is `nil` does not narrow.
public struct SampleQuery: Hashable, Sendable {
  /// Whose samples.
  public var owner: Owner
  /// Of what.
  public var quantity: Quantity?
  /// From which device.
  public var device: DeviceID?
  /// Those whose [start, end] meets [from, to]: both ends count, so that a sample that ended
  /// exactly at `from` is among them.
  public var from: Date?
  /// See `from`.
  public var to: Date?
  /// At most so many, the latest.
  public var limit: Int?

  /// Whose samples a query is about.
  public enum Owner: Hashable, Sendable {
    case anyone
    case patient(String)
    case unassigned
  }

  /// Makes a query.
  public init(
    owner: Owner = .anyone, quantity: Quantity? = nil, device: DeviceID? = nil, from: Date? = nil,
    to: Date? = nil, limit: Int? = nil
  ) {
    self.owner = owner
    self.quantity = quantity
    self.device = device
    self.from = from
    self.to = to
    self.limit = limit
  }
}

/// What an import did with one task.
public struct PlanImportResult: Hashable, Sendable {
  /// Whose task.
  public var patient: String
  /// The task's id.
  public var task: String
  /// What became of it.
  public var change: Change

  /// What became of a task.
  public enum Change: Hashable, Sendable {
    case added
    case unchanged
    /// A next version was made, with this number.
    case updated(version: Int)
  }

  /// Makes a result.
  public init(patient: String, task: String, change: Change) {
    self.patient = patient
    self.task = task
    self.change = change
  }
}
