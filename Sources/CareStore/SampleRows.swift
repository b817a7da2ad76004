import Care
import Foundation

// MARK: - Series and sources

/// The key of a sample's series: the parts of its identity that many samples share.
struct SeriesKey: StoredRow, Hashable {
  /// The device's address, or a recorded sensor's name.
  var device: String
  /// The name in the registry.
  var quantity: String
  /// The user slot of the device; -1 without one.
  var userIndex: Int

  static let table = Table("series", of: Self.self, ["UNIQUE (device, quantity, user_index)"])

  init() { self.init(device: "", quantity: "", userIndex: -1) }

  init(device: String, quantity: String, userIndex: Int) {
    self.device = device
    self.quantity = quantity
    self.userIndex = userIndex
  }

  init(_ reading: Reading) {
    self.init(
      device: reading.device.address.text, quantity: reading.quantity.rawValue,
      userIndex: reading.userIndex ?? -1)
  }

  mutating func fields<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
    var text = DeviceText(text: device)
    try visitor.field("device", &text)
    device = text.text
    try visitor.field("quantity", &quantity)
    try visitor.column("user_index", &userIndex)
    var user = userIndex < 0 ? nil : userIndex
    try visitor.key("user", &user)
    if V.isOfKeys { userIndex = user ?? -1 }
  }

  func checkQuantity() throws(StoreError.ExportDamage) {
    guard Quantity(rawValue: quantity) != nil else { throw .unknownQuantity(quantity) }
  }
}

/// The origin that many samples share; a text is empty where they name none.
struct SourceKey: StoredRow, Hashable {
  /// The definition that read it.
  var definition = ""
  /// Which of a measurement's values it is.
  var kind = ""
  var provenance = Provenance.passive
  /// The UCUM code of the unit in which the device sent it.
  var unit = ""

  static let table = Table("source", of: Self.self, ["UNIQUE (definition, kind, provenance, unit)"])

  mutating func fields<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
    try visitor.field("definition", &definition, default: "")
    try visitor.field("part", in: "kind", &kind, default: "")
    try visitor.field("provenance", &provenance)
    try visitor.field("unit", &unit, default: "")
  }
}

extension SourceKey {
  init(_ sample: Sample) {
    self.init(
      definition: sample.device.definition ?? "", kind: sample.kind ?? "",
      provenance: sample.provenance, unit: sample.sourceValue?.unit.code ?? "")
  }
}

extension SQLTransaction {
  /// The number of a series, if it has samples.
  func series(_ key: SeriesKey) throws -> Int64? {
    if let last = state.lastSeries, last.key == key { return last.number }
    if let number = state.series[key] {
      state.lastSeries = (key, number)
      return number
    }
    let row = try row(
      "SELECT number FROM series WHERE device = ? AND quantity = ? AND user_index = ?",
      [key.device, key.quantity, key.userIndex])
    guard let number: Int64 = try row?.required("number") else { return nil }
    state.series[key] = number
    return number
  }

  /// The number of a series, which is made if it is new.
  func makeSeries(_ key: SeriesKey) throws -> Int64 {
    if let number = try series(key) { return number }
    let number = try storeNumbered(key, in: SeriesKey.table)
    state.series[key] = number
    return number
  }

  /// The number of a source, which is made if it is new.
  func makeSource(_ key: SourceKey) throws -> Int64 {
    if let last = state.lastSource, last.key == key { return last.number }
    if let number = state.sources[key] {
      state.lastSource = (key, number)
      return number
    }
    let values: Arguments = [
      key.definition, key.kind, key.provenance.rawValue, key.unit,
    ]
    let row = try row(
      """
      SELECT number FROM source WHERE definition = ? AND kind = ? AND provenance = ? AND unit = ?
      """, values)
    let number =
      try row.map { try $0.required("number") } ?? storeNumbered(key, in: SourceKey.table)
    state.sources[key] = number
    return number
  }
}

// MARK: - Identities

