import Care
import Foundation

/// A change of samples: whose they are, or whether they count; the latest one holds.
struct SampleChangeRow: ExportedRow, Hashable {
  var uuid = UUID.zero
  /// One sample; `nil` for a span.
  var identity: SampleIdentity?
  var device = ""
  /// The span of starts, µs since 1970: from (inclusive) and to (exclusive).
  var from: Int64?
  var to: Int64?
  var change = Change.delete
  var patient: String?
  var decidedBy = SampleChangeDecider.person
  var reason: String?
  var createdDate = Date(microseconds: 0)
  var stamp = Stamp()

  static let kind: String? = "change"
  static let table = Table(
    "sample_change", of: Self.self,
    indexes: [
      "CREATE INDEX sample_change_of ON sample_change (identity) WHERE identity IS NOT NULL",
      "CREATE INDEX sample_change_of_device ON sample_change (device)",
      "CREATE INDEX sample_change_span ON sample_change (device) WHERE identity IS NULL",
      "CREATE INDEX sample_change_by_writer ON sample_change (writer, clock)",
    ])

  mutating func fields<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
    try visitor.field("uuid", &uuid, sql: "UNIQUE")
    try visitor.field("identity", &identity)
    var text = DeviceText(text: device)
    try visitor.field("device", &text)
    device = text.text
    try visitor.instant("from", in: "from_date", &from)
    try visitor.instant("to", in: "to_date", &to)
    try visitor.field("change", &change)
    try visitor.id("patient", &patient)
    try visitor.field("decidedBy", in: "decided_by", &decidedBy)
    try visitor.field("reason", &reason)
    try visitor.field("created", in: "created_date", &createdDate)
    try stamp.fields(&visitor)
  }

  func checkTogether() throws(StoreError.ExportDamage) {
    guard (change == .assign) == (patient != nil) else { throw .field("patient") }
  }

  /// Kinds of changes.
  enum Change: String, Hashable, CaseIterable, TextValue {
    case assign, unassign, disown, delete, restore

    /// Whether it says whose the samples are, rather than whether they count.
    var isOfOwner: Bool { self != .delete && self != .restore }
  }

  /// Whether it is of this sample.
  func covers(_ sample: Sample) -> Bool {
    if let identity { return identity == sample.identity }
    let start = sample.start.microseconds
    return sample.device.address.text == device && start >= from ?? .min && start < to ?? .max
  }
}

extension SampleChangeRow.Change {
  init(_ change: SampleChange) {
    switch change {
    case .assign: self = .assign
    case .unassign: self = .unassign
    case .disown: self = .disown
    case .delete: self = .delete
    case .restore: self = .restore
    }
  }
}

// MARK: - Changing

extension SQLTransaction {
  func change(
    _ selection: SampleSelection, _ change: SampleChange, decidedBy: SampleChangeDecider,
    reason: String?, now: Date
  ) throws -> SampleChangeResult {
    try changing {
      try requireStorable(reason)
      var patient: String?
      if case .assign(let id) = change {
        try requirePatient(id)
        patient = id
      }
      switch selection {
      case .sample(let identity), .single(let identity):
        let sample = try requireSample(identity)
        let samples =
          if case .single = selection {
            [sample] + (try corrections(of: identity))
          } else {
            try companions(of: sample)
          }
        for sample in samples {
          try record(
            SampleChangeRow(
              uuid: makeUUID(), identity: sample.identity, device: sample.device.address.text,
              change: .init(change), patient: patient, decidedBy: decidedBy, reason: reason,
              createdDate: now))
        }
        return SampleChangeResult(
          samples: try samples.compactMap { try self.sample($0.identity) }, streamedCount: 0)
      case .span(let device, let from, let to):
        // A device may be stored in several spellings. Samples that arrive later are not covered.
        let devices = try rows(
          "SELECT DISTINCT device FROM series WHERE \(Dialect.isSpelt("device"))", [device.text]
        ) { try $0.text("device") }
        guard !devices.isEmpty else { throw StoreError.unknown(.device(device)) }
        var count = 0
        for device in devices {
          count += try record(
            SampleChangeRow(
              uuid: makeUUID(), device: device, from: from?.microseconds,
              to: min(to ?? now, now).microseconds, change: .init(change), patient: patient,
              decidedBy: decidedBy, reason: reason, createdDate: now))
        }
        let samples = try samples(
          SampleQuery(device: device, from: from, to: to, states: Set(Sample.State.allCases))
        ).filter {
          !$0.reading.isStreamed && $0.start >= from ?? .distantPast && $0.start < to ?? now
        }
        return SampleChangeResult(samples: samples, streamedCount: count)
      }
    }
  }

