import Care
import Foundation

// The lines of an export, which are visited like the rows of tables.

/// A key of a line.
struct LineKey: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }

  init(stringValue: String) { self.stringValue = stringValue }
  init?(intValue: Int) { nil }
}

/// A visitor that writes a JSON object.
struct KeyWriter: FieldVisitor {
  typealias Failure = Never
  static let isOfKeys = true

  var line: JSONLine

  mutating func key<T: KeyValue>(_ name: String, _ value: inout T, default: T?) {
    if value != `default` { line.set(name, json: value.json) }
  }

  mutating func key<T: KeyValue>(_ name: String, _ value: inout T?) {
    if let value { line.set(name, json: value.json) }
  }
}

/// A visitor that fills a row from a JSON object.
struct KeyReader: FieldVisitor {
  typealias Failure = any Error
  static let isOfKeys = true

  private let container: KeyedDecodingContainer<LineKey>
  /// The keys that fields have, and how many of them the object has.
  private var (known, found): ([String], Int)

  /// Reads an object, of which a key may be read elsewhere.
  init(_ container: KeyedDecodingContainer<LineKey>, known: String?) {
    self.container = container
    (self.known, found) = known.map { ([$0], 1) } ?? ([], 0)
    self.known.reserveCapacity(24)
  }

  mutating func key<T: KeyValue>(
    _ name: String, _ value: inout T, default: T?
  ) throws(any Error) {
    known.append(name)
    let key = LineKey(stringValue: name)
    if let `default`, !container.contains(key) { return value = `default` }
    value = try T(code: container.decode(T.Code.self, forKey: key), name)
    found += 1
  }

  mutating func key<T: KeyValue>(_ name: String, _ value: inout T?) throws(any Error) {
    known.append(name)
    let key = LineKey(stringValue: name)
    guard container.contains(key) else { return value = nil }
    value = try T(code: container.decode(T.Code.self, forKey: key), name)
    found += 1
  }

  /// Refuses keys that no field has.
  consuming func finish() throws(StoreError.ExportDamage) {
    let keys = container.allKeys
    guard keys.count != found else { return }
    let unknown = Set(keys.map(\.stringValue)).subtracting(known).min()
    if let unknown { throw .unknownField(unknown) }
  }
}

/// A visitor that refuses what a line must not say.
struct KeyCheck: FieldVisitor {
  typealias Failure = StoreError.ExportDamage
  static let isOfKeys = true

  mutating func key<T: KeyValue>(
    _ name: String, _ value: inout T, default: T?
  ) throws(StoreError.ExportDamage) {
    try value.check(name)
  }

  mutating func key<T: KeyValue>(
    _ name: String, _ value: inout T?
  ) throws(StoreError.ExportDamage) {
    try value?.check(name)
  }
}

/// A visitor that adds up the most bytes of a line.
struct KeyBound: FieldVisitor {
  typealias Failure = Never
  static let isOfKeys = true

  var bytes = 2

  mutating func key<T: KeyValue>(_ name: String, _ value: inout T, default: T?) {
    bytes += JSONLine.mostBytes(of: name) + 2 + value.mostBytes
  }

  mutating func key<T: KeyValue>(_ name: String, _ value: inout T?) {
    if let value { bytes += JSONLine.mostBytes(of: name) + 2 + value.mostBytes }
  }
}

/// A row that is a line of an export.
protocol ExportedRow: StoredRow, Sendable {
  /// The line's `kind`; `nil` for an object inside a line.
  static var kind: String? { get }
  /// Refuses fields that do not fit each other; each by itself was checked.
  func checkTogether() throws(StoreError.ExportDamage)
}

extension ExportedRow {
  func checkTogether() throws(StoreError.ExportDamage) {}

  /// The row as a line.
  var line: String {
    var writer = KeyWriter(line: JSONLine(kind: Self.kind))
    var row = self
    row.fields(&writer)
    return writer.line.text
  }

  /// No fewer bytes than ``line`` has, which is quicker to say.
  var mostBytes: Int {
    var (row, bound) = (self, KeyBound(bytes: (Self.kind ?? "").utf8.count + 16))
    row.fields(&bound)
    return bound.bytes
  }

