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
  /// `patient` says whose, `nil` for everyone's; `isDeleted` whether the deleted ones are asked
  /// for, as they were last, or the others.
  func things<Thing: PlanThing>(
    _ type: Thing.Type, patient: String?, isDeleted: Bool
  ) throws -> [Thing]
  /// The imports and edits of the plan, the latest first, at most `limit`.
  func planEdits(limit: Int) throws -> [PlanEdit]
  /// The unsettled changes that several stores made independently, by kind, patient and id.
  func conflicts() throws -> [PlanConflict]
  /// The events that several stores answered independently and differently, by patient, task and
  /// start; the next answer settles it.
  func outcomeConflicts() throws -> [OutcomeConflict]
  /// The plan's firings that match a query, by the time at which they were recorded.
  func firings(_ query: FiringQuery) throws -> [StoredFiring]

  // MARK: Events

  /// The events of a span with their outcomes, in the order of ``EventOrder``.
  ///
  /// The outcome of an event that is linked to a quantity is computed from its current samples,
  /// unless a person entered one.
  func events(_ query: EventQuery) throws -> [Event]
  /// The values that a person gave an event, each as it was entered, in the order of entry.
  ///
  /// The outcome of an event whose samples add up has only their sum.
  func enteredValues(of event: Event) throws -> [OutcomeValue]

  /// Every answer that an event ever had in this store, oldest first; one that was taken back is
  /// followed by one that is not there.
  func answers(of event: EventKey) throws -> [AnswerVersion]

  // MARK: Pictures and videos

  /// The attachment of that SHA-256 digest, in hex; `nil` if no current answer and no task
  /// refers to one.
  func attachment(sha256: String) throws -> StoredAttachment?
  /// A part of the bytes of an attachment that a current answer or a task refers to.
  ///
  /// - Parameters:
  ///   - number: Which part, from 0; each has ``Attachment/partLength`` bytes, the last the rest.
  ///   - attachment: The attachment.
  /// - Returns: The bytes.
  /// - Throws: ``StoreError/unknown(_:)`` for an attachment that the store does not have.
  func part(_ number: Int, of attachment: Attachment) throws -> [UInt8]

  // MARK: Samples

  /// The samples of a query, oldest first.
  func samples(_ query: SampleQuery) throws -> [Sample]
  /// How many samples a query has; a day of a stream costs no more than a single sample.
  func sampleCount(_ query: SampleQuery) throws -> Int
  /// The quantities of which an owner has samples that count, by name.
  func quantities(of owner: SampleQuery.Owner) throws -> [Quantity]
  /// All that devices measured of every patient, and of nobody, in a span of starts, by the hour and without
  /// what people entered; a stream costs no more than a sample an hour.
  func deviceHours(from: Date, to: Date) throws -> [DeviceHour]
  /// The latest measurements that count and began until then, of every patient and quantity.
  func latestMeasurements(until date: Date) throws -> [String: [Quantity: LatestMeasurement]]
  /// The patient's sample with the latest start; among equals the one stored last.
  func latestSample(patient: String, quantity: Quantity) throws -> Sample?
  /// The short number of a stored sample in this store; `nil` for a streamed one, and if there is
  /// no such sample.
  func number(of identity: SampleIdentity) throws -> Int64?
  /// The sample with that number in this store.
  func identity(ofNumber number: Int64) throws -> SampleIdentity
  /// The sample of that identity, in whatever state; `nil` if none was ever stored.
  func sample(_ identity: SampleIdentity) throws -> Sample?
  /// The changes that people made to a sample, oldest first; a correction's making comes first.
  func changes(of identity: SampleIdentity) throws -> [SampleChangeRecord]
  /// The latest change of whose a sample is; `nil` if it is as it was stored.
  func assignment(of sample: Sample) throws -> SampleChangeRecord?
  /// The statements of who is at home from `date` on, ever for `nil`; the earlier ones first.
  ///
  /// Of a moment the last one of a patient holds. They are for attribution alone.
  func presences(since date: Date?) throws -> [Presence]
  /// Whether a sample of this reading was ever stored, in any state.
  func contains(_ reading: Reading, identity: SampleIdentity) throws -> Bool
}

extension StoreReader {
  /// The event of a key, with its outcome; `nil` if there is none any longer.
  ///
  /// - Parameters:
  ///   - key: Whose event of which task it is, and when it starts.
  ///   - now: The current time, so that an event of today has its task's newest words.
  /// - Returns: The event.
  /// - Throws: ``StoreError``.
  package func event(_ key: EventKey, now: Date? = nil) throws -> Event? {
    try events(
      EventQuery(
        patient: key.patient, task: key.task, from: key.start, to: key.start + 1, now: now)
    ).first { $0.key == key }
  }

