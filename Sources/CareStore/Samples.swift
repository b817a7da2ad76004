import Care
import Foundation
import GRDB

// MARK: - Reading

extension SQLTransaction {
  func samples(_ query: SampleQuery) throws -> [Sample] {
    try reading {
      let (condition, arguments) = query.condition
      // SQLite takes a negative limit for none.
      let limit = query.limit.map { max(0, $0) } ?? -1
      return try rows(
        """
        SELECT * FROM sample WHERE \(condition)
        ORDER BY start_date DESC, number DESC LIMIT ?
        """, arguments + [limit], read: Sample.init
      ).reversed()
    }
  }

  func latestSample(patient: String, quantity: Quantity) throws -> Sample? {
    try samples(SampleQuery(owner: .patient(patient), quantity: quantity, limit: 1)).first
  }

  func contains(_ identity: SampleIdentity) throws -> Bool {
    try reading {
      let earlier = identity.lowercaseAddress ?? identity
      return try row(
        "SELECT 1 FROM sample WHERE identity IN (?, ?)", [identity.rawValue, earlier.rawValue])
        != nil
    }
  }

  func number(of identity: SampleIdentity) throws -> Int64? {
    try reading {
      try row("SELECT number FROM sample WHERE identity = ?", [identity.rawValue])?
        .optional("number")
    }
  }

  func identity(ofNumber number: Int64) throws -> SampleIdentity {
    try reading {
      let row = try row(
        "SELECT identity FROM sample WHERE number = ? AND deleted_date IS NULL", [number])
      guard let row else { throw StoreError.unknown(.sampleNumber(number)) }
      return SampleIdentity(rawValue: try row.text("identity"))
    }
  }

  /// The sample of that identity, unless it is deleted.
  private func requireSample(_ identity: SampleIdentity) throws -> Sample {
    guard let row = try row("SELECT * FROM sample WHERE identity = ?", [identity.rawValue]) else {
      throw StoreError.unknown(.sample(identity))
    }
    let deleted: Int64? = try row.optional("deleted_date")
    guard deleted == nil else { throw StoreError.unknown(.deletedSample(identity)) }
    return try Sample(row)
  }
}

extension SampleQuery {
  private static let longest = """
    (SELECT ifnull(max(end_date - start_date), 0) FROM sample WHERE end_date > start_date)
    """

  /// The condition on the rows of `sample`, one of few texts, so that statements are compiled once.
  fileprivate var condition: (sql: String, arguments: StatementArguments) {
    var terms = ["deleted_date IS NULL"]
    var arguments: [any DatabaseValueConvertible] = []
    func add(_ term: String, _ argument: any DatabaseValueConvertible) {
      terms.append(term)
      arguments.append(argument)
    }
    switch owner {
    case .anyone: break
    case .patient(let patient): add("patient = ?", patient)
    case .unassigned: terms.append("patient IS NULL")
    }
    if let quantity { add("quantity = ?", quantity.rawValue) }
    // Names are stored in their own spelling.
    if let device { add("device = ? COLLATE NOCASE", device.text) }
    if let to { add("start_date <= ?", to.microseconds) }
    if let from {
      add("end_date >= ?", from.microseconds)
      // Nothing lasts longer than the longest sample, so the index need not be read from its start.
      add("start_date >= ? - \(Self.longest)", from.microseconds)
    }
    return (terms.joined(separator: " AND "), StatementArguments(arguments))
  }
}

// MARK: - Writing

extension SQLTransaction {
  func insert(_ sample: Sample) throws -> Bool {
    try check(sample)
    if let earlier = sample.identity.lowercaseAddress, try contains(earlier) { return false }
    return try reading {
      try execute(Self.insertSample, StatementArguments(sample.arguments))
      return db.changesCount == 1
    }
  }

  private static let insertSample = """
    INSERT INTO sample (\(Sample.columns.joined(separator: ", ")), revision)
    VALUES (\(Sample.columns.map { _ in "?" }.joined(separator: ", ")),
      (SELECT revision FROM store))
    ON CONFLICT (identity) DO NOTHING
    """