  func correct(
    _ identity: SampleIdentity, value: Double, source: SourceValue?, reason: String?, now: Date
  ) throws -> Sample {
    try changing {
      try requireStorable(reason)
      let origin = try requireSample(identity)
      guard !origin.reading.isStreamed else { throw StoreError.refused(.streamedSample) }
      // A correction of a correction stands in place of what was measured.
      let measured = origin.corrects ?? identity
      try checkPressures(correcting: requireSample(measured), to: value)
      for earlier in try corrections(of: measured) where earlier.state != .deleted {
        _ = try change(.sample(earlier.identity), .delete, reason: reason, now: now)
      }
      var reading = origin.reading
      reading.value = value
      reading.sourceValue = source
      reading.arrival = now
      reading.deviceTime = nil
      reading.isBroadcast = false
      reading.raw = []
      var correction = Sample(
        identity: SampleIdentity(reading), reading: reading, patient: origin.patient,
        unassignedReason: origin.unassignedReason, start: origin.start, end: origin.end,
        provenance: .manual, corrects: measured)
      while try sample(correction.identity) != nil {
        correction.reading.ordinal += 1
        correction.identity = SampleIdentity(correction.reading)
      }
      guard try insert(correction) else { throw StoreError.unknown(.sample(identity)) }
      // It stays with the person of what it corrects, whatever a change of a span says, and keeps
      // the reason.
      try record(
        SampleChangeRow(
          uuid: makeUUID(), identity: correction.identity, device: origin.device.address.text,
          change: origin.patient == nil ? .unassign : .assign, patient: origin.patient,
          reason: reason, createdDate: now))
      try refresh(measured)
      return correction
    }
  }

  /// The sample of that identity, in whatever state.
  private func requireSample(_ identity: SampleIdentity) throws -> Sample {
    guard let sample = try sample(identity) else { throw StoreError.unknown(.sample(identity)) }
    return sample
  }

  /// The sample with what the same device measured with it: the values of its frame, and what a
  /// scale adds to a weight within a minute.
  private func companions(of sample: Sample) throws -> [Sample] {
    guard !sample.reading.isStreamed, sample.provenance != .manual else {
      return [sample] + (try corrections(of: sample.identity))
    }
    let window = Sample.weighingSpan
    let near = try Quantity.all.flatMap { quantity -> [Sample] in
      let key = SeriesKey(
        device: sample.device.address.text, quantity: quantity.rawValue,
        userIndex: sample.userIndex ?? -1)
      guard let series = try series(key) else { return [] }
      let parts = IdentityKey(sample.identity, of: sample.reading)
      let reach = parts.basis == .clock ? 0 : Int64(saturating: window * 1_000_000)
      let span = (parts.time.saturatingSum(-reach), parts.time.saturatingSum(reach))
      return try rows(
        "\(Sample.select) WHERE series = ? AND time BETWEEN ? AND ?", [series, span.0, span.1],
        read: Sample.init)
    }
    let isOfWeight = sample.quantity == .bodyMass || sample.quantity.isMeasuredWithWeight
    let found = near.filter { other in
      guard other.identity != sample.identity, other.deviceTime == sample.deviceTime else {
        return other.identity == sample.identity
      }
      // A value that a person entered was not measured with anything.
      guard other.provenance != .manual else { return false }
      if other.arrival == sample.arrival { return true }
      let isCompanion =
        sample.quantity == .bodyMass
        ? other.quantity.isMeasuredWithWeight
        : isOfWeight && (other.quantity == .bodyMass || other.quantity.isMeasuredWithWeight)
      return isCompanion && abs(other.arrival.timeIntervalSince(sample.arrival)) <= window
    }
    let all = found.contains { $0.identity == sample.identity } ? found : found + [sample]
    return try all + all.flatMap { try corrections(of: $0.identity) }
  }

  /// Whether a person entered the sample, or what it corrects.
  func isEntered(_ sample: Sample) throws -> Bool {
    guard sample.provenance == .manual else { return false }
    guard let measured = sample.corrects else { return true }
    return try self.sample(measured)?.provenance == .manual
  }

