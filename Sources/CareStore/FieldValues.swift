import Care
import Foundation

// The types of fields: how a column and a key hold each, and what it may be.

/// A type of which a column is.
protocol ColumnValue {
  /// The type of the column.
  static var columnType: ColumnType { get }
  /// The condition that every value of the column meets; `nil` if the type says it all.
  static func condition(on column: String) -> String?
  /// `nil` if the column holds something else.
  init?(_ cell: Cell)
  /// Reads a column that is not NULL.
  static func read(_ row: Row, _ column: String) throws -> Self
  func add(to parameters: inout Parameters)
}

extension ColumnValue {
  static func condition(on column: String) -> String? { nil }
  static func read(_ row: Row, _ column: String) throws -> Self { try row.required(column) }
}

/// A type of which a value of a line of an export is.
protocol KeyValue: Equatable {
  associatedtype Code: Decodable
  init(code: Code, _ key: String) throws(StoreError.ExportDamage)
  /// The value as JSON.
  var json: String { get }
  /// No fewer bytes than ``json`` has, which is quicker to say.
  var mostBytes: Int { get }
  /// Refuses what no store holds; `key` names the field.
  func check(_ key: String) throws(StoreError.ExportDamage)
}

extension KeyValue {
  var mostBytes: Int { json.utf8.count }

  func check(_ key: String) throws(StoreError.ExportDamage) {}
}

extension KeyValue where Code == Self {
  init(code: Code, _ key: String) throws(StoreError.ExportDamage) {
    self = code
    try check(key)
  }
}

/// A type that both have.
typealias FieldValue = ColumnValue & KeyValue

// MARK: - Numbers

extension ColumnValue where Self: FixedWidthInteger {
  static var columnType: ColumnType { .integer }

  init?(_ cell: Cell) {
    guard case .integer(let value) = cell else { return nil }
    self.init(exactly: value)
  }

  func add(to parameters: inout Parameters) { parameters.add(Int64(self)) }
}

extension Int32: ColumnValue {}
extension UInt16: ColumnValue {}

/// A number of any size.
extension Int64: FieldValue {
  typealias Code = Int64

  var json: String { String(self) }
}

/// A place in a frame, schedule or list; that of a performed measurement's figure is a hash of 32
/// bits.
extension Int: FieldValue {
  typealias Code = Int

  var json: String { String(self) }

  func check(_ key: String) throws(StoreError.ExportDamage) {
    guard !(0...Int(UInt32.max)).contains(self) else { return }
    throw .value(String(self), field: key)
  }
}

extension Double: FieldValue {
  typealias Code = Double

  static var columnType: ColumnType { .real }

  init?(_ cell: Cell) {
    switch cell {
    case .real(let value): self = value
    case .integer(let value): self = Double(value)
    case .null, .text, .blob: return nil
    }
  }

  func add(to parameters: inout Parameters) { parameters.add(self) }

  var json: String { String(self) }
  var mostBytes: Int { 24 }

  func check(_ key: String) throws(StoreError.ExportDamage) {
    guard !isFinite else { return }
    throw .value(String(self), field: key)
  }
}

extension Bool: FieldValue {
  typealias Code = Bool

  static var columnType: ColumnType { .integer }
  static func condition(on column: String) -> String? { "\(column) BETWEEN 0 AND 1" }

  init?(_ cell: Cell) {
    guard case .integer(let value) = cell else { return nil }
    self = value != 0
  }

  func add(to parameters: inout Parameters) { parameters.add(self ? 1 : 0 as Int64) }

  var json: String { self ? "true" : "false" }
}

// MARK: - Instants

/// An instant of the years 1 to 9999, µs since 1970.
struct Instant: FieldValue {
  var microseconds: Int64

  static var columnType: ColumnType { .integer }

  init(microseconds: Int64) { self.microseconds = microseconds }

  init?(_ cell: Cell) {
    guard case .integer(let value) = cell else { return nil }
    microseconds = value
  }

  init(code: Int64, _ key: String) throws(StoreError.ExportDamage) {
    microseconds = code
    try check(key)
  }

  func add(to parameters: inout Parameters) { parameters.add(microseconds) }