  /// Reads a row of a line.
  init(_ container: KeyedDecodingContainer<LineKey>) throws {
    self.init()
    var reader = KeyReader(container, known: Self.kind == nil ? nil : "kind")
    try fields(&reader)
    try reader.finish()
    try checkTogether()
  }

  /// Refuses a row that could not be exported and merged again.
  func check() throws(StoreError.ExportDamage) {
    var (row, check) = (self, KeyCheck())
    try row.fields(&check)
    try checkTogether()
  }
}

extension SQLTransaction {
  /// Refuses a row whose line could not be read again: what a store takes, its export has, and
  /// another store takes.
  func requireExportable<R: ExportedRow>(_ row: R) throws(StoreError) {
    // The parts of a picture are bytes, whose line has any of them.
    guard R.kind != AttachmentRow.kind else { return }
    do {
      try row.check()
      // A value takes a byte at least.
      guard row.mostBytes > min(Export.longestLine, Export.mostValues) else { return }
      try ExportLine.checkSize(row.line)
    } catch {
      throw .refused(.notExportable(error))
    }
  }
}

/// A row inside a line.
struct InnerRow<R: ExportedRow>: Decodable {
  let row: R

  init(from decoder: any Decoder) throws {
    row = try R(decoder.container(keyedBy: LineKey.self))
  }
}

extension ListElement where Self: ExportedRow {
  static func list(
    _ code: [InnerRow<Self>], _ key: String
  ) throws(StoreError.ExportDamage) -> [Self] {
    code.map(\.row)
  }

  static func json(_ list: [Self]) -> String {
    "[" + list.map(\.line).joined(separator: ",") + "]"
  }

  static func mostBytes(_ list: [Self]) -> Int { list.reduce(2) { $0 + $1.mostBytes + 1 } }

  static func check(_ list: [Self], _ key: String) throws(StoreError.ExportDamage) {
    for row in list { try row.check() }
  }
}

/// A line of an exported store, as it is read.
struct ExportLine: Decodable {
  let row: any ExportedRow

  /// The kinds of lines.
  private static let kinds: [String: any ExportedRow.Type] = Dictionary(
    Export.kinds.compactMap { type in type.kind.map { ($0, type) } },
    uniquingKeysWith: { first, _ in first })

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: LineKey.self)
    let kind = try container.decode(String.self, forKey: LineKey(stringValue: "kind"))
    guard let type = Self.kinds[kind] else { throw StoreError.ExportDamage.unknownKind(kind) }
    row = try type.init(container)
  }

  private static let decoder = JSONDecoder()

  /// Refuses a line that would take too much memory while it is read.
  static func checkSize(_ line: String) throws(StoreError.ExportDamage) {
    guard line.utf8.count <= Export.longestLine else { throw .tooLong(limit: Export.longestLine) }
    guard line.valueCount <= Export.mostValues else {
      throw .tooManyValues(limit: Export.mostValues)
    }
  }

  /// Reads a line.
  static func read(_ line: String) throws(StoreError.ExportDamage) -> any ExportedRow {
    try checkSize(line)
    do {
      return try decoder.decode(ExportLine.self, from: Data(line.utf8)).row
    } catch let damage as StoreError.ExportDamage {
      throw damage
    } catch DecodingError.keyNotFound(let key, _) {
      throw .field(key.stringValue)
    } catch DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context)
    {
      guard let key = context.codingPath.first else { throw .notAnObject }
      throw .field(key.stringValue)
    } catch DecodingError.dataCorrupted(let context) {
      guard let key = context.codingPath.first else { throw .notAnObject }
      throw .field(key.stringValue)
    } catch {
      throw .notAnObject
    }
  }
}

extension String {
  /// How many values a JSON text has, at most: each but the first follows a separator outside of its
  /// texts.
  var valueCount: Int {
    var (count, isText, isEscaped) = (1, false, false)
    for byte in utf8 {
      if isText {
        if isEscaped {
          isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
          isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
          isText = false
        }
      } else if byte == UInt8(ascii: "\"") {
        isText = true
      } else if byte == UInt8(ascii: ",") || byte == UInt8(ascii: "[")
        || byte == UInt8(ascii: "{")
      {
        count += 1
      }
    }
    return count
  }
}