/// The meaning of an identity's time: the device's clock, the arrival, the arrival of a broadcast.
enum IdentityBasis: Int, ColumnValue {
  case clock, arrival, broadcast

  static var columnType: ColumnType { .integer }
  static func condition(on column: String) -> String? { "\(column) BETWEEN 0 AND 2" }

  init?(_ cell: Cell) {
    guard let number = Int(cell) else { return nil }
    self.init(rawValue: number)
  }

  func add(to parameters: inout Parameters) { parameters.add(rawValue) }
}

/// An identity as the columns hold it.
struct IdentityKey: Hashable {
  /// The digits of the device's clock, or µs since 1970.
  var time: Int64
  var ordinal: Int
  var raw: [UInt8]
  var basis: IdentityBasis
  /// The identity's text, if the other columns do not give it; else empty.
  var text: String

  init(_ identity: SampleIdentity, of reading: Reading) {
    ordinal = reading.ordinal
    raw = reading.raw
    // A streamed reading of one row has a text: the columns would take it for another.
    if let parts = identity.parts, !reading.isStreamed, parts.isOf(reading) {
      time = parts.column
      basis = IdentityBasis(parts.time)
      text = ""
    } else {
      time = reading.arrival.microseconds
      basis = .arrival
      text = identity.text
    }
  }
}

extension IdentityBasis {
  fileprivate init(_ time: SampleIdentity.Time) {
    self =
      switch time {
      case .clock: .clock
      case .arrival: .arrival
      case .broadcast: .broadcast
      }
  }
}

extension SampleIdentity.Parts {
  /// Whether they are those of a reading, whose clock is believed or not.
  fileprivate func isOf(_ reading: Reading) -> Bool {
    SampleIdentity(reading).parts == self
      || SampleIdentity(reading, isClockTrusted: false).parts == self
  }

  /// Whether they are those of a reading that was streamed or not, which no row says.
  fileprivate func mayBe(of reading: Reading) -> Bool {
    var streamed = reading
    streamed.isStreamed = true
    return isOf(reading) || SampleIdentity(streamed).parts == self
  }

  /// The key of the series.
  var series: SeriesKey {
    SeriesKey(device: device, quantity: quantity.rawValue, userIndex: userIndex ?? -1)
  }

  /// The time as the column holds it.
  var column: Int64 {
    switch time {
    case .clock(let clock): clock.digits
    case .arrival(let microseconds), .broadcast(let microseconds): microseconds
    }
  }
}

extension LocalDateTime {
  /// The digits of the clock as one number, `20261121071002`, which no arrival since 1970-08 is.
  fileprivate var digits: Int64 {
    [month, day, hour, minute, second].reduce(Int64(year)) { $0 * 100 + Int64($1) }
  }
}

extension String {
  /// The text, or `nil` if it is empty.
  var nonEmpty: String? { isEmpty ? nil : self }
}

// MARK: - Sample member

/// A single measurement, with what its computed columns are computed from.
///
/// The measured values never change.
struct SampleMember: ExportedRow {
  /// Grows with every row: the order of storing; 0 of one that was not read.
  var number: Int64 = 0
  var series: Int64 = 0
  var source: Int64 = 0
  /// The parts that make it the same sample when it arrives again, beside series, ordinal and bytes: the time
  /// (the digits of the device's clock, or µs since 1970), or a text for any other identity.
  var time: Int64 = 0
  var basis = IdentityBasis.arrival
  var identity = ""
  var sample = Sample(
    reading: Reading(
      quantity: .bodyMass, value: 0, arrival: Date(microseconds: 0),
      device: DeviceIdentity(address: "")),
    start: Date(microseconds: 0), end: Date(microseconds: 0))
  /// The patient that it was attributed to on arrival, or the reason why it was unassigned.
  var attributed: String?
  var reason: String?
  /// The parts that many samples share, of one that is read or exchanged.
  private var seriesKey = SeriesKey()
  private var sourceKey = SourceKey()
  private var sourceNumber: Double?

