import Care
import Foundation

/// The format of an exported store.
///
/// The first line is ``header``. Each further line is a JSON object with sorted keys, of which
/// `kind` names the kind. Instants are whole microseconds since 1970, bytes are hex digits, and
/// what is empty or has its default is left out. Lines are sorted by kind and id; ``EndLine`` is the
/// last one. A line may come from anywhere, so that every value is checked before a row is made of
/// it, and an unknown key is refused.
enum Export {
  /// The version of the format.
  static let version = 1
  /// The first line.
  static let header = #"{"measured-store":\#(version)}"#
  /// The most bytes of a line: a part of a picture, or an hour's samples, with room to spare.
  static let longestLine = 1 << 25
  /// The most values of a line: each takes many times its bytes while it is read.
  static let mostValues = 1 << 18
  /// The most samples of a line; those of an hour with more follow on further lines.
  static let longestBlock = 4096
  /// The instants that a line may contain: the years 1 to 9999, µs since 1970, up to the last whole
  /// second, beyond which a date rounds to the next year.
  static let dates = Int64(-62_135_769_600_000_000)...253_402_300_799_000_000
  /// The lines' kinds.
  static let kinds: [any ExportedRow.Type] = [
    AliasRow.self, AttachmentRow.self, BlockLine.self, EndLine.self, ErasureRow.self,
    FiringRow.self, OutcomeRow.self, SampleChangeRow.self, SampleMember.self, VersionRow.self,
    WithdrawalRow.self, WriterLine.self, ZoneLine.self,
  ]

  /// Checks the first line.
  static func checkHeader(_ line: String?) throws(StoreError.ExportDamage) {
    guard let line, line.utf8.count <= header.utf8.count + 20,
      let object = try? JSONDecoder().decode([String: Int].self, from: Data(line.utf8)),
      object.count == 1, let version = object["measured-store"]
    else { throw .noHeader }
    guard version == Self.version else { throw .unknownVersion(version) }
  }
}

/// A patient's change of id.
struct AliasRow: ExportedRow, Hashable {
  var old = ""
  /// µs since 1970.
  var date: Int64 = 0
  var new = ""

  static let kind: String? = "alias"
  /// Rows that arrive under the old id and are older than the change are stored under the new one.
  static let table = Table("alias", of: Self.self, key: "old, date")

  mutating func fields<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
    try visitor.id("old", &old)
    try visitor.instant("date", &date)
    try visitor.id("new", &new)
  }

  func checkTogether() throws(StoreError.ExportDamage) {
    guard old != new else { throw .value(new, field: "new") }
  }
}

/// The mark of what was erased, without a name: no import may bring it back.
struct ErasureRow: ExportedRow, Hashable {
  var mark = ""
  /// µs since 1970.
  var date: Int64 = 0

  static let kind: String? = "erasure"
  static let table = Table("erasure", of: Self.self, key: "mark, date")

  mutating func fields<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
    try visitor.field("mark", &mark)
    try visitor.instant("date", &date)
  }

  func checkTogether() throws(StoreError.ExportDamage) {
    guard ErasureMark.isValid(mark) else { throw .value(mark, field: "mark") }
  }
}

/// When a version was taken back, or counted again.
struct Withdrawal: ExportedRow, ListElement, Hashable {
  /// µs since 1970.
  var date: Int64 = 0
  var isWithdrawn = true

  static let kind: String? = nil

  mutating func fields<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
    try visitor.instant("date", &date)
    try visitor.field("withdrawn", in: "is_withdrawn", &isWithdrawn, default: false)
  }
}

/// A version that was taken back, or counted again: the latest row holds.
///
/// It is a line of its own where the version is not known.
struct WithdrawalRow: ExportedRow, Hashable {
  var version = UUID.zero
  var withdrawal = Withdrawal()

  static let kind: String? = "withdrawal"
  static let table = Table("withdrawal", of: Self.self, key: "version, date")

  mutating func fields<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
    try visitor.field("version", &version)
    try withdrawal.fields(&visitor)
  }
}

/// A store that wrote rows, and the highest clock of its rows.
struct WriterLine: ExportedRow {
  var uuid = UUID.zero
  var clock = RowClock(number: 1)

  static let kind: String? = "writer"

  mutating func fields<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
    try visitor.field("uuid", &uuid)
    try visitor.field("clock", &clock)
  }
}

/// The zone of the plan that was imported last.
struct ZoneLine: ExportedRow, Hashable, Comparable {
  /// When it was imported, µs since 1970: of two zones the later one holds, of one date the greater
  /// name.
  var date: Int64 = 0
  /// The IANA name; `nil` if the first import was taken back.
  var zone: String?

  static let kind: String? = "zone"

  mutating func fields<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
    try visitor.instant("date", in: "plan_time_zone_date", &date)
    try visitor.field("zone", in: "plan_time_zone", &zone)
  }

  func checkTogether() throws(StoreError.ExportDamage) {
    guard let zone, TimeZone(identifier: zone) == nil else { return }
    throw .value(zone, field: "zone")
  }

  static func < (a: Self, b: Self) -> Bool { (a.date, a.zone ?? "") < (b.date, b.zone ?? "") }
}