  /// Refuses a correction that would leave the systolic pressure of a measurement not above the
  /// diastolic one.
  private func checkPressures(correcting measured: Sample, to value: Double) throws {
    let isSystolic = measured.quantity == .bloodPressureSystolic
    guard isSystolic || measured.quantity == .bloodPressureDiastolic else { return }
    let other: Quantity = isSystolic ? .bloodPressureDiastolic : .bloodPressureSystolic
    let standing = try companions(of: measured).first {
      $0.quantity == other && $0.state == .live
    }
    guard let standing else { return }
    let (systolic, diastolic) =
      isSystolic ? (value, standing.value) : (standing.value, value)
    guard systolic <= diastolic else { return }
    throw StoreError.refused(
      .swappedPressures(systolic: systolic, diastolic: diastolic, measured.quantity.unit, task: nil)
    )
  }

  /// The samples that a person entered in place of a sample, deleted ones included.
  func corrections(of identity: SampleIdentity) throws -> [Sample] {
    if state.hasCorrections == nil {
      state.hasCorrections =
        try row("SELECT 1 FROM sample WHERE corrects IS NOT NULL LIMIT 1") != nil
    }
    guard state.hasCorrections == true else { return [] }
    return try rows("\(Sample.select) WHERE corrects = ?", [identity.text], read: Sample.init)
  }
}

// MARK: - Owner and state

extension SQLTransaction {
  /// Stores a change and gives the samples that it is of their new owner and state.
  ///
  /// - Returns: How many streamed samples it is of.
  @discardableResult
  func record(_ change: SampleChangeRow, stamp: Stamp? = nil) throws -> Int {
    var change = change
    if stamp == nil {
      // The latest change holds, also if the clock was set back.
      let latest: Int64? = try row(
        "SELECT max(created_date) AS date FROM sample_change WHERE device = ?", [change.device])?
        .optional("date")
      if let latest, latest > change.createdDate.microseconds {
        change.createdDate = Date(microseconds: latest).addingMicrosecond
      }
    }
    change.stamp = try stamp ?? nextStamp()
    try store(change, in: SampleChangeRow.table)
    state.hasSampleChanges = true
    state.changes = [:]
    let count = try apply(change)
    try renewConcerned(by: change)
    return count
  }

  /// Gives the samples that a stored change is of their owner and state.
  @discardableResult
  func apply(_ change: SampleChangeRow) throws -> Int {
    if let identity = change.identity {
      try refresh(identity)
      return 0
    }
    let rows = try rows(
      """
      \(Sample.select) WHERE series IN (SELECT number FROM series WHERE device = ?)
        AND start_date >= ? AND start_date < ?
      """, [change.device, change.from ?? .min, change.to ?? .max], read: Sample.init)
    for sample in rows { try refresh(sample.identity) }
    return try refreshBlocks(
      device: change.device, from: change.from ?? .min, to: change.to ?? .max)
  }

  /// Gives a sample, its duplicates and its corrections the owner and state of their changes.
  func refresh(_ identity: SampleIdentity) throws {
    guard let (number, _) = try locate(identity), let member = try member(number) else {
      guard let streamed = try streamedSample(identity) else { return }
      try refreshBlocks(
        device: streamed.device.address.text, from: streamed.start.microseconds,
        to: streamed.start.microseconds + 1)
      return
    }
    try update(try group(of: member))
  }

  /// Whose a sample is and whether it counts, if anything was ever changed of it.
  func stateAfterChanges(
    of sample: Sample
  ) throws -> (patient: String?, state: Sample.State)? {
    let corrections = try corrections(of: sample.identity)
    let changes = try changes(of: sample)
    guard !corrections.isEmpty || !changes.isEmpty else { return nil }
    let effect = ChangeEffect(of: changes)
    return (
      effect.owner(attributed: sample.patient),
      effect.state(
        of: sample, isCorrected: corrections.contains { $0.state != .deleted })
    )
  }

  /// Whether any sample was ever changed.
  func hasSampleChanges() throws -> Bool {
    if let known = state.hasSampleChanges { return known }
    let found = try row("SELECT 1 FROM sample_change LIMIT 1") != nil
    state.hasSampleChanges = found
    return found
  }

  /// The changes of a sample, oldest first.
  func changes(of sample: Sample) throws -> [SampleChangeRow] {
    guard try hasSampleChanges() else { return [] }
    let single = try rows(
      "SELECT * FROM sample_change WHERE identity = ?", [sample.identity.text],
      read: SampleChangeRow.init(reading:))
    let spans = try rows(
      "SELECT * FROM sample_change WHERE identity IS NULL AND device = ?",
      [sample.device.address.text], read: SampleChangeRow.init(reading:)
    ).filter { $0.covers(sample) }
    return (single + spans).sorted(by: SampleChangeRow.madeBefore)
  }

