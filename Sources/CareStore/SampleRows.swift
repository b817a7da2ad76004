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
