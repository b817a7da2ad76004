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
  // MARK: The plan

  /// A number that grows with every change of a patient, a device, a task, its place in the plan,
  /// the zone or a calibration.
  func planRevision() throws -> Int64
  /// The zone of the plan that was imported last; `nil` before the first.
  func planTimeZone() throws -> TimeZone?
  /// The tasks in the order of the plan that was imported last.
  func planOrder() throws -> [TaskReference]
  /// The patients, by id, without deleted ones.
  func patients() throws -> [Patient]
  /// The device bindings, by address.
  func deviceBindings() throws -> [DeviceBinding]
  /// The calibrations of sensors, by address.
  func calibrations() throws -> [SensorCalibration]
  /// The tasks of `patient` (of everyone for `nil`) with all their versions, by patient and id;
  /// deleted tasks are left out.
  func histories(patient: String?) throws -> [TaskHistory]
  /// The deleted tasks of `patient` (of everyone for `nil`) as they were, by patient and id.
  func deletedHistories(patient: String?) throws -> [TaskHistory]
  /// The things of one kind, by patient and id.
  ///
  /// `patient` says whose, `nil` for everyone's; `isDeleted` whether the deleted ones are asked for,
  /// as they were last, or the others.
  func things<Thing: PlanThing>(
    _ type: Thing.Type, patient: String?, isDeleted: Bool
  ) throws -> [Thing]
  /// The unsettled changes that several stores made independently, by kind, patient and id.
  func conflicts() throws -> [PlanConflict]
  /// The events that several stores answered independently and differently, by patient, task and
  /// start; the next answer settles it.
  func outcomeConflicts() throws -> [OutcomeConflict]

  // MARK: Events

  /// The events of a span with their outcomes, in the order of ``EventOrder``.
  ///
  /// The outcome of an event that is linked to a quantity is computed from its current samples,
  /// unless a person entered one.
  func events(_ query: EventQuery) throws -> [Event]

  // MARK: Samples

  /// The samples of a query, oldest first.
  func samples(_ query: SampleQuery) throws -> [Sample]
  /// How many samples a query has; a day of a stream costs no more than a single sample.
  func sampleCount(_ query: SampleQuery) throws -> Int
  /// The patient's sample with the latest start; among equals the one stored last.
  func latestSample(patient: String, quantity: Quantity) throws -> Sample?
  /// The short number of a stored sample in this store; `nil` for a streamed one, and if there is
  /// no such sample.
  func number(of identity: SampleIdentity) throws -> Int64?
  /// The sample with that number in this store.
  func identity(ofNumber number: Int64) throws -> SampleIdentity
  /// The sample of that identity, in whatever state; `nil` if none was ever stored.
  func sample(_ identity: SampleIdentity) throws -> Sample?
  /// What people changed of a sample, oldest first; of a correction, its making comes first.
  func changes(of identity: SampleIdentity) throws -> [SampleChangeRecord]
  /// The latest change of whose a sample is; `nil` if it is as it was stored.
  func assignment(of sample: Sample) throws -> SampleAssignment?
  /// Whether a sample of this reading was ever stored, in any state.
  func contains(_ reading: Reading, identity: SampleIdentity) throws -> Bool
}

extension StoreReader {
  /// Every version of the tasks of `patient` (of everyone for `nil`), in the order of versions
  /// within a task; deleted tasks are left out.
  public func taskVersions(patient: String?) throws -> [CareTask] {
    try histories(patient: patient).flatMap(\.versions)
  }

  /// How many samples a query has.
  public func sampleCount(_ query: SampleQuery) throws -> Int {
    try samples(query).count
  }

  /// The events of [from, to), with their outcomes.
  public func events(
    patient: String?, task: String?, from: Date, to: Date, now: Date? = nil
  ) throws -> [Event] {
    try events(EventQuery(patient: patient, task: task, from: from, to: to, now: now))
  }

  /// The things of one kind that are not deleted, by patient and id.
  public func things<Thing: PlanThing>(
    _ type: Thing.Type, patient: String? = nil
  ) throws -> [Thing] {
    try things(type, patient: patient, isDeleted: false)
  }
}

/// Reads and changes a store inside one transaction.
///
/// Every call throws ``StoreError``.
public protocol StoreWriter: StoreReader {
  // MARK: The plan

