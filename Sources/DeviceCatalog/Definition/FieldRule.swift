import Care
import Foundation
import GATT
import StrictYAML

/// One field of a frame.
struct FieldRule: Sendable {
  var name: String
  var type: FieldType
  /// Its first byte; `nil` for the end of the previous field.
  var at: Int?
  /// The bits of the integer that are used; `nil` for all.
  var bits: BitRange?
  /// The bits of a number of the type ``FieldType/bits``, the most significant first.
  var parts: [BitPart] = []
  /// Whether the field is present in the frame.
  var presence: FlagTest?
  /// Whether its value is valid; an invalid one is still present.
  var validity: FlagTest?
  /// Whether it repeats until the frame ends.
  var repeats = false
  /// Numbers that mean "no value".
  var invalid: Set<Int64> = []
  /// The meaning of the value; `nil` for a field that is only used by the tests of others.
  var value: ValueRule?
  /// The part of the frame's time that it is, if any.
  var time: TimeRule?
  /// The context that a number other than 0 gives to the frame's measurements.
  var context: MeasurementContext?
  var origin: YAMLLocation
}

extension FieldRule {
  /// The number of bits of an integer.
  var bitCount: Int {
    type == .bits ? parts.reduce(0) { $0 + $1.count } : bits?.count ?? 8 * type.width
  }

  /// The bits of an unsigned integer, after whose last number it starts again at 0; 0 for others.
  var countingBits: Int {
    switch type {
    case .u8, .u16le, .u16be, .u24le, .u24be, .u32le, .u32be: bits?.count ?? 8 * type.width
    default: 0
    }
  }
}

/// Some bits of an integer field.
struct BitRange: Hashable, Sendable {
  /// The lowest, from 0.
  var first: Int
  var count: Int

  /// Those bits of `value` as an unsigned number.
  func of(_ value: Int64) -> Int64 {
    Int64(bitPattern: UInt64(bitPattern: value) >> UInt64(first) & (1 << UInt64(count) - 1))
  }
}

/// A test of earlier fields: `flags.1`, `not state.7`, `unit = 2 and not state.0`.
struct FlagTest: Hashable, Sendable {
  /// The terms, all of which must hold.
  var terms: [Term]

  /// One bit or the whole number of a field.
  struct Term: Hashable, Sendable {
    var field: String
    var operand: Operand
    /// Whether the bit is set, or the number is the one given.
    var isTrue: Bool
  }

  enum Operand: Hashable, Sendable {
    /// A bit, from the least significant, 0.
    case bit(Int)
    case number(Int64)
  }

  /// A test of one bit.
  init(field: String, bit: Int, isSet: Bool) {
    terms = [Term(field: field, operand: .bit(bit), isTrue: isSet)]
  }

  init(_ terms: [Term]) {
    self.terms = terms
  }

  func holds(in fields: FrameFields) -> Bool {
    for term in terms where !term.holds(for: fields[term.field] ?? 0) { return false }
    return true
  }
}

extension FlagTest: CustomStringConvertible {
  /// The test as it is written in a definition: `unit = 2 and not state.0`.
  var description: String {
    terms.map { term in
      switch term.operand {
      case .bit: term.isTrue ? term.description : "not \(term)"
      case .number(let number): "\(term) \(term.isTrue ? "=" : "!=") \(number)"
      }
    }.joined(separator: " and ")
  }
}

extension FlagTest.Term: CustomStringConvertible {
  func holds(for number: Int64) -> Bool {
    switch operand {
    case .bit(let bit): (number >> Int64(bit) & 1 == 1) == isTrue
    case .number(let wanted): (number == wanted) == isTrue
    }
  }

  /// The tested bit or field: `flags.1`, `unit`.
  var description: String {
    switch operand {
    case .bit(let bit): "\(field).\(bit)"
    case .number: field
    }
  }
}

/// Some bits of one byte of a frame.
struct BitPart: Hashable, Sendable {
  /// The byte.
  var at: Int
  /// The lowest bit, from 0.
  var first: Int
  var count: Int
}

/// The quantity of a field and its scales.
struct ValueRule: Sendable {
  var quantity: Quantity
  /// The first scale whose condition holds is used; the last has no condition.
  var scales: [ScaleRule]
  /// How the device counts what adds up; `nil` if the definition does not say so.
  var counter: CounterRule?
}

/// How a device counts what adds up.
enum CounterRule: String, Hashable, Sendable, CaseIterable {
  /// The total since the midnight of its clock.
  case daily
  /// The total since it was switched on or made.
  case continuous
  /// Each value is what was added, as in a record of one minute.
  case none