  func assignment(of sample: Sample) throws -> SampleChangeRecord? {
    try reading {
      guard try hasSampleChanges() else { return nil }
      let changes = try changeIndex(of: sample.device.address.text).changes(of: sample)
      return changes.filter(\.change.isOfOwner).max(by: SampleChangeRow.madeBefore)
        .map(\.record)
    }
  }

  /// The changes of a device's samples, read once for many samples.
  func changeIndex(of device: String) throws -> ChangeIndex {
    if let index = state.changes[device] { return index }
    let index = ChangeIndex(
      try rows(
        "SELECT * FROM sample_change WHERE device = ?", [device],
        read: SampleChangeRow.init(reading:))
    )
    state.changes[device] = index
    return index
  }

  /// Gives the streamed samples of a device and span their owner and state.
  ///
  /// - Returns: How many there are.
  @discardableResult
  func refreshBlocks(device: String, from: Int64, to: Int64) throws -> Int {
    guard from < to else { return 0 }
    let series = try rows("SELECT number FROM series WHERE device = ?", [device]) {
      try $0.required("number") as Int64
    }
    var count = 0
    for series in series {
      let blocks = try rows(
        """
        \(BlockRow.select) WHERE series = ? AND hour BETWEEN ? AND ?
          AND first_date < ? AND latest_date >= ?
        """,
        [series, Hours.hour(of: from), Hours.hour(of: to - 1), to, from], read: BlockRow.init)
      for block in blocks { count += try refresh(block, from: from, to: to) }
    }
    return count
  }

  /// Moves the samples of a block whose owner or state changed to blocks of their own.
  private func refresh(_ block: BlockRow, from: Int64, to: Int64) throws -> Int {
    let samples = try unpacked(block)
    let index = try changeIndex(of: block.device.address.text)
    var staying: [StreamedSample] = []
    var moving: [BlockKey: [StreamedSample]] = [:]
    var count = 0
    for sample in samples {
      guard sample.start >= from, sample.start < to else {
        staying.append(sample)
        continue
      }
      count += 1
      var whole = block.sample(sample)
      whole.patient = block.attributed
      whole.state = .live
      let effect = ChangeEffect(of: index.changes(of: whole))
      let changed = (
        patient: effect.owner(attributed: block.attributed),
        state: effect.state(of: whole, isCorrected: false)
      )
      if changed.patient == block.patient, changed.state == block.state {
        staying.append(sample)
        continue
      }
      let key = BlockKey(
        series: block.series, source: block.source, quantity: block.quantity.rawValue,
        hour: block.hour, attributed: block.attributed, reason: block.reason,
        patient: changed.patient, state: changed.state)
      moving[key, default: []].append(sample)
    }
    guard !moving.isEmpty else { return count }
    let isOpen = try row("SELECT 1 FROM block WHERE number = ? AND data IS NULL", [block.number])
    try setSamples(of: block.number, to: staying, isPacked: isOpen == nil)
    for (key, samples) in moving {
      for sample in samples { try add(sample, to: key) }
      if isOpen == nil { try packOpenBlocks(of: key.series, before: key.hour + 1) }
    }
    return count
  }
}

/// The changes of a device's samples, which are few.
struct ChangeIndex {
  private var spans: [String: [SampleChangeRow]] = [:]
  private var singles: [SampleIdentity: [SampleChangeRow]] = [:]

  init(_ changes: [SampleChangeRow]) {
    for change in changes {
      if let identity = change.identity {
        singles[identity, default: []].append(change)
      } else {
        spans[change.device, default: []].append(change)
      }
    }
  }

  /// The changes of a sample, in any order.
  func changes(of sample: Sample) -> [SampleChangeRow] {
    let spans = spans[sample.device.address.text, default: []].filter { $0.covers(sample) }
    return singles.isEmpty ? spans : spans + singles[sample.identity, default: []]
  }

  /// Whether there are none.
  var isEmpty: Bool { spans.isEmpty && singles.isEmpty }
}

extension SampleChangeRow {
  /// The change as it was made.
  var record: SampleChangeRecord {
    let change: SampleChange =
      switch change {
      case .assign: .assign(patient: patient ?? "")
      case .unassign: .unassign
      case .disown: .disown
      case .delete: .delete
      case .restore: .restore
      }
    return SampleChangeRecord(
      change: change, decidedBy: decidedBy, reason: reason, date: createdDate)
  }
}
