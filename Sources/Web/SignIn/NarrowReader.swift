import Access
import Care
import Foundation

/// Which part of the store a request may use: the patients for whom a permission is granted, and
/// the unassigned samples if the grant covers them.
struct DataScope: Hashable, Sendable {
  let grant: Grant
  let permission: Permission

  /// Whether nothing is left out.
  var isEverything: Bool {
    grant == .everything || grant.permits(permission, on: .box) && isTrayVisible
  }

  /// Whether the samples that belong to no patient are part of it.
  var isTrayVisible: Bool { grant.permits(permission, on: .tray) }

  /// Whether the patient's data are part of it.
  func contains(_ patient: String) -> Bool { grant.permits(permission, on: .patient(patient)) }

  /// Whether a sample is part of it.
  func contains(_ sample: Sample) -> Bool {
    sample.patient.map { contains($0) } ?? isTrayVisible
  }

  /// The reader as far as this scope goes.
  func reader(_ reader: any StoreReader) -> any StoreReader {
    isEverything ? reader : NarrowReader(base: reader, scope: self)
  }
}

/// A store in which only the data of a scope exist.
///
/// Every query of the page and the interface reads through one, so that no page can show more than
/// its reader may see. Data outside the scope are unknown, exactly as data that do not exist.
private struct NarrowReader: StoreReader {
  let base: any StoreReader
  let scope: DataScope

  // MARK: The plan

  func planRevision() throws -> Int64 { try base.planRevision() }

  func planTimeZone() throws -> TimeZone? { try base.planTimeZone() }

  func planOrder() throws -> [TaskReference] {
    try base.planOrder().filter { scope.contains($0.patient) }
  }

  func patients() throws -> [Patient] { try base.patients().filter { scope.contains($0.id) } }

  /// Shared devices, and those of the scope's patients.
  func deviceBindings() throws -> [DeviceBinding] {
    try base.deviceBindings().filter { binding in
      binding.patient.map { scope.contains($0) } ?? true
    }
  }

  func calibrations() throws -> [SensorCalibration] {
    let addresses = Set(try deviceBindings().map(\.address))
    return try base.calibrations().filter { addresses.contains($0.address) }
  }

  func histories(patient: String?) throws -> [TaskHistory] {
    try narrowed(patient) { try base.histories(patient: $0) }.filter { history in
      history.versions.allSatisfy { scope.contains($0.patient) }
    }
  }

  func deletedHistories(patient: String?) throws -> [TaskHistory] {
    try narrowed(patient) { try base.deletedHistories(patient: $0) }.filter { history in
      history.versions.allSatisfy { scope.contains($0.patient) }
    }
  }

  func things<Thing: PlanThing>(
    _ type: Thing.Type, patient: String?, isDeleted: Bool
  ) throws -> [Thing] {
    try narrowed(patient) { try base.things(type, patient: $0, isDeleted: isDeleted) }
      // A contact without an owner is every patient's.
      .filter { $0.owner.isEmpty || scope.contains($0.owner) }
  }

  /// Edits of the scope's patients alone.
  func planEdits(limit: Int) throws -> [PlanEdit] {
    try base.planEdits(limit: limit).filter { edit in
      !edit.isImport && edit.devices.isEmpty
        && edit.things.allSatisfy { scope.contains($0.reference.patient) }
    }
  }

  func conflicts() throws -> [PlanConflict] {
    try base.conflicts().filter { scope.contains($0.thing.patient) }
  }

  func outcomeConflicts() throws -> [OutcomeConflict] {
    try base.outcomeConflicts().filter { scope.contains($0.event.patient) }
  }

  func firings(_ query: FiringQuery) throws -> [StoredFiring] {
    guard query.patient.map({ scope.contains($0) }) ?? true else { return [] }
    // The limit counts after the others' firings are left out.
    var everyone = query
    everyone.limit = nil
    let firings = try base.firings(everyone).filter { scope.contains($0.firing.event.patient) }
    return query.limit.map { Array(firings.suffix($0)) } ?? firings
  }

  // MARK: Events

  func events(_ query: EventQuery) throws -> [Event] {
    try narrowed(query.patient) { _ in try base.events(query) }
      .filter { scope.contains($0.task.patient) }
  }

  func enteredValues(of event: Event) throws -> [OutcomeValue] {
    scope.contains(event.task.patient) ? try base.enteredValues(of: event) : []
  }

  func answers(of event: EventKey) throws -> [AnswerVersion] {
    scope.contains(event.patient) ? try base.answers(of: event) : []
  }

  // MARK: Pictures and videos