  /// The running total of a field of that many bits, 0 without a fixed number; `nil` for ``none``.
  func total(bits: Int, _ unit: ScaleRule, of quantity: Quantity) -> RunningTotal? {
    switch self {
    case .none: return nil
    case .daily: return RunningTotal(.daily)
    case .continuous:
      let values = bits == 0 ? nil : Double(UInt64(1) << UInt64(bits))
      return RunningTotal(
        .continuous,
        limit: values.flatMap { unit.unit.convert(unit.scale.of($0), to: quantity.unit) })
    }
  }
}

/// Number × scale + offset, in a unit.
struct ScaleRule: Sendable {
  var condition: FlagTest?
  var scale: Ratio
  var offset: Ratio
  var unit: UnitOfMeasure
}

// MARK: - Types

/// The encoding of a field.
enum FieldType: String, Hashable, Sendable, CaseIterable {
  case u8, s8
  case u16le, s16le, u16be, s16be
  case u24le, u24be
  case u32le, s32le, u32be, s32be
  case f32le
  /// IEEE 11073 16-bit float, little endian.
  case sfloat
  /// IEEE 11073 32-bit float, little endian.
  case float
  /// Seven bytes: year, month, day, hour, minute, second of the device's clock.
  case dateTime
  /// An unsigned number whose bits are in several bytes; it takes no place among the other fields.
  case bits

  /// The length in bytes.
  var width: Int {
    switch self {
    case .u8, .s8: 1
    case .u16le, .s16le, .u16be, .s16be, .sfloat: 2
    case .u24le, .u24be: 3
    case .u32le, .s32le, .u32be, .s32be, .f32le, .float: 4
    case .dateTime: 7
    case .bits: 0
    }
  }

  /// Whether the field is an integer, as flags, bits and motion require.
  var isInteger: Bool {
    switch self {
    case .f32le, .sfloat, .float, .dateTime: false
    default: true
    }
  }

  /// The integer in `bytes`, which are exactly ``width`` long; `nil` for other types.
  func integer(_ bytes: some BidirectionalCollection<UInt8>) -> Int64? {
    guard isInteger, self != .bits, bytes.count == width else { return nil }
    var value: Int64 = 0
    if isBigEndian {
      for byte in bytes { value = value << 8 | Int64(byte) }
    } else {
      for byte in bytes.reversed() { value = value << 8 | Int64(byte) }
    }
    let signBit = Int64(1) << Int64(8 * width - 1)
    return isSigned && value & signBit != 0 ? value - 2 * signBit : value
  }

  /// Whether the most significant byte comes first.
  var isBigEndian: Bool {
    switch self {
    case .u16be, .s16be, .u24be, .u32be, .s32be: true
    default: false
    }
  }

  private var isSigned: Bool {
    switch self {
    case .s8, .s16le, .s16be, .s32le, .s32be: true
    default: false
    }
  }
}

extension FieldType {
  /// The number in the `bytes` of a floating-point field; `nil` for special values and other types.
  func number(_ bytes: some Collection<UInt8>) -> Double? {
    var reader = ByteReader(bytes)
    switch self {
    case .f32le: return (try? reader.f32("number")).map(Double.init)
    case .sfloat: return (try? reader.sfloat("number"))?.doubleValue
    case .float: return (try? reader.float("number"))?.doubleValue
    default: return nil
    }
  }
}

// MARK: - Reading

extension FieldRule {
  init(_ node: YAMLNode) throws(YAMLError) {
    origin = node.location
    var field = try node.mapping()
    name = try field.required("name").string()
    type = try field.required("type").choice()
    at = try field.optional("at")?.integer(in: 0...511)
    bits = try field.optional("bits").map(BitRange.init(_:))
    parts = try field.optional("parts")?.elements(atMost: 8, BitPart.init(_:)) ?? []
    presence = try field.optional("if")?.flagTest()
    validity = try field.optional("validIf")?.flagTest()
    repeats = try field.optional("repeat").map(Repetition.init(_:)) != nil
    let invalid =
      try field.optional("invalid")?.elements(atMost: 16) { node throws(YAMLError) in
        Int64(try node.integer())
      } ?? []
    self.invalid = Set(invalid)
    value = try ValueRule(&field)
    time = try TimeRule(&field)
    let contextNode = field.optional("context")
    context = try contextNode?.measurementContext()
    try field.finish()
    if let contextNode, !type.isInteger || value != nil || time != nil {
      throw contextNode.error("a context is an integer without a quantity, and no part of the time")
    }
    if let time {
      guard time.part.isRead else {
        throw node.error("‘\(time.part.rawValue)’ is only written")
      }
      guard type.isInteger, value == nil, !repeats else {
        throw node.error("a part of the time is one integer without a quantity")
      }
    }
    if bits != nil && !type.isInteger || !invalid.isEmpty && type == .dateTime {
      throw node.error(
        "‘bits’ are for integers and ‘invalid’ is for numbers, ‘\(type.rawValue)’ is none")
    }
    guard (type == .bits) == !parts.isEmpty else {
      throw node.error("a number of the type ‘bits’ has ‘parts’, no other has")
    }
    if type == .bits, at != nil || bits != nil || repeats {
      throw node.error("the ‘parts’ say which bits and bytes are used")
    }
    guard parts.reduce(0, { $0 + $1.count }) <= 32 else {
      throw node.error("the ‘parts’ have more than 32 bits")
    }
    if repeats, at != nil { throw node.error("a field that repeats cannot stay at one place") }
  }

