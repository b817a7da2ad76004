import Care
import Foundation
import GRDB

// MARK: - Series and sources

/// The key of a sample's series: the parts of its identity that many samples share.
struct SeriesKey: Hashable {
  var device: String
  var quantity: String
  /// -1 without a user slot.
  var userIndex: Int

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
}

/// The origin that many samples share; a text is empty where they name none.
struct SourceKey: Hashable {
  var definition: String
  var kind: String
  var provenance: Provenance
  var unit: String
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
    try execute(
      "INSERT INTO series (device, quantity, user_index) VALUES (?, ?, ?)",
      [key.device, key.quantity, key.userIndex])
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
      try execute(
        "INSERT INTO source (definition, kind, provenance, unit) VALUES (?, ?, ?, ?)", values)
      number = db.lastInsertedRowID
    }
    state.sources[key] = number
    return number ?? db.lastInsertedRowID
  }
}

// MARK: - Identities

/// The meaning of an identity's time.
enum IdentityBasis: Int {
  case clock, arrival, broadcast
}

/// An identity as the columns hold it.
struct IdentityKey {
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

// MARK: - Rows

extension Sample.State {
  /// The number in the column `state`.
  var number: Int {
    switch self {
    case .live: 0
    case .deleted: 1
    case .corrected: 2
    case .duplicate: 3
    case .disowned: 4
    }
  }

  init?(number: Int) {
    guard let state = Self.allCases.first(where: { $0.number == number }) else { return nil }
    self = state
  }
}

extension Sample {
  /// Reads rows of samples with their series and source.
  static let select = """
    SELECT sample.*, series.device, series.user_index, source.definition, source.kind,
      source.provenance, source.unit
    FROM sample JOIN series ON series.number = sample.series
      JOIN source ON source.number = sample.source
    """

  /// Reads a row of ``select``.
  init(_ row: Row) throws {
    let unit = try row.text("unit")
    var source: SourceValue?
    if !unit.isEmpty {
      source = SourceValue(
        value: try row.required("source_value"), unit: try row.parsed("unit") { UnitOfMeasure($0) })
    }
    let start = try row.date("start_date")
    let end = try row.date("end_date")
    let raw: Data = try row.required("raw")
    let userIndex: Int = try row.required("user_index")
    let basis: Int = try row.required("basis")
    let reading = Reading(
      quantity: try row.parsed("quantity", Quantity.init(rawValue:)),
      value: try row.required("value"), sourceValue: source,
      deviceTime: try row.optionalParsed("device_time", LocalDateTime.init(text:)),
      arrival: try row.date("arrival_date"),
      interval: start < end ? DateInterval(start: start, end: end) : nil,
      device: DeviceIdentity(
        address: try row.device("device"), definition: try row.text("definition").nonEmpty),
      userIndex: userIndex < 0 ? nil : userIndex, ordinal: try row.required("ordinal"),
      kind: try row.text("kind").nonEmpty, isBroadcast: basis == IdentityBasis.broadcast.rawValue,
      raw: Array(raw), counter: try row.optionalParsed("counter", RunningTotal.init(text:)),
      total: try row.optional("total"),
      context: try row.optionalParsed("context") { MeasurementContext(names: $0) } ?? [])
    let text = try row.text("identity")
    let corrects: String? = try row.optional("corrects")
    self.init(
      identity: text.isEmpty
        ? SampleIdentity(reading, isClockTrusted: basis == IdentityBasis.clock.rawValue)
        : SampleIdentity(rawValue: text), reading: reading,
      patient: try row.optional("patient"),
      unassignedReason: try row.optional("patient") as String? == nil
        ? try row.optional("reason") : nil,
      start: start, end: end, isClockTrusted: try row.required("is_clock_trusted"),
      provenance: try row.parsed("provenance", Provenance.init(rawValue:)),
      state: State(number: try row.required("state")) ?? .live,
      corrects: corrects.map(SampleIdentity.init(rawValue:)))
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