  private func check(_ sample: Sample) throws(StoreError) {
    try requireStorable(
      sample.identity.rawValue, sample.patient, sample.unassignedReason, sample.device.address.text,
      sample.device.definition, sample.kind)
    guard sample.value.isFinite, sample.sourceValue?.value.isFinite ?? true else {
      throw .refused(.sampleNotFinite(sample.quantity))
    }
    guard sample.start.microseconds <= sample.end.microseconds else {
      throw .refused(.sampleEndsBeforeStart(sample.quantity))
    }
  }

  func assign(_ identity: SampleIdentity, to patient: String, now: Date) throws -> Sample {
    try changing {
      if let owner = try requireSample(identity).patient {
        throw StoreError.refused(.assignedSample(patient: owner))
      }
      try requirePatient(patient)
      try execute(
        """
        UPDATE sample SET patient = ?, unassigned_reason = NULL,
          revision = (SELECT revision FROM store)
        WHERE identity = ?
        """, [patient, identity.rawValue])
      return try requireSample(identity)
    }
  }

  func deleteSample(_ identity: SampleIdentity, now: Date) throws -> Sample {
    try changing {
      let sample = try requireSample(identity)
      try execute(
        """
        UPDATE sample SET deleted_date = ?, revision = (SELECT revision FROM store)
        WHERE identity = ?
        """, [now.microseconds, identity.rawValue])
      return sample
    }
  }
}

// MARK: - Rows

extension Sample {
  /// Reads a row of the table `sample`.
  init(_ row: Row) throws {
    var source: SourceValue?
    if let unit = try row.optionalParsed("source_unit", { UnitOfMeasure($0) }) {
      source = SourceValue(value: try row.required("source_value"), unit: unit)
    }
    let start = try row.date("start_date")
    let end = try row.date("end_date")
    let raw: Data = try row.required("raw")
    let reading = Reading(
      quantity: try row.parsed("quantity", Quantity.init(rawValue:)),
      value: try row.required("value"), sourceValue: source,
      deviceTime: try row.optionalParsed("device_time", LocalDateTime.init(text:)),
      arrival: try row.date("arrival_date"),
      interval: start < end ? DateInterval(start: start, end: end) : nil,
      device: DeviceIdentity(
        address: try row.device("device"), definition: try row.optional("definition")),
      userIndex: try row.optional("user_index"), kind: try row.optional("kind"), raw: Array(raw))
    self.init(
      identity: SampleIdentity(rawValue: try row.text("identity")), reading: reading,
      patient: try row.optional("patient"),
      unassignedReason: try row.optional("unassigned_reason"), start: start, end: end,
      isClockTrusted: try row.required("is_clock_trusted"),
      provenance: try row.parsed("provenance", Provenance.init(rawValue:)))
  }

  /// The columns of ``arguments``, in their order.
  fileprivate static let columns = [
    "identity", "patient", "unassigned_reason", "quantity", "value", "source_value",
    "source_unit", "start_date", "end_date", "arrival_date", "device_time", "is_clock_trusted",
    "device", "definition", "user_index", "provenance", "kind", "raw",
  ]

  /// The values of this sample's row, in the order of ``columns``.
  fileprivate var arguments: [(any DatabaseValueConvertible)?] {
    [
      identity.rawValue, patient, unassignedReason, reading.quantity.rawValue, reading.value,
      reading.sourceValue?.value, reading.sourceValue?.unit.code, start.microseconds,
      end.microseconds, reading.arrival.microseconds, reading.deviceTime?.description,
      isClockTrusted, reading.device.address.text, reading.device.definition, reading.userIndex,
      provenance.rawValue, reading.kind, Data(reading.raw),
    ]
  }
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
    guard date.count == 3, time.count == 3 else { return nil }
    self.init(
      year: date[0], month: date[1], day: date[2], hour: time[0], minute: time[1],
      second: time[2])
    guard description == text else { return nil }
  }
}