  var json: String { String(microseconds) }

  func check(_ key: String) throws(StoreError.ExportDamage) {
    guard !Export.dates.contains(microseconds) else { return }
    throw .value(String(microseconds), field: key)
  }
}

extension Date: FieldValue {
  static var columnType: ColumnType { .integer }

  init?(_ cell: Cell) {
    guard case .integer(let value) = cell else { return nil }
    self.init(microseconds: value)
  }

  init(code: Int64, _ key: String) throws(StoreError.ExportDamage) {
    self.init(microseconds: try Instant(code: code, key).microseconds)
  }

  func add(to parameters: inout Parameters) { parameters.add(microseconds) }

  var json: String { String(microseconds) }

  func check(_ key: String) throws(StoreError.ExportDamage) {
    try Instant(microseconds: microseconds).check(key)
  }
}

/// The number of a row among its writer's.
struct RowClock: FieldValue {
  var number: Int64

  static var columnType: ColumnType { .integer }

  init(number: Int64) { self.number = number }

  init?(_ cell: Cell) {
    guard case .integer(let value) = cell else { return nil }
    number = value
  }

  init(code: Int64, _ key: String) throws(StoreError.ExportDamage) {
    number = code
    try check(key)
  }

  func add(to parameters: inout Parameters) { parameters.add(number) }

  var json: String { String(number) }

  func check(_ key: String) throws(StoreError.ExportDamage) {
    guard number <= 0 || number >= 1 << 53 else { return }
    throw .value(String(number), field: key)
  }
}

// MARK: - Texts

/// A text without U+0000, after which an engine would truncate or refuse it.
extension String: FieldValue {
  typealias Code = String

  static var columnType: ColumnType { .text }

  init?(_ cell: Cell) {
    guard case .text(let value) = cell else { return nil }
    self = value
  }

  func add(to parameters: inout Parameters) { parameters.add(self) }

  var json: String { JSONLine.quoted(self) }
  var mostBytes: Int { JSONLine.mostBytes(of: self) }

  func check(_ key: String) throws(StoreError.ExportDamage) {
    guard utf8.contains(0) else { return }
    throw .value(replacing("\0", with: "␀"), field: key)
  }
}

/// A type that columns and keys hold as a text.
protocol TextValue: FieldValue where Code == String {
  /// `nil` if it is not the text of a value.
  init?(text: String)
  var text: String { get }
}

extension TextValue {
  static var columnType: ColumnType { .text }

  init?(_ cell: Cell) {
    guard case .text(let text) = cell else { return nil }
    self.init(text: text)
  }

  init(code: String, _ key: String) throws(StoreError.ExportDamage) {
    guard let value = Self(text: code) else { throw .value(code, field: key) }
    self = value
    try check(key)
  }

  func add(to parameters: inout Parameters) { parameters.add(text) }

  var json: String { JSONLine.quoted(text) }
  var mostBytes: Int { JSONLine.mostBytes(of: text) }
}

/// A text that is not empty.
struct ID: TextValue {
  var text: String

  init(text: String) { self.text = text }

  func check(_ key: String) throws(StoreError.ExportDamage) {
    guard !text.isEmpty else { throw .value("", field: key) }
    try text.check(key)
  }
}

/// The text of a device's address or name, spelt as this program spells it.
struct DeviceText: TextValue {
  var text: String

  init(text: String) { self.text = text }

  func check(_ key: String) throws(StoreError.ExportDamage) {
    try ID(text: text).check(key)
    guard DeviceID(text).text == text else { throw .value(text, field: key) }
  }
}

extension SampleIdentity: TextValue {
  func check(_ key: String) throws(StoreError.ExportDamage) { try ID(text: text).check(key) }
}

extension UUID: TextValue {
  init?(text: String) {
    guard let uuid = UUID(uuidString: text), uuid.uuidString == text else { return nil }
    self = uuid
  }

  var text: String { uuidString }
  var mostBytes: Int { 38 }

  static func read(_ row: Row, _ column: String) throws -> UUID { try row.uuid(column) }
}

extension LocalDateTime: TextValue {
  var text: String { description }
}