  /// The repetition of a field.
  private struct Repetition {
    init(_ node: YAMLNode) throws(YAMLError) {
      guard try node.string() == "toEnd" else { throw node.error("‘repeat’ can only be ‘toEnd’") }
    }
  }
}

extension BitPart {
  fileprivate init(_ node: YAMLNode) throws(YAMLError) {
    var part = try node.mapping()
    at = try part.required("at").integer(in: 0...511)
    first = try part.optional("first")?.integer(in: 0...7) ?? 0
    count = try part.optional("count")?.integer(in: 1...8) ?? 8 - first
    try part.finish()
    guard first + count <= 8 else { throw node.error("a byte has eight bits, from 0 to 7") }
  }
}

extension BitRange {
  fileprivate init(_ node: YAMLNode) throws(YAMLError) {
    var bits = try node.mapping()
    first = try bits.required("first").integer(in: 0...31)
    count = try bits.required("count").integer(in: 1...32)
    try bits.finish()
  }
}

extension ValueRule {
  /// Reads `quantity` with `scale`, `offset`, `unit`, or with `scales`; `nil` without a quantity.
  fileprivate init?(_ field: inout MappingReader) throws(YAMLError) {
    let quantityNode = field.optional("quantity")
    let scalesNode = field.optional("scales")
    let single = ["scale", "offset", "unit"].compactMap { field.optional($0) }
    let counterNode = field.optional("counter")
    guard let quantityNode else {
      if let lost = scalesNode ?? single.first {
        throw lost.error("a scale or unit without a ‘quantity’")
      }
      if let counterNode { throw counterNode.error("a counter without a ‘quantity’") }
      return nil
    }
    let quantity = try quantityNode.quantity()
    self.quantity = quantity
    counter = try counterNode?.choice()
    if let counterNode, quantity.aggregation != .cumulative {
      throw counterNode.error("\(quantity.rawValue) does not add up, so nothing counts it")
    }
    if let scalesNode {
      guard single.isEmpty else {
        throw scalesNode.error("‘scales’ takes the place of ‘scale’, ‘offset’ and ‘unit’")
      }
      scales = try scalesNode.elements(atMost: 16) { node throws(YAMLError) in
        var scale = try node.mapping()
        let rule = try ScaleRule(&scale, of: quantity)
        try scale.finish()
        return rule
      }
      guard let last = scales.last, last.condition == nil else {
        throw scalesNode.error("the last of ‘scales’ must hold without an ‘if’")
      }
    } else {
      scales = [try ScaleRule(&field, of: quantity, takesCondition: false)]
    }
  }
}

extension ScaleRule {
  fileprivate init(
    _ mapping: inout MappingReader, of quantity: Quantity, takesCondition: Bool = true
  ) throws(YAMLError) {
    condition =
      takesCondition
      ? try mapping.optional("if")?.flagTest() : nil
    let scaleNode = mapping.optional("scale")
    scale = try scaleNode?.ratio() ?? .one
    if let scaleNode, scale == .zero {
      throw scaleNode.error("a scale of 0 makes every value the same")
    }
    offset =
      try mapping.optional("offset")?.ratio() ?? .zero
    let unitNode = mapping.optional("unit")
    unit = try unitNode?.unit() ?? quantity.unit
    guard unit.convert(1, to: quantity.unit) != nil else {
      throw (unitNode?.location ?? mapping.location).error(
        "‘\(unit.code)’ does not measure \(quantity.rawValue), which is in \(quantity.unit.code)")
    }
  }
}

// MARK: - Time part

/// A number of a device's time, in a frame that is read or written.
enum TimePart: String, Hashable, Sendable, CaseIterable {
  /// Seconds since the start of 1970, 2000 or 2010.
  case since1970, since2000, since2010
  /// The year; of one byte, or of fewer bits, the years since 2000.
  case year
  case month, day, hour, minute, second
  /// Seconds that have passed since the measurement. Only read.
  case age
  /// The day of the week, from Monday, 1. Only written.
  case weekday
  /// The day of the year, from 1. Only written.
  case dayOfYear
  /// The minutes by which the zone is ahead of UTC, daylight-saving time included. Only written.
  case zoneMinutes