  /// Imports a plan: new tasks, new versions of changed ones, patients and devices.
  ///
  /// It is the truth from its effective date on: versions of its tasks that would take effect later
  /// are closed. A task that a person ended, changed or deleted since the last import stays so
  /// unless the plan changed it, too.
  ///
  /// - Parameters:
  ///   - plan: The whole plan.
  ///   - options: What to do with what the plan no longer holds.
  ///   - now: The moment of import.
  /// - Returns: Each change, and what the store has that the plan does not hold.
  /// - Throws: ``StoreError``; nothing of the plan is then imported. An import that would leave an
  ///   outcome without its event is refused.
  func importPlan(
    _ plan: PlanDocument, options: PlanImportOptions, now: Date
  ) throws -> PlanImportReport
  /// Takes the last import back: its versions count no longer, and the devices and the zone are
  /// what they were before it.
  ///
  /// - Throws: ``StoreError/refused(_:)`` if there is none left.
  func undoImport(now: Date) throws -> PlanImportReport
  /// Stores a next version of a patient, contact, care plan, note or message; nothing if it is the
  /// same as the current one.
  ///
  /// - Returns: Whether anything changed.
  func put<Thing: PlanThing>(_ thing: Thing, now: Date) throws -> Bool
  /// Adds a version of a task that takes its place among the others by its effective date.
  ///
  /// - Throws: ``StoreError/unknown(_:)`` for a task that the store does not have.
  func addVersion(of task: PlannedTask, effectiveDate: Date, now: Date) throws -> CareTask
  /// Ends a task at an instant: nothing begins from then on, and nothing before changes.
  func endTask(_ task: TaskReference, at date: Date, now: Date) throws -> CareTask
  /// Hides a thing and its history from every query.
  func delete(_ thing: ThingReference, now: Date) throws
  /// Shows a deleted thing and its history again, or lets an ended task go on from `date` on.
  func revive(_ thing: ThingReference, at date: Date, now: Date) throws
  /// Gives a patient another id; history, devices and weights go along.
  ///
  /// - Throws: ``StoreError/refused(_:)`` if the new id is taken.
  func renamePatient(_ id: String, to newID: String, now: Date) throws
  /// Settles a conflict: one version follows all others, the shown one for `nil`.
  ///
  /// Another version than the shown one is in force from its own effective date on.
  ///
  /// - Throws: ``StoreError/refused(_:)`` if there is no conflict, or if outcomes would be left
  ///   without their event; ``StoreError/unknown(_:)`` for a version that is not one of the
  ///   conflict's.
  func settle(_ thing: ThingReference, version: UUID?, now: Date) throws
  /// Removes the bindings of a device; its readings are then attributed by evidence.
  func unbind(_ device: DeviceID, now: Date) throws
  /// Stores a sensor's calibration in place of its current one.
  func setCalibration(_ calibration: SensorCalibration) throws
  /// Deletes the calibration of a sensor.
  ///
  /// - Throws: ``StoreError/unknown(_:)`` if it has none.
  func deleteCalibration(of sensor: DeviceID) throws

  // MARK: Samples

  /// Stores a sample.
  ///
  /// - Returns: `false`, and nothing changes, if one of this identity was ever stored.
  func insert(_ sample: Sample) throws -> Bool
  /// Changes whose samples are, or whether they count; what was measured stays.
  ///
  /// A single reading takes its companions along: what the same device measured with it. The
  /// change is kept with its date, author and reason, and the latest one holds.
  ///
  /// - Returns: The changed samples as they are now; those of a span without its streamed ones.
  /// - Throws: ``StoreError/unknown(_:)`` for a sample or patient that the store does not have.
  func change(
    _ selection: SampleSelection, _ change: SampleChange, reason: String?, now: Date
  ) throws -> SampleChangeResult
  /// Puts a value that a person enters in the place of a measured one, which stays as its origin.
  ///
  /// `value` is in the quantity's canonical unit; `source` is the value as it was entered, if in
  /// another unit.
  func correct(
    _ identity: SampleIdentity, value: Double, source: SourceValue?, reason: String?, now: Date
  ) throws -> Sample

  // MARK: Outcomes