  func attachment(sha256: String) throws -> StoredAttachment? {
    guard var stored = try base.attachment(sha256: sha256) else { return nil }
    stored.patients = stored.patients.filter { scope.contains($0) }
    return stored.patients.isEmpty ? nil : stored
  }

  func part(_ number: Int, of attachment: Attachment) throws -> [UInt8] {
    guard try self.attachment(sha256: attachment.sha256) != nil else {
      throw StoreError.unknown(.attachment(sha256: attachment.sha256))
    }
    return try base.part(number, of: attachment)
  }

  // MARK: Samples

  func samples(_ query: SampleQuery) throws -> [Sample] {
    switch query.owner {
    case .patient(let patient): return scope.contains(patient) ? try base.samples(query) : []
    case .unassigned: return scope.isTrayVisible ? try base.samples(query) : []
    case .anyone:
      // The limit counts after the others' samples are left out.
      let samples = try owners().flatMap { owner in
        var part = query
        part.owner = owner
        return try base.samples(part)
      }
      let ordered = samples.enumerated().sorted {
        ($0.element.start, $0.offset) < ($1.element.start, $1.offset)
      }.map(\.element)
      return query.limit.map { Array(ordered.suffix($0)) } ?? ordered
    }
  }

  func sampleCount(_ query: SampleQuery) throws -> Int {
    switch query.owner {
    case .patient(let patient): return scope.contains(patient) ? try base.sampleCount(query) : 0
    case .unassigned: return scope.isTrayVisible ? try base.sampleCount(query) : 0
    case .anyone:
      let count = try owners().reduce(0) { sum, owner in
        var part = query
        part.owner = owner
        return sum + (try base.sampleCount(part))
      }
      return query.limit.map { min($0, count) } ?? count
    }
  }

  func quantities(of owner: SampleQuery.Owner) throws -> [Quantity] {
    switch owner {
    case .patient(let patient): scope.contains(patient) ? try base.quantities(of: owner) : []
    case .unassigned: scope.isTrayVisible ? try base.quantities(of: owner) : []
    case .anyone: try owners().flatMap { try base.quantities(of: $0) }.uniqued()
    }
  }

  func deviceHours(from: Date, to: Date) throws -> [DeviceHour] {
    try base.deviceHours(from: from, to: to).filter { hour in
      hour.patient.map { scope.contains($0) } ?? scope.isTrayVisible
    }
  }

  func latestMeasurements(until date: Date) throws -> [String: [Quantity: LatestMeasurement]] {
    try base.latestMeasurements(until: date).filter { scope.contains($0.key) }
  }

  func latestSample(patient: String, quantity: Quantity) throws -> Sample? {
    scope.contains(patient) ? try base.latestSample(patient: patient, quantity: quantity) : nil
  }

  func number(of identity: SampleIdentity) throws -> Int64? {
    // An identity follows from a sample, so that its owner knows the sample already.
    try base.number(of: identity)
  }

  func identity(ofNumber number: Int64) throws -> SampleIdentity {
    let identity = try base.identity(ofNumber: number)
    guard try sample(identity) != nil else { throw StoreError.unknown(.sampleNumber(number)) }
    return identity
  }

  func sample(_ identity: SampleIdentity) throws -> Sample? {
    try base.sample(identity).flatMap { scope.contains($0) ? $0 : nil }
  }

  func changes(of identity: SampleIdentity) throws -> [SampleChangeRecord] {
    guard try sample(identity) != nil else { return [] }
    return try base.changes(of: identity).filter(isVisible)
  }

  func assignment(of sample: Sample) throws -> SampleChangeRecord? {
    guard scope.contains(sample) else { return nil }
    return try base.assignment(of: sample).flatMap { isVisible($0) ? $0 : nil }
  }

  /// Nothing: it is shown to nobody.
  func presences(since date: Date?) throws -> [Presence] { [] }

  func contains(_ reading: Reading, identity: SampleIdentity) throws -> Bool {
    try sample(identity) != nil && base.contains(reading, identity: identity)
  }

  // MARK: Working

  /// Nothing for a patient outside the scope.
  private func narrowed<Element>(
    _ patient: String?, _ query: (String?) throws -> [Element]
  ) throws -> [Element] {
    guard patient.map({ scope.contains($0) }) ?? true else { return [] }
    return try query(patient)
  }

  private func owners() throws -> [SampleQuery.Owner] {
    try patients().map { .patient($0.id) } + (scope.isTrayVisible ? [.unassigned] : [])
  }

  /// Whether a change names no patient outside the scope.
  private func isVisible(_ record: SampleChangeRecord) -> Bool {
    guard case .assign(let patient) = record.change else { return true }
    return scope.contains(patient)
  }
}
