public import Foundation

/// A durable place for plans, samples and outcomes.
///
/// Everything is read and written in transactions: after a `write`, either all of its changes are
/// on the disk, or none.
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

/// Reads a store inside one transaction.
///
/// Every call throws ``StoreError``.
public protocol StoreReader {
  /// A number that grows with every import that changes a patient, a device, a task or the zone,
  /// and with every change to a calibration.
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
  /// The outcome of an event that is linked to a quantity is computed from its current samples,
  /// unless a person entered one.
  func events(patient: String?, task: String?, from: Date, to: Date) throws -> [Event]
  /// The samples of a query, oldest first, without deleted ones.
  func samples(_ query: SampleQuery) throws -> [Sample]
  /// The patient's sample with the latest start; among equals the one stored last.
  func latestSample(patient: String, quantity: Quantity) throws -> Sample?
  /// The short number of a stored sample in this store; `nil` if there is no such sample.
  func number(of identity: SampleIdentity) throws -> Int64?
  /// The sample with that number in this store.
  func identity(ofNumber number: Int64) throws -> SampleIdentity
  /// Whether a sample of this identity was ever stored, deleted or not.
  func contains(_ identity: SampleIdentity) throws -> Bool
}

/// Reads and changes a store inside one transaction.
///
/// Every call throws ``StoreError``.
public protocol StoreWriter: StoreReader {
  /// Imports a plan: new tasks, new versions of changed ones, patients and devices.
  ///
  /// - Parameters:
  ///   - plan: The whole plan.
  ///   - now: The moment of import.
  /// - Returns: The change of each task, in the plan's order.
  /// - Throws: ``StoreError``; nothing of the plan is then imported.
  func importPlan(_ plan: PlanDocument, now: Date) throws -> [PlanImportResult]
  /// Stores a sensor's calibration in place of its current one.
  func setCalibration(_ calibration: SensorCalibration) throws
  /// Deletes the calibration of a sensor.
  ///
  /// - Throws: ``StoreError/unknown(_:)`` if it has none.
  func deleteCalibration(of sensor: DeviceID) throws
  /// Stores a sample.
  ///
  /// - Returns: `false`, and nothing changes, if one of this identity was ever stored.
  func insert(_ sample: Sample) throws -> Bool
  /// Assigns an unassigned sample to a patient.
  func assign(_ identity: SampleIdentity, to patient: String, now: Date) throws -> Sample
  /// Marks a sample as deleted; its identity stays known.
  func deleteSample(_ identity: SampleIdentity, now: Date) throws -> Sample
  /// Makes `values` the event's outcome, replacing the current one.
  ///
  /// - Throws: ``StoreError/refused(_:)`` if a rule forbids it (a read-only task, a superseded or
  ///   missing occurrence, a future day, an assessment that is not resettable).
  func setOutcome(_ values: [OutcomeValue], of event: EventReference, now: Date) throws -> Event
  /// Adds outcomes of events that have none: all of them, or none.
  ///
  /// - Throws: ``StoreError/refused(_:)`` if an event has an outcome or is given twice, and as
  ///   ``setOutcome(_:of:now:)`` does.
  func addOutcomes(
    _ additions: [(event: EventReference, values: [OutcomeValue])], now: Date
  ) throws -> [Event]
  /// Deletes the event's outcome.
  func deleteOutcome(of event: EventReference, now: Date) throws -> Event
}

extension StoreWriter {
  /// Makes `values` the event's outcome, replacing the current one; as
  /// ``setOutcome(_:of:now:)-(_,EventReference,_)``.
  public func setOutcome(
    _ values: [OutcomeValue], of event: Event, now: Date
  ) throws -> Event {
    try setOutcome(values, of: event.reference, now: now)
  }
}

/// A selection of samples; what is `nil` does not narrow it.
public struct SampleQuery: Hashable, Sendable {
  /// The owner of the samples.
  public var owner: Owner
  /// The quantity.
  public var quantity: Quantity?
  /// The device.
  public var device: DeviceID?
  /// The start of the span that samples must touch; both ends count, so that a sample that ended
  /// exactly then is included.
  public var from: Date?
  /// The end of the span that samples must touch; a sample that starts exactly then is included.
  public var to: Date?
  /// The largest number of samples; the latest are returned.
  public var limit: Int?

  /// The owner of samples.
  public enum Owner: Hashable, Sendable {
    /// All samples.
    case anyone
    /// Those of the patient with this id.
    case patient(String)
    /// Those that belong to no patient.
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

/// The result of an import for one task.
public struct PlanImportResult: Hashable, Sendable {
  /// The task's patient.
  public var patient: String
  /// The task's id.
  public var task: String
  /// How it changed.
  public var change: Change

  /// How a task changed.
  public enum Change: Hashable, Sendable {
    /// The task is new.
    case added
    /// The task is the same as before.
    case unchanged
    /// A new version was made, with this number.
    case updated(version: Int)
  }

  /// Makes a result.
  public init(patient: String, task: String, change: Change) {
    self.patient = patient
    self.task = task
    self.change = change
  }
}