  /// Makes `values` with `answer` the event's outcome, replacing the current one.
  ///
  /// Numbers for a task that is linked to a quantity are stored as samples of it.
  ///
  /// - Throws: ``StoreError/refused(_:)`` if a rule forbids it (a read-only task, an occurrence of
  ///   another version, a future day, an assessment that is not resettable, a value outside its
  ///   question's limits).
  func setOutcome(
    _ values: [OutcomeValue], answer: Answer, of event: EventReference, now: Date
  ) throws -> Event
  /// Adds outcomes of events that have none: all of them, or none.
  ///
  /// - Throws: ``StoreError/refused(_:)`` if an event has an outcome or is given twice, and as
  ///   ``setOutcome(_:answer:of:now:)`` does.
  func addOutcomes(
    _ additions: [(event: EventReference, values: [OutcomeValue])], now: Date
  ) throws -> [Event]
  /// Deletes the event's outcome, and the samples that a person entered for it.
  func deleteOutcome(of event: EventReference, now: Date) throws -> Event

  // MARK: Everything

  /// Removes every value, raw byte and name of a patient from the store.
  ///
  /// A mark without a name stays, so that no later import brings them back. The file itself is
  /// cleaned when the transaction ends.
  func erase(patient: String, now: Date) throws
}

extension StoreWriter {
  /// Imports a plan without further options.
  public func importPlan(_ plan: PlanDocument, now: Date) throws -> PlanImportReport {
    try importPlan(plan, options: PlanImportOptions(), now: now)
  }

  /// Shows a deleted thing and its history again, or lets an ended task go on from now on.
  public func revive(_ thing: ThingReference, now: Date) throws {
    try revive(thing, at: now, now: now)
  }

  /// Settles a conflict: the shown version follows all others.
  public func settle(_ thing: ThingReference, now: Date) throws {
    try settle(thing, version: nil, now: now)
  }

  /// Makes `values` the event's outcome: the event is done.
  public func setOutcome(
    _ values: [OutcomeValue], of event: EventReference, now: Date
  ) throws -> Event {
    try setOutcome(values, answer: .done, of: event, now: now)
  }

  /// Makes `values` the event's outcome: the event is done.
  public func setOutcome(_ values: [OutcomeValue], of event: Event, now: Date) throws -> Event {
    try setOutcome(values, answer: .done, of: event.reference, now: now)
  }
}

// MARK: - Queries

/// A span of events; what is `nil` does not narrow it.
public struct EventQuery: Hashable, Sendable {
  /// The patient.
  public var patient: String?
  /// The task's id.
  public var task: String?
  /// The beginning: an event that ended exactly then is included.
  public var from: Date
  /// The end: an event that starts then is not included.
  public var to: Date
  /// The current time, so that an event of a day that is not over has its task's newest words.
  ///
  /// `nil` for the words of the version that owns it.
  public var now: Date?

  /// Makes a query.
  public init(
    patient: String? = nil, task: String? = nil, from: Date, to: Date, now: Date? = nil
  ) {
    self.patient = patient
    self.task = task
    self.from = from
    self.to = to
    self.now = now
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
  /// The states that are asked for.
  public var states: Set<Sample.State>

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
    to: Date? = nil, limit: Int? = nil, states: Set<Sample.State> = [.live]
  ) {
    self.owner = owner
    self.quantity = quantity
    self.device = device
    self.from = from
    self.to = to
    self.limit = limit
    self.states = states
  }
}

// MARK: - Changes of samples

/// Which samples to change.
public enum SampleSelection: Hashable, Sendable {
  /// One sample, with what was measured together with it.
  case sample(SampleIdentity)
  /// Everything that a device measured from `from` (inclusive) to `to` (exclusive), by start.
  case span(device: DeviceID, from: Date?, to: Date?)
}

/// What to change of samples.
public enum SampleChange: Hashable, Sendable {
  /// They belong to this patient.
  case assign(patient: String)
  /// They belong to no patient yet: they go back to the tray.
  case unassign
  /// They belong to no patient of this plan.
  case disown
  /// They count no longer.
  case delete
  /// They count again.
  case restore
}

/// What a person changed of a sample, and why.
public struct SampleChangeRecord: Hashable, Sendable {
  /// What.
  public var change: SampleChange
  /// Why, as the person said.
  public var reason: String?
  /// When.
  public var date: Date

