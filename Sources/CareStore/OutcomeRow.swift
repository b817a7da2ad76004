import Care
import Foundation

/// A version of an event's outcome.
///
/// Several versions of one event's outcome can have no successor after a merge: the newest by
/// creation and id is shown.
struct OutcomeRow: ExportedRow, Hashable {
  var outcome = Outcome(
    uuid: .zero, key: EventKey(patient: "", task: "", start: Date(microseconds: 0)),
    end: Date(microseconds: 0), taskUUID: .zero, occurrence: 0, values: [],
    createdDate: Date(microseconds: 0))
  /// When the outcome was deleted: this version is a tombstone.
  var deletedDate: Date?
  /// Whether no version follows; computed from the edges.
  var isTip = true
  var stamp = Stamp()
  /// The versions that it follows, sorted, of one that is exchanged.
  var parents: [UUID] = []

  static let kind: String? = "outcome"
  /// The index of a person's days.
  static let byPatient =
    "CREATE INDEX outcome_of_patient ON outcome (patient, start_date) WHERE is_tip = 1"
  static let table = Table(
    "outcome", of: Self.self,
    indexes: [
      "CREATE INDEX outcome_of ON outcome (patient, task, start_date, ordinal)",
      byPatient,
      "CREATE INDEX outcome_by_writer ON outcome (writer, clock)",
    ])

  mutating func fields<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
    try visitor.field("uuid", &outcome.uuid, sql: "UNIQUE")
    // The event: the task, its start, its place among those that start together.
    try visitor.id("patient", &outcome.key.patient)
    try visitor.id("task", &outcome.key.task)
    try visitor.field("start", in: "start_date", &outcome.key.start)
    try visitor.field("ordinal", &outcome.key.ordinal, default: 0)
    // The event's end, copied when the outcome was made.
    try visitor.field("end", in: "end_date", &outcome.end)
    // Where the event was found: the version of the task, and the index in its schedule.
    try visitor.field("taskVersion", in: "task_uuid", &outcome.taskUUID)
    try visitor.field("occurrence", &outcome.occurrence)
    try visitor.field("answer", &outcome.answer.state)
    try visitor.field("reason", &outcome.answer.reason)
    try visitor.field("answered", in: "answer_date", &outcome.answer.at)
    try visitor.field("created", in: "created_date", &outcome.createdDate)
    try visitor.field("deleted", in: "deleted_date", &deletedDate)
    try visitor.column("is_tip", &isTip)
    try stamp.fields(&visitor)
    try visitor.key("parents", &parents, default: [])
    try visitor.key("values", &outcome.values, default: [])
  }

  /// The version without the rows of other tables.
  var withoutParents: OutcomeRow {
    var row = self
    row.parents = []
    return row
  }

  /// Whether two answers differ in nothing but their names and dates.
  func saysTheSame(as other: OutcomeRow) -> Bool {
    func said(_ row: OutcomeRow) -> [OutcomeValue] {
      row.outcome.values.map { value in
        var value = value
        value.time = Date(microseconds: 0)
        return value
      }
    }
    let (a, b) = (outcome.answer, other.outcome.answer)
    return (deletedDate == nil) == (other.deletedDate == nil) && a.state == b.state
      && a.reason == b.reason && said(self) == said(other)
  }
}

/// The columns of a version that decide what counts: a year's adherence reads 73 000 of them.
struct CountedOutcomeRow: StoredRow {
  var row = OutcomeRow()

  mutating func fields<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
    try visitor.id("patient", &row.outcome.key.patient)
    try visitor.id("task", &row.outcome.key.task)
    try visitor.field("start", in: "start_date", &row.outcome.key.start)
    try visitor.field("ordinal", &row.outcome.key.ordinal, default: 0)
    try visitor.field("taskVersion", in: "task_uuid", &row.outcome.taskUUID)
    try visitor.field("occurrence", &row.outcome.occurrence)
    try visitor.field("answer", &row.outcome.answer.state)
    try visitor.field("deleted", in: "deleted_date", &row.deletedDate)
  }
}

extension Outcome {
  /// Reads a row of the table `outcome`; its values are rows of another.
  init(_ row: Row) throws {
    self = try OutcomeRow(reading: row).outcome
  }
}

// MARK: - Values

/// A value of an outcome in a line: the field that is set is its type.
struct ValueLine: ExportedRow, Hashable {
  var integer: Int64?
  var double: Double?
  var boolean: Bool?
  var text: String?
  var binary: [UInt8]?
  var date: Date?
  /// The SHA-256 digest of a picture or video, whose bytes are lines of their own.
  var attachment: [UInt8]?
  var media: MediaType?
  var bytes: Int?
  var unit: String?
  /// Which of a measurement's values it is: range, finish, pain.
  var part: String?
  /// When it was measured or entered.
  var time = Date(microseconds: 0)
  var provenance = Provenance.manual