  static let kind: String? = "sample"
  static let table = Table(
    "sample", of: Self.self,
    indexes: [
      "CREATE UNIQUE INDEX sample_identity ON sample (series, time, ordinal, raw, identity)",
      "CREATE INDEX sample_of ON sample (patient, quantity, start_date)",
      """
      CREATE INDEX sample_by_length ON sample (patient, quantity, end_date - start_date)
        WHERE end_date > start_date
      """,
      "CREATE INDEX sample_text ON sample (identity) WHERE identity <> ''",
      "CREATE INDEX sample_corrected ON sample (corrects) WHERE corrects IS NOT NULL",
      "CREATE INDEX sample_given ON sample (attributed) WHERE attributed IS NOT patient",
      "CREATE INDEX sample_total ON sample (series, start_date) WHERE total IS NOT NULL",
    ])

  mutating func fields<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
    try visitor.column("series", &series, sql: "REFERENCES series (number)")
    try visitor.column("source", &source, sql: "REFERENCES source (number)")
    try visitor.column("time", &time)
    try visitor.field("ordinal", &sample.reading.ordinal, default: 0)
    try visitor.field("raw", &sample.reading.raw, default: [])
    try visitor.column("identity", &identity)
    try visitor.column("basis", &basis)
    // Its own quantity, for the index.
    try visitor.column("quantity", &sample.reading.quantity)
    try visitor.field("value", &sample.reading.value)
    sourceNumber = sample.reading.sourceValue?.value
    try visitor.field("sourceValue", in: "source_value", &sourceNumber)
    try visitor.field("start", in: "start_date", &sample.start)
    try visitor.field("end", in: "end_date", &sample.end, default: sample.start)
    try visitor.field("arrival", in: "arrival_date", &sample.reading.arrival)
    // The time of the device's clock; kept also when it is not believed.
    try visitor.field("deviceTime", in: "device_time", &sample.reading.deviceTime)
    try visitor.field(
      "clockTrusted", in: "is_clock_trusted", &sample.isClockTrusted, default: true)
    try visitor.field("context", &sample.reading.context, default: [])
    try visitor.field("discardedBy", in: "discarded_by", &sample.reading.discardedBy)
    try visitor.field("total", &sample.reading.total)
    try visitor.field("counter", &sample.reading.counter)
    try visitor.field("corrects", &sample.corrects)
    try visitor.id("attributed", &attributed)
    try visitor.field("reason", &reason)
    // Whose it is and whether it counts, after every change.
    try visitor.column("patient", &sample.patient)
    try visitor.column("state", &sample.state)
    try visitor.key("broadcast", &sample.reading.isBroadcast, default: false)
    guard V.isOfParts else { return }
    if V.isOfKeys {
      (seriesKey, sourceKey) = (SeriesKey(sample.reading), SourceKey(sample))
      try visitor.key("identity", &sample.identity)
    }
    try visitor.part(&seriesKey)
    try visitor.part(&sourceKey)
    join(asExported: V.isOfKeys)
  }

  /// Gives the sample what the fields say together.
  private mutating func join(asExported isExported: Bool) {
    sample.reading.device = DeviceIdentity(
      address: DeviceID(seriesKey.device), definition: sourceKey.definition.nonEmpty)
    sample.reading.userIndex = seriesKey.userIndex < 0 ? nil : seriesKey.userIndex
    sample.reading.kind = sourceKey.kind.nonEmpty
    sample.provenance = sourceKey.provenance
    sample.reading.sourceValue = nil
    if let sourceNumber, let unit = UnitOfMeasure(sourceKey.unit) {
      sample.reading.sourceValue = SourceValue(value: sourceNumber, unit: unit)
    }
    sample.reading.interval =
      sample.start < sample.end ? DateInterval(start: sample.start, end: sample.end) : nil
    guard !isExported else {
      if let quantity = Quantity(rawValue: seriesKey.quantity) {
        sample.reading.quantity = quantity
      }
      (sample.patient, sample.unassignedReason) = (attributed, reason)
      return
    }
    sample.unassignedReason = sample.patient == nil ? reason : nil
    sample.reading.isBroadcast = basis == .broadcast
    if !identity.isEmpty {
      sample.identity = SampleIdentity(text: identity)
    } else if sample.deviceTime != nil, (basis == .clock) != sample.isClockTrusted {
      sample.identity = SampleIdentity(sample.reading, isClockTrusted: basis == .clock)
    }
  }

  func checkTogether() throws(StoreError.ExportDamage) {
    try seriesKey.checkQuantity()
    guard sample.start <= sample.end else {
      throw .value(String(sample.end.microseconds), field: "end")
    }
    if !sourceKey.unit.isEmpty {
      guard let unit = UnitOfMeasure(sourceKey.unit),
        unit.dimension == sample.quantity.unit.dimension
      else { throw .unknownUnit(sourceKey.unit) }
      guard sourceNumber != nil else { throw .field("sourceValue") }
    }
    try sample.reading.checkTotal()
    // Under the name of another reading it would hide that one, or stand beside it.
    if let parts = sample.identity.parts {
      guard parts.mayBe(of: sample.reading) else {
        throw .value(sample.identity.text, field: "identity")
      }
    }
  }

  init() {}

  /// Makes the row of a sample.
  init(_ sample: Sample, attributed: String?, series: Int64, source: Int64, key: IdentityKey) {
    self.sample = sample
    // A correction stands in place of what was added, and is no total.
    if sample.corrects != nil {
      (self.sample.reading.total, self.sample.reading.counter) = (nil, nil)
    }
    (self.series, self.source) = (series, source)
    (time, basis, identity) = (key.time, key.basis, key.text)
    (self.attributed, reason) = (attributed, sample.unassignedReason)
  }

  /// Reads a row of ``Sample/select``.
  init(_ row: Row) throws {
    try self.init(reading: row)
    number = try row.required("number")
    if !sourceKey.unit.isEmpty, sample.reading.sourceValue == nil {
      throw ColumnError(column: "unit", content: sourceKey.unit)
    }
  }

  var isBroadcast: Bool { basis == .broadcast }

  /// Whether a row is the same broadcast, received shortly after this one.
  func isReceivedAgain(as other: SampleMember) -> Bool {
    series == other.series && sample.ordinal == other.sample.ordinal
      && sample.reading.raw == other.sample.reading.raw
      && other.time - time <= SQLTransaction.broadcastWindow
  }
}