  /// Makes a record.
  public init(change: SampleChange, reason: String?, date: Date) {
    self.change = change
    self.reason = reason
    self.date = date
  }
}

/// A stored change of whose a sample is.
public struct SampleAssignment: Hashable, Sendable {
  /// Why it was changed.
  public var reason: String?
  /// When it was changed.
  public var date: Date

  /// Makes an assignment.
  public init(reason: String?, date: Date) {
    self.reason = reason
    self.date = date
  }
}

/// What a change of samples did.
public struct SampleChangeResult: Hashable, Sendable {
  /// The changed samples as they are now, without streamed ones.
  public var samples: [Sample]
  /// How many streamed samples changed, too.
  public var streamedCount: Int

  /// Makes a result.
  public init(samples: [Sample], streamedCount: Int) {
    self.samples = samples
    self.streamedCount = streamedCount
  }
}

// MARK: - Things of a plan

/// A kind of thing that a store keeps versions of.
public enum ThingKind: String, Hashable, Sendable, CaseIterable, Codable {
  case patient, task, carePlan, contact, note, message
}

/// Something in a plan that is stored in versions: a patient, a contact, a note.
///
/// Tasks have a type of their own, ``CareTask``, since several of their versions are in use.
public protocol PlanThing: Codable, Hashable, Sendable {
  /// Which kind it is.
  static var kind: ThingKind { get }
  /// Its id, unique within its kind and patient.
  var id: String { get set }
  /// Whose it is; a patient is their own.
  var owner: String { get set }
}

extension Patient: PlanThing {
  public static var kind: ThingKind { .patient }

  /// The patient's own id.
  public var owner: String {
    get { id }
    set { id = newValue }
  }
}

extension CarePlan: PlanThing {
  public static var kind: ThingKind { .carePlan }

  /// The patient's id.
  public var owner: String {
    get { patient }
    set { patient = newValue }
  }
}

extension Note: PlanThing {
  public static var kind: ThingKind { .note }

  /// The patient's id.
  public var owner: String {
    get { patient }
    set { patient = newValue }
  }
}

extension Message: PlanThing {
  public static var kind: ThingKind { .message }

  /// The patient's id.
  public var owner: String {
    get { patient }
    set { patient = newValue }
  }
}

extension Contact: PlanThing {
  public static var kind: ThingKind { .contact }

  /// The patient's id; empty for a contact of every patient.
  public var owner: String {
    get { patient ?? "" }
    set { patient = newValue.isEmpty ? nil : newValue }
  }
}

/// Identifies a thing of a plan.
public struct ThingReference: Hashable, Sendable {
  /// Which kind it is.
  public var kind: ThingKind
  /// Whose it is; a patient is their own.
  public var patient: String
  /// Its id.
  public var id: String

  /// Makes a reference.
  public init(_ kind: ThingKind, patient: String, id: String) {
    self.kind = kind
    self.patient = patient
    self.id = id
  }

  /// The reference of a patient.
  public static func patient(_ id: String) -> ThingReference {
    ThingReference(.patient, patient: id, id: id)
  }

  /// The reference of a task.
  public static func task(_ task: TaskReference) -> ThingReference {
    ThingReference(.task, patient: task.patient, id: task.task)
  }
}

/// Something that several stores changed independently.
public struct PlanConflict: Hashable, Sendable {
  /// What.
  public var thing: ThingReference
  /// The version that is shown: the newest of those that no other follows.
  public var shownVersion: Version
  /// The others of them, newest first.
  public var otherVersions: [Version]

  /// The id of the version that is shown.
  public var shown: UUID { shownVersion.id }
  /// The ids of the others, newest first.
  public var others: [UUID] { otherVersions.map(\.id) }
  /// All of them, the shown one first.
  public var versions: [Version] { [shownVersion] + otherVersions }

  /// One of the versions.
  public struct Version: Hashable, Sendable, Identifiable {
    /// Its id.
    public var id: UUID
    /// When it was made.
    public var createdDate: Date
    /// When a task's version takes effect.
    public var effectiveDate: Date
    /// The title or name.
    public var title: String?
    /// Whether an import of a plan made it, rather than a person.
    public var isImported: Bool
    /// Whether it ends the task.
    public var isEnded: Bool
    /// Whether it deletes the thing.
    public var isDeleted: Bool
    /// Whether it was made in this store, rather than in another one.
    public var isOwn: Bool
    /// The keys, as in a plan, in which it differs from the shown version, sorted.
    public var differences: [String]