extension RunningTotal: TextValue {}

extension TextValue where Self: RawRepresentable, RawValue == String {
  init?(text: String) { self.init(rawValue: text) }
  var text: String { rawValue }
}

extension TextValue where Self: CaseIterable & RawRepresentable, RawValue == String {
  static func condition(on column: String) -> String? {
    "\(column) IN (\(allCases.map { "'\($0.rawValue)'" }.joined(separator: ", ")))"
  }
}

extension Provenance: TextValue {}
extension Quantity: TextValue {}
extension Answer.State: TextValue {}
extension Firing.Kind: TextValue {}
extension SampleChangeDecider: TextValue {}
extension MediaType: TextValue {}

// MARK: - Lists

/// A type of which a line may have a list.
protocol ListElement: Equatable {
  associatedtype ListCode: Decodable
  static func list(_ code: ListCode, _ key: String) throws(StoreError.ExportDamage) -> [Self]
  static func json(_ list: [Self]) -> String
  static func mostBytes(_ list: [Self]) -> Int
  static func check(_ list: [Self], _ key: String) throws(StoreError.ExportDamage)
}

extension ListElement where Self: KeyValue {
  static func list(_ code: [Code], _ key: String) throws(StoreError.ExportDamage) -> [Self] {
    var list: [Self] = []
    list.reserveCapacity(code.count)
    for code in code { list.append(try Self(code: code, key)) }
    return list
  }

  static func json(_ list: [Self]) -> String {
    "[" + list.map(\.json).joined(separator: ",") + "]"
  }

  static func mostBytes(_ list: [Self]) -> Int { list.reduce(2) { $0 + $1.mostBytes + 1 } }

  static func check(_ list: [Self], _ key: String) throws(StoreError.ExportDamage) {
    for element in list { try element.check(key) }
  }
}

extension Array: KeyValue where Element: ListElement {
  init(code: Element.ListCode, _ key: String) throws(StoreError.ExportDamage) {
    self = try Element.list(code, key)
  }

  var json: String { Element.json(self) }
  var mostBytes: Int { Element.mostBytes(self) }

  func check(_ key: String) throws(StoreError.ExportDamage) { try Element.check(self, key) }
}

extension Int: ListElement {}
extension Int64: ListElement {}
extension Double: ListElement {}
extension String: ListElement {}
extension UUID: ListElement {}
extension Instant: ListElement {}

/// Bytes are hex digits in a line.
extension UInt8: ListElement {
  static func list(_ code: String, _ key: String) throws(StoreError.ExportDamage) -> [UInt8] {
    guard let bytes = [UInt8](hex: code) else { throw .value(code, field: key) }
    return bytes
  }

  static func json(_ list: [UInt8]) -> String { "\"\(list.hexString)\"" }

  static func mostBytes(_ list: [UInt8]) -> Int { 2 * list.count + 2 }

  static func check(_ list: [UInt8], _ key: String) throws(StoreError.ExportDamage) {}
}

extension Array: ColumnValue where Element == UInt8 {
  static var columnType: ColumnType { .blob }

  init?(_ cell: Cell) {
    guard case .blob(let data) = cell else { return nil }
    self = Array(data)
  }

  func add(to parameters: inout Parameters) { parameters.add(self) }
}

extension Data: ColumnValue {
  static var columnType: ColumnType { .blob }

  init?(_ cell: Cell) {
    guard case .blob(let value) = cell else { return nil }
    self = value
  }

  func add(to parameters: inout Parameters) { parameters.add(Array(self)) }
}

/// Names, separated by spaces in a column.
extension MeasurementContext: FieldValue {
  static var columnType: ColumnType { .text }

  init?(_ cell: Cell) {
    guard case .text(let names) = cell else { return nil }
    self.init(names: names)
  }

  init(code: [String], _ key: String) throws(StoreError.ExportDamage) {
    self = []
    for name in code {
      guard let part = MeasurementContext(name: name) else { throw .value(name, field: key) }
      insert(part)
    }
  }

  func add(to parameters: inout Parameters) { parameters.add(names.joined(separator: " ")) }

  var json: String { names.json }
}