  /// The start of the count in seconds since 1970; `nil` for other parts.
  var epoch: Int64? {
    switch self {
    case .since1970: 0
    case .since2000: 946_684_800
    case .since2010: 1_262_304_000
    default: nil
    }
  }

  /// Whether a frame that is read may have it.
  var isRead: Bool {
    switch self {
    case .weekday, .dayOfYear, .zoneMinutes: false
    default: true
    }
  }

  /// Whether a frame that is written may have it.
  var isWritten: Bool { self != .age }
}

/// A part of a time, and the clock that counts its seconds.
struct TimeRule: Hashable, Sendable {
  var part: TimePart
  /// Whether the seconds since an epoch are those of a clock that shows local time, not UTC.
  var isLocal = false
}

extension TimeRule {
  /// Reads `time` and `zone`; `nil` without a `time`.
  init?(_ mapping: inout MappingReader) throws(YAMLError) {
    let zone = mapping.optional("zone")
    guard let time = mapping.optional("time") else {
      if let zone { throw zone.error("a ‘zone’ without a ‘time’") }
      return nil
    }
    part = try time.choice()
    if let zone {
      guard part.epoch != nil else {
        throw zone.error("‘zone’ is for seconds since an epoch; other parts are always local")
      }
      isLocal = try zone.choice(of: Zone.self) == .local
    }
  }

  private enum Zone: String, CaseIterable { case utc, local }
}

// MARK: - Written

extension TimeRule {
  /// The number at `time` for a clock in `timeZone`, in a field of some bits.
  func number(at time: Date, in timeZone: TimeZone, bits: Int) -> Int64 {
    if let epoch = part.epoch {
      let seconds = time.microseconds / 1_000_000
      let offset = isLocal ? Int64(timeZone.secondsFromGMT(for: time)) : 0
      return seconds + offset - epoch
    }
    let local = LocalDateTime(time, in: timeZone)
    switch part {
    case .year: return Int64(bits <= 8 ? local.year - 2000 : local.year)
    case .month: return Int64(local.month)
    case .day: return Int64(local.day)
    case .hour: return Int64(local.hour)
    case .minute: return Int64(local.minute)
    case .second: return Int64(local.second)
    case .weekday:
      // The first day of 1970 was a Thursday.
      return (Self.days(local) % 7 + 10) % 7 + 1
    case .dayOfYear:
      return Self.days(local) - Self.days(LocalDateTime(year: local.year, month: 1, day: 1)) + 1
    case .zoneMinutes: return Int64(timeZone.secondsFromGMT(for: time) / 60)
    case .age, .since1970, .since2000, .since2010: return 0
    }
  }

  private static func days(_ time: LocalDateTime) -> Int64 {
    (time.secondsSince1970 ?? 0) / 86_400
  }
}

// MARK: - Read

/// The time of a frame, put together from its parts.
struct FrameTime: Hashable, Sendable {
  /// When the frame arrived; `nil` if that is unknown.
  var arrival: Date?
  var timeZone: TimeZone
  private var whole: LocalDateTime?
  /// Whether it was counted back from the arrival.
  private(set) var isAge = false
  private var parts: [TimePart: Int] = [:]

  init(arrival: Date?, timeZone: TimeZone) {
    self.arrival = arrival
    self.timeZone = timeZone
  }

  /// Adds a whole time; `nil` for one that the device does not know.
  mutating func add(_ time: LocalDateTime?) { whole = time }

  /// Adds a number of `bits` bits.
  mutating func add(_ number: Int64, _ rule: TimeRule, bits: Int) {
    if let epoch = rule.part.epoch {
      let date = Date(timeIntervalSince1970: Double(number + epoch))
      whole = LocalDateTime(date, in: rule.isLocal ? .gmt : timeZone)
    } else if rule.part == .age {
      whole = arrival.map { LocalDateTime($0.addingTimeInterval(-Double(number)), in: timeZone) }
      isAge = true
    } else {
      parts[rule.part] = Int(number) + (rule.part == .year && bits <= 8 ? 2000 : 0)
    }
  }

  /// The time; `nil` if the frame has none, or no year, month or day.
  var value: LocalDateTime? {
    if let whole { return whole }
    guard let year = parts[.year], let month = parts[.month], let day = parts[.day],
      year > 0, month > 0, day > 0
    else { return nil }
    return LocalDateTime(
      year: year, month: month, day: day, hour: parts[.hour] ?? 0, minute: parts[.minute] ?? 0,
      second: parts[.second] ?? 0)
  }
}