    /// Makes a version.
    public init(
      id: UUID, createdDate: Date, effectiveDate: Date, title: String?, isImported: Bool = false,
      isEnded: Bool = false, isDeleted: Bool = false, isOwn: Bool = true,
      differences: [String] = []
    ) {
      self.id = id
      self.createdDate = createdDate
      self.effectiveDate = effectiveDate
      self.title = title
      self.isImported = isImported
      self.isEnded = isEnded
      self.isDeleted = isDeleted
      self.isOwn = isOwn
      self.differences = differences
    }
  }

  /// Makes a conflict.
  public init(thing: ThingReference, shown: Version, others: [Version]) {
    self.thing = thing
    shownVersion = shown
    otherVersions = others
  }
}

/// An event that several stores answered independently.
public struct OutcomeConflict: Hashable, Sendable {
  /// Which event.
  public var event: EventKey
  /// The outcome that is shown, or the deletion that hides it: the newest.
  public var shown: UUID
  /// The others, newest first.
  public var others: [UUID]

  /// Makes a conflict.
  public init(event: EventKey, shown: UUID, others: [UUID]) {
    self.event = event
    self.shown = shown
    self.others = others
  }
}

// MARK: - Imports

/// How a plan is imported.
public struct PlanImportOptions: Hashable, Sendable {
  /// Whether tasks that the plan no longer holds end, and devices are unbound.
  public var prunes: Bool
  /// Whether outcomes may be left without their event.
  public var dropsOutcomes: Bool
  /// Whether what both the plan and a person changed is refused.
  public var isStrict: Bool
  /// Whether `now` is the machine's own time, not a recording's: a version whose date lies ahead only
  /// because the clock was ahead when it was imported is then replaced.
  public var isLive: Bool

  /// Makes options.
  public init(
    prunes: Bool = false, dropsOutcomes: Bool = false, isStrict: Bool = false, isLive: Bool = false
  ) {
    self.prunes = prunes
    self.dropsOutcomes = dropsOutcomes
    self.isStrict = isStrict
    self.isLive = isLive
  }
}

/// What an import did.
public struct PlanImportReport: Hashable, Sendable {
  /// Each person, device, zone, task and other thing, in the plan's order; then what is missing.
  public var lines: [Line]

  /// What an import did with one thing.
  public struct Line: Hashable, Sendable {
    /// Which kind of thing.
    public var kind: Kind
    /// The task's patient; `nil` for what belongs to none.
    public var patient: String?
    /// Its id, address or name.
    public var id: String
    /// What happened.
    public var change: Change
    /// The version of a task that is now the newest.
    public var version: Int?
    /// The effective dates of versions that were to take effect later, and now never will.
    public var closed: [Date]
    /// What a person did since the last import, which stays.
    public var kept: Kept?

    /// Makes a line.
    public init(
      kind: Kind, patient: String? = nil, id: String, change: Change, version: Int? = nil,
      closed: [Date] = [], kept: Kept? = nil
    ) {
      self.kind = kind
      self.patient = patient
      self.id = id
      self.change = change
      self.version = version
      self.closed = closed
      self.kept = kept
    }
  }

  /// The kinds of things that an import reports.
  public enum Kind: String, Hashable, Sendable, CaseIterable, Codable {
    case zone, patient, device, calibration, task, carePlan, contact, note, order
  }

  /// What an import did.
  public enum Change: String, Hashable, Sendable, CaseIterable, Codable {
    /// It is new.
    case added
    /// It differs from before.
    case updated
    /// It is the same as before.
    case unchanged
    /// The store has it, and the plan does not hold it; it stays.
    case missing
    /// It was ended, unbound or taken back.
    case removed
  }

  /// What a person did since the last import.
  public enum Kept: String, Hashable, Sendable, CaseIterable, Codable {
    case ended, deleted, changed
  }

  /// Makes a report.
  public init(lines: [Line] = []) {
    self.lines = lines
  }

  /// Whether nothing changed.
  public var isUnchanged: Bool {
    lines.allSatisfy { $0.change == .unchanged || $0.change == .missing }
  }
}
