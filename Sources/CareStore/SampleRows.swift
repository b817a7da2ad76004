import Care
import Foundation
import GRDB

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
    try store(key, in: SeriesKey.table)
    let number = db.lastInsertedRowID
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
    var number: Int64? = try row?.required("number")
    if number == nil {
      try store(key, in: SourceKey.table)
      number = db.lastInsertedRowID
    }
    state.sources[key] = number
    return number ?? db.lastInsertedRowID
  }
}

// MARK: - Identities

/// The meaning of an identity's time: the device's clock, the arrival, the arrival of a broadcast.
enum IdentityBasis: Int, ColumnValue {
  case clock, arrival, broadcast

  static var columnType: String { "INTEGER" }
  static func condition(on column: String) -> String? { "\(column) BETWEEN 0 AND 2" }

  init?(_ cell: Row.Cell) {
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
    text = ""
    // Without a clock there is nothing to trust.
    let isTimed = reading.deviceTime != nil && !reading.isStreamed
    for isTrusted in isTimed ? [true, false] : [true]
    where SampleIdentity(reading, isClockTrusted: isTrusted) == identity {
      if let clock = reading.deviceTime, isTrusted {
        (time, basis) = (clock.digits, .clock)
      } else {
        (time, basis) = (
          reading.arrival.microseconds, reading.isBroadcast ? .broadcast : .arrival
        )
      }
      if !reading.isStreamed { return }
    }
    time = reading.arrival.microseconds
    basis = .arrival
    text = identity.rawValue
  }
}

/// The parts that an identity's text has, if it is one that a reading gives.
struct IdentityParts {
  var series: SeriesKey
  var time: Int64
  var ordinal: Int
  var raw: [UInt8]

  init?(_ identity: SampleIdentity) {
    // A device's name may contain the separator; what follows it has a fixed number of parts.
    let parts = identity.rawValue.split(separator: "|", omittingEmptySubsequences: false)
    guard parts.count >= 6 else { return nil }
    let last = parts.suffix(5)
    let device = parts.dropLast(5).joined(separator: "|")
    let (quantity, when) = (String(last[last.startIndex]), last[last.startIndex + 1])
    let user = last[last.startIndex + 3]
    guard let ordinal = Int(last[last.startIndex + 2]),
      let raw = [UInt8](hex: last[last.startIndex + 4]),
      let userIndex = user.isEmpty ? -1 : Int(user)
    else { return nil }
    if when.hasPrefix("a") || when.hasPrefix("b") {
      guard let time = Int64(when.dropFirst()) else { return nil }
      self.time = time
    } else {
      guard let clock = LocalDateTime(text: String(when)) else { return nil }
      time = clock.digits
    }
    series = SeriesKey(device: device, quantity: quantity, userIndex: userIndex)
    self.ordinal = ordinal
    self.raw = raw
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

extension LocalDateTime {
  /// Reads the text of ``description``; `nil` for anything else.
  ///
  /// The fields need not make a real date.
  init?(text: String) {
    let halves = text.split(separator: "T", omittingEmptySubsequences: false)
    guard halves.count == 2 else { return nil }
    let date = halves[0].split(separator: "-").compactMap { Int($0) }
    let time = halves[1].split(separator: ":").compactMap { Int($0) }
    // A device sends a year in two bytes, and every other field in one.
    guard date.count == 3, time.count == 3, date[0] <= UInt16.max,
      (date.dropFirst() + time).allSatisfy({ $0 <= UInt8.max })
    else { return nil }
    self.init(
      year: date[0], month: date[1], day: date[2], hour: time[0], minute: time[1],
      second: time[2])
    guard description == text else { return nil }
  }
}