/// Which row of which writer a row is.
struct Stamp: StoredRow, Hashable {
  /// The writer's number in this store.
  var writer: Int64 = 0
  /// The row's number among the writer's rows, from 1.
  var clock: Int64 = 0
  /// The writer's own name; `nil` until it is asked for.
  var name: UUID?

  mutating func fields<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
    try visitor.column("writer", &writer, sql: "REFERENCES writer (number)")
    var number = RowClock(number: clock)
    try visitor.field("clock", &number)
    clock = number.number
    guard V.isOfKeys else { return }
    var name = name ?? .zero
    try visitor.key("writer", &name)
    self.name = name
  }

  /// The stamp with the writer's name.
  func named(_ names: [Int64: UUID]) -> Stamp {
    Stamp(writer: writer, clock: clock, name: names[writer])
  }

  /// Whether a stamp comes before another one in every store.
  static func isOrdered(_ a: Stamp, _ b: Stamp) -> Bool {
    (a.name?.uuidString ?? "", a.clock) < (b.name?.uuidString ?? "", b.clock)
  }
}

extension UUID {
  /// The id of nothing.
  static let zero = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
}

/// The fields that the samples of exported blocks have in common.
struct HourKey: Hashable {
  var series: SeriesKey
  var source: SourceKey
  var hour: Int64
  var attributed: String?
  var reason: String?
}

/// The streamed samples of one series, source, hour and attribution, by start and ordinal.
struct BlockLine: ExportedRow {
  var series = SeriesKey(device: "", quantity: "", userIndex: -1)
  var source = SourceKey()
  var attributed: String?
  var reason: String?
  /// One element for each sample; `length` and `ordinal` are empty if all are 0, `raw` if all are
  /// empty.
  var start: [Instant] = []
  var length: [Int64] = []
  var arrival: [Instant] = []
  var ordinal: [Int] = []
  var value: [Double] = []
  var raw: [String] = []

  static let kind: String? = "block"

  init() {}

  /// Makes the line of samples that have the rest in common.
  init(_ key: HourKey, _ samples: ArraySlice<StreamedSample>) {
    (series, source, attributed, reason) = (key.series, key.source, key.attributed, key.reason)
    start = samples.map { Instant(microseconds: $0.start) }
    arrival = samples.map { Instant(microseconds: $0.arrival) }
    value = samples.map(\.value)
    if samples.contains(where: { $0.end != $0.start }) {
      length = samples.map { $0.end &- $0.start }
    }
    if samples.contains(where: { $0.ordinal != 0 }) { ordinal = samples.map(\.ordinal) }
    if samples.contains(where: { !$0.raw.isEmpty }) { raw = samples.map(\.raw.hexString) }
  }

  mutating func fields<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
    try visitor.part(&series)
    try visitor.part(&source)
    try visitor.id("attributed", &attributed)
    try visitor.field("reason", &reason)
    try visitor.key("start", &start)
    try visitor.key("length", &length, default: [])
    try visitor.key("arrival", &arrival)
    try visitor.key("ordinal", &ordinal, default: [])
    try visitor.key("value", &value)
    try visitor.key("raw", &raw, default: [])
  }

  /// The samples that it says, all of one hour.
  func samples() throws(StoreError.ExportDamage) -> [StreamedSample] {
    try series.checkQuantity()
    guard source.kind.isEmpty else { throw .value(source.kind, field: "part") }
    guard source.unit.isEmpty else { throw .value(source.unit, field: "unit") }
    let count = start.count
    guard (1...Export.longestBlock).contains(count) else {
      throw .value(String(count), field: "start")
    }
    for (other, field) in [
      (arrival.count, "arrival"), (value.count, "value"),
      (length.isEmpty ? count : length.count, "length"),
      (ordinal.isEmpty ? count : ordinal.count, "ordinal"),
      (raw.isEmpty ? count : raw.count, "raw"),
    ] where other != count { throw .field(field) }
    var samples: [StreamedSample] = []
    samples.reserveCapacity(count)
    let hour = Hours.hour(of: start[0].microseconds)
    for index in 0..<count {
      let start = start[index].microseconds
      let length = length.isEmpty ? 0 : length[index]
      guard Hours.hour(of: start) == hour else { throw .value(String(start), field: "start") }
      guard (0...Hours.length).contains(length) else {
        throw .value(String(length), field: "length")
      }
      let bytes = try raw.isEmpty ? [] : [UInt8](code: raw[index], "raw")
      guard bytes.count <= SeriesBlock.longestFrame else {
        throw .value("\(bytes.count) bytes", field: "raw")
      }
      samples.append(
        StreamedSample(
          start: start, end: start + length, arrival: arrival[index].microseconds,
          ordinal: ordinal.isEmpty ? 0 : ordinal[index], value: value[index], raw: bytes))
    }
    return samples
  }
}