  /// Every version of the tasks of `patient` (of everyone for `nil`), in the order of versions
  /// within a task; deleted tasks are left out.
  public func taskVersions(patient: String?) throws -> [CareTask] {
    try histories(patient: patient).flatMap(\.versions)
  }

  /// The zone of the plan, in which times without an offset are read; GMT before the first plan.
  package func zone() throws -> TimeZone { try planTimeZone() ?? .gmt }

  /// The zone of a person's day at `date`; of `nil` that of the only person, else the plan's.
  package func zone(of patient: String?, at date: Date) throws -> TimeZone {
    let people = try patients()
    let plan = try zone()
    let person =
      patient == nil
      ? (people.count == 1 ? people.first : nil) : people.first { $0.id == patient }
    return person?.timeZone(at: date, in: plan) ?? plan
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
  /// The plan holds from its effective date on: versions of its tasks that would take effect later
  /// are closed. A task that a person ended, changed or deleted since the last import stays so
  /// unless the plan changed it, too.
  ///
  /// - Parameters:
  ///   - plan: The whole plan.
  ///   - options: The treatment of things that the plan no longer holds.
  ///   - now: The moment of import.
  /// - Returns: Each change, and each stored thing that the plan does not hold.
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
  /// Takes one import or edit back, the others stay.
  ///
  /// - Throws: ``StoreError/refused(_:)`` if it is taken back already, or if a later one stands on
  ///   it; an import can only be the last.
  func undoEdit(_ number: Int64, now: Date) throws -> PlanImportReport
  /// Does what `body` does with the plan as one edit, which can be taken back.
  ///
  /// - Returns: Its number; `nil` if the plan is as before.
  func editPlan(now: Date, _ body: (any StoreWriter) throws -> Void) throws -> Int64?
  /// Sets the plan's zone, in which times without an offset are read.
  func setPlanTimeZone(_ zone: TimeZone, now: Date) throws
  /// Stores a task that a person made or changed: a new one is in force from its effective date,
  /// else from its schedule's start, a changed one from now on. An unchanged one is not stored.
  ///
  /// - Throws: ``StoreError/refused(_:)`` if outcomes would be left without their event.
  func put(_ task: PlannedTask, now: Date) throws -> CareTask
  /// Binds a device, or one of its user slots; a binding without secrets keeps the stored ones.
  func bind(_ binding: DeviceBinding, now: Date) throws
  /// Keeps what opens a channel, in place of what opened it before.
  func keep(_ secret: ChannelSecret) throws
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
  /// - Throws: ``StoreError/unknown(_:)`` for a patient whom the store never had;
  ///   ``StoreError/refused(_:)`` for one that no store holds.
  func insert(_ sample: Sample) throws -> Bool
  /// Whether a sample is of a patient who was erased, by its owner or its identity; it is never
  /// stored again.
  func isErased(_ sample: Sample) throws -> Bool
  /// Whether this frame of the device, with what its clock showed, arrived between `since` and the
  /// arrival of `reading` and was stored under its arrival, in any state.
  func containsFrame(of reading: Reading, since: Date) throws -> Bool
  /// Keeps who is at home in a span, in place of what was said of all of it before.
  ///
  /// - Throws: ``StoreError/unknown(_:)`` for a patient that the store does not have.
  func keep(_ presence: Presence) throws
  /// Forgets when all but these patients were at home.
  func forgetPresences(except patients: Set<String>) throws
  /// Adds what a device said of a single reading only when it sent it again; what is known stays.
  ///
  /// - Returns: `false`, and nothing changes, if it is known or there is no such sample.
  func addContext(_ context: MeasurementContext, to identity: SampleIdentity) throws -> Bool
  /// Changes whose samples are, or whether they count; what was measured stays.
  ///
  /// A single reading takes its companions along: what the same device measured with it. The
  /// change is kept with its date, decider and reason, and the latest one holds.
  ///
  /// - Returns: The changed samples as they are now; those of a span without its streamed ones.
  /// - Throws: ``StoreError/unknown(_:)`` for a sample or patient that the store does not have.
  func change(
    _ selection: SampleSelection, _ change: SampleChange, decidedBy: SampleChangeDecider,
    reason: String?, now: Date
  ) throws -> SampleChangeResult
  /// Puts a value that a person enters in the place of a measured one, which stays as its origin.
  ///
  /// `value` is in the quantity's canonical unit; `source` is the value as it was entered, if in
  /// another unit.
  func correct(
    _ identity: SampleIdentity, value: Double, source: SourceValue?, reason: String?, now: Date
  ) throws -> Sample

  /// Stores a running total as a sample whose value is the amount that it adds to the one before.
  ///
  /// The amounts of the totals around it may change, too: a later total confirms a reset, an
  /// earlier one that arrives late takes its part. See ``Reading/total``.
  ///
  /// - Parameter sample: The sample; its value is ignored.
  /// - Returns: The sample as it is stored; `nil`, and nothing changes, if the total before it says
  ///   the same, or one of this identity was ever stored.
  /// - Throws: ``StoreError/refused(_:)`` for a reading without a total.
  func book(_ sample: Sample) throws -> BookedTotal?

  // MARK: Outcomes

  /// Makes `values` with `answer` the event's outcome, replacing the current one.
  ///
  /// Numbers for a task that is linked to a quantity are stored as samples of it.
  ///
  /// - Throws: ``StoreError/refused(_:)`` if a rule forbids it (a read-only task, an occurrence of
  ///   another version, a future day, an assessment that is not resettable, a value outside its
  ///   question's limits); ``StoreError/unknown(_:)`` for an attachment whose bytes are not stored.
  func setOutcome(
    _ values: [OutcomeValue], answer: Answer, of event: EventReference, now: Date
  ) throws -> Event
  /// Stores the bytes of an attachment, for an outcome or task of the same transaction that refers to
  /// it.
  ///
  /// - Parameters:
  ///   - attachment: The type, length and digest of the bytes.
  ///   - part: Returns the part of that number, from 0.
  /// - Throws: ``StoreError/refused(_:)`` if the parts are not those of the attachment; the errors
  ///   of `part`.
  func store(_ attachment: Attachment, part: (Int) throws(StoreError) -> [UInt8]) throws
  /// Refuses a task whose own video is not stored, or is one too many of the patient's.
  ///
  /// - Throws: ``StoreError/unknown(_:)`` or ``StoreError/refused(_:)``.
  func requireVideo(of task: PlannedTask) throws
  /// Adds outcomes of events that have none: all of them, or none.
  ///
  /// - Throws: ``StoreError/refused(_:)`` if an event has an outcome or is given twice, and as
  ///   ``setOutcome(_:answer:of:now:)`` does.
  func addOutcomes(
    _ additions: [(event: EventReference, values: [OutcomeValue])], now: Date
  ) throws -> [Event]
  /// Deletes the event's outcome, and the samples that a person entered for it.
  func deleteOutcome(of event: EventReference, now: Date) throws -> Event

  // MARK: The plan's own actions

  /// Records a firing, unless it was ever recorded, and makes `task` the next version of its task.
  ///
  /// - Parameters:
  ///   - firing: The firing.
  ///   - task: The task with a new target, effective from ``Firing/TargetChange/effectiveDate`` on.
  ///   - now: The current time.
  /// - Returns: The stored firing; `nil`, and nothing changes, if it was recorded before.
  /// - Throws: ``StoreError/unknown(_:)`` for a patient or task that the store does not have.
  func record(_ firing: Firing, making task: PlannedTask?, now: Date) throws -> StoredFiring?
  /// Takes a rule's firing back: the version that it made counts no longer, and the same results do
  /// not make it fire again.
  ///
  /// - Throws: ``StoreError/unknown(_:)`` for a firing that the store does not have;
  ///   ``StoreError/refused(_:)`` if it is not a rule's, or was taken back.
  func undoFiring(_ id: UUID, now: Date) throws -> StoredFiring

  // MARK: Receivers

  /// The name under which the store acknowledges what it receives: another one once an older content
  /// was restored into it.
  func receiverState() throws -> UUID
  /// The receipts of a sender whose names begin with `prefix`, in the order in which they came.
  ///
  /// Without their contents, which together may be more than there is memory for.
  func receipts(of sender: String, patient: String?, named prefix: String) throws -> [Receipt]
  /// The content of a receipt; `nil` if there is none of that name.
  func content(
    ofReceipt name: String, of sender: String, patient: String?
  ) throws -> [UInt8]?
  /// Remembers a receipt, in place of the sender's one of that name.
  ///
  /// - Throws: ``StoreError/refused(_:)`` if too much waits for the rest of it.
  func put(_ receipt: Receipt) throws
  /// Forgets a receipt.
  func removeReceipt(_ name: String, of sender: String, patient: String?) throws

  // MARK: Everything

  /// Removes every value, raw byte and name of a patient from the store.
  ///
  /// A mark without a name stays, so that no later import brings them back. The file itself is
  /// cleaned when the transaction ends.
  func erase(patient: String, now: Date) throws
}

extension StoreWriter {
  /// Changes whose samples are, or whether they count, as a person decided.
  public func change(
    _ selection: SampleSelection, _ change: SampleChange, reason: String?, now: Date
  ) throws -> SampleChangeResult {
    try self.change(selection, change, decidedBy: .person, reason: reason, now: now)
  }

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