  static let kind: String? = nil

  mutating func fields<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
    try visitor.key("integer", &integer)
    try visitor.key("double", &double)
    try visitor.key("boolean", &boolean)
    try visitor.key("text", &text)
    try visitor.key("binary", &binary)
    try visitor.key("date", &date)
    try visitor.key("attachment", &attachment)
    try visitor.key("media", &media)
    try visitor.key("bytes", &bytes)
    try visitor.key("unit", &unit)
    try visitor.key("part", &part)
    try visitor.key("time", &time)
    try visitor.key("provenance", &provenance)
  }

  func checkTogether() throws(StoreError.ExportDamage) { _ = try value() }

  /// The value that it says.
  func value() throws(StoreError.ExportDamage) -> OutcomeValue {
    let found: [Value?] = [
      integer.map(Value.integer), double.map(Value.double), boolean.map(Value.boolean),
      text.map(Value.text), binary.map(Value.binary), try reference().map(Value.attachment),
      date.map(Value.date),
    ]
    let values = found.compactMap(\.self)
    guard let value = values.first, values.count == 1 else { throw .field("values") }
    var unitOfMeasure: UnitOfMeasure?
    if let unit {
      guard let known = UnitOfMeasure(unit) else { throw .unknownUnit(unit) }
      unitOfMeasure = known
    }
    return OutcomeValue(
      value: value, unit: unitOfMeasure, kind: part, time: time, provenance: provenance)
  }

  /// The attachment that it says; `nil` for another value.
  private func reference() throws(StoreError.ExportDamage) -> Attachment? {
    guard let attachment else { return nil }
    guard let media else { throw .value("", field: "media") }
    guard let bytes,
      let found = Attachment(type: media, byteCount: bytes, sha256: attachment.hexString)
    else { throw .value(attachment.hexString, field: "attachment") }
    return found
  }
}

extension ValueLine {
  /// The value as it is exported.
  init(_ value: OutcomeValue) {
    self.init(
      unit: value.unit?.code, part: value.kind, time: value.time, provenance: value.provenance)
    switch value.value {
    case .integer(let value): integer = value
    case .double(let value): double = value
    case .boolean(let value): boolean = value
    case .text(let value): text = value
    case .binary(let value): binary = value
    case .attachment(let value):
      (attachment, media, bytes) = ([UInt8](hex: value.sha256), value.type, value.byteCount)
    case .date(let value): date = value
    }
  }
}

extension OutcomeValue: ListElement {
  static func list(
    _ code: [InnerRow<ValueLine>], _ key: String
  ) throws(StoreError.ExportDamage) -> [OutcomeValue] {
    var list: [OutcomeValue] = []
    for line in code { list.append(try line.row.value()) }
    return list
  }

  static func json(_ list: [OutcomeValue]) -> String {
    "[" + list.map { ValueLine($0).line }.joined(separator: ",") + "]"
  }

  static func mostBytes(_ list: [OutcomeValue]) -> Int {
    list.reduce(2) { $0 + ValueLine($1).mostBytes + 1 }
  }

  static func check(_ list: [OutcomeValue], _ key: String) throws(StoreError.ExportDamage) {
    for value in list { try ValueLine(value).check() }
  }
}

extension OutcomeValue {
  /// The table of values, which keep the order in which they were given, from 0.
  ///
  /// A value is of the engine's own type: a boolean is 0 or 1, a date µs since 1970, a picture or video
  /// the SHA-256 digest of its bytes, with its media type and the number of bytes.
  static let table = Table(
    "outcome_value",
    [
      .init("outcome", .integer, "NOT NULL REFERENCES outcome (number) ON DELETE CASCADE"),
      .init("position", .integer, "NOT NULL CHECK (position >= 0)"),
      .init(
        "type", .text,
        """
        NOT NULL CHECK (type IN ('integer', 'double', 'boolean', 'text', 'binary', 'date'))
        """),
      .init("value", .any, "NOT NULL"), .init("unit", .text), .init("kind", .text),
      .init("time", .integer, "NOT NULL"),
      .init(
        "provenance", .text, "NOT NULL CHECK (\(Provenance.condition(on: "provenance") ?? "1"))"),
      .init("media_type", .text), .init("byte_count", .integer),
    ], ["PRIMARY KEY (outcome, position)"],
    indexes: [
      """
      CREATE INDEX outcome_value_attachment ON outcome_value (value) WHERE media_type IS NOT NULL
      """
    ], isApartFromKey: false)
}