extension Sample {
  /// Reads rows of samples with their series and source.
  static let select = """
    SELECT sample.*, series.device, series.quantity, series.user_index, source.definition,
      source.kind, source.provenance, source.unit
    FROM sample JOIN series ON series.number = sample.series
      JOIN source ON source.number = sample.source
    """

  /// Reads a row of ``select``.
  init(_ row: Row) throws {
    self = try SampleMember(row).sample
  }
}

/// Whether a sample counts, as a number.
extension Sample.State: ColumnValue {
  static var columnType: ColumnType { .integer }
  static func condition(on column: String) -> String? { "\(column) BETWEEN 0 AND 5" }

  /// The number in the column `state`.
  var number: Int {
    switch self {
    case .live: 0
    case .deleted: 1
    case .corrected: 2
    case .duplicate: 3
    case .disowned: 4
    case .notTaken: 5
    }
  }

  init?(number: Int) {
    guard let state = Self.allCases.first(where: { $0.number == number }) else { return nil }
    self = state
  }

  init?(_ cell: Cell) {
    guard let number = Int(cell) else { return nil }
    self.init(number: number)
  }

  func add(to parameters: inout Parameters) { parameters.add(number) }
}

extension Reading {
  /// Refuses a running total without the rule of its counter, and the rule without a total.
  func checkTotal() throws(StoreError.ExportDamage) {
    switch (total, counter) {
    case (nil, nil), (.some, .some): break
    case (nil, .some(let counter)): throw .value(counter.text, field: "counter")
    case (.some, nil): throw .field("counter")
    }
  }
}
