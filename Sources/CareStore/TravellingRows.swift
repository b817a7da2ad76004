import Care
import Digests
import Foundation

// Rows as they travel between the store of a box and that of a centre: what is new since a number, in
// the order of the numbers, with whom each row concerns. The lines are those of the export.

/// The order in which rows travel: what is erased first, what weighs most last.
package enum RowStream: String, Hashable, Sendable, Codable, CaseIterable {
  /// The marks of erasures.
  case marks
  /// Plans, people, answers, alerts, changes of samples: few and small.
  case quick
  /// Single measurements.
  case singles
  /// Streamed measurements, in hours that are over.
  case hours
  /// The parts of pictures and videos.
  case attachments
}

/// The name of a row, alike in every store.
package struct RowName: Hashable, Sendable, Comparable {
  enum Kind: String {
    case erasure, alias, version, withdrawal, outcome, firing, change, sample, hour, attachment
  }

  let kind: Kind
  /// The key that tells it from others of its kind.
  let key: String

  /// The name as one text: the kind, a space, the key.
  package var text: String { kind.rawValue + " " + key }

  init(_ kind: Kind, _ key: String) { (self.kind, self.key) = (kind, key) }

  /// Reads ``text``; `nil` for anything else.
  package init?(text: String) {
    let parts = text.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, let kind = Kind(rawValue: String(parts[0])) else { return nil }
    self.init(kind, String(parts[1]))
  }

  /// The stream in which it travels.
  package var stream: RowStream {
    switch kind {
    case .erasure: .marks
    case .alias, .version, .withdrawal, .outcome, .firing, .change: .quick
    case .sample: .singles
    case .hour: .hours
    case .attachment: .attachments
    }
  }

  package static func < (a: Self, b: Self) -> Bool { a.text < b.text }
}

extension RowName: Codable {
  package init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let name = RowName(text: try container.decode(String.self)) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "no name of a row")
    }
    self = name
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }
}

/// A row as it travels.
package struct TravellingRow: Hashable, Sendable {
  /// The number that it got when it was stored or changed last.
  package var number: Int64
  package var name: RowName
  /// Its lines of an export.
  package var lines: [String]
  /// Whom it concerns; empty for a mark, and for what is nobody's.
  package var people: Set<String>
  /// The channel by which exactly this content came; `nil` if it was made or joined here.
  package var channel: String?

  /// Makes a row.
  package init(
    number: Int64, name: RowName, lines: [String], people: Set<String> = [], channel: String? = nil
  ) {
    (self.number, self.name, self.lines) = (number, name, lines)
    (self.people, self.channel) = (people, channel)
  }

  /// The digest of its lines, in 16 bytes.
  package var digest: String { Self.digest(of: lines) }

  /// The digest of lines, in hex digits.
  package static func digest(of lines: [String]) -> String {
    SHA256.digest(of: Array(lines.joined(separator: "\n").utf8)).prefix(16).hexString
  }

  /// How many bytes its lines take.
  package var byteCount: Int { lines.reduce(0) { $0 + $1.utf8.count + 1 } }
}

/// For whom rows are read.
package enum RowAudience: Hashable, Sendable {
  /// Every row.
  case all
  /// The rows that concern a person.
  case person(String)
  /// The changes of the samples that a box delivered.
  case deliverer(String)
}

// MARK: - Reading

extension SQLTransaction {
  /// How many names are read at once.
  private static let page = 256

  /// Calls `body` with each row after a number, in the order of numbers, until it returns `false`.
  ///
  /// - Returns: The number up to which every row was looked at.
  package func travelling(
    _ stream: RowStream, after number: Int64, for audience: RowAudience,
    _ body: (TravellingRow) throws -> Bool
  ) throws -> Int64 {
    try reading {
      var last = number
      while true {
        let names = try names(stream, after: last, for: audience)
        for next in names {
          guard let row = try travelling(next.name), row.number == next.number,
            try isFor(audience, row)
          else {
            last = next.number
            continue
          }
          guard try body(row) else { return last }
          last = next.number
        }
        guard names.count < Self.page else { continue }
        // The query passed over the rows of others.
        return stream == .quick && audience != .all ? max(last, try lastStored()) : last
      }
    }
  }

  private func isFor(_ audience: RowAudience, _ row: TravellingRow) throws -> Bool {
    switch audience {
    case .all: true
    case .person(let person): row.name.stream == .marks || row.people.contains(person)
    case .deliverer(let box): try row.name.kind == .change && isOfDelivered(row.name, by: box)
    }
  }

  /// The names of the next rows after a number; more than are for the audience.
  private func names(
    _ stream: RowStream, after number: Int64, for audience: RowAudience
  ) throws -> [(number: Int64, name: RowName)] {
    switch stream {
    case .singles: return try sampleNames(after: number, for: audience)
    case .hours: return try hourNames(after: number, for: audience)
    case .marks, .quick, .attachments: break
    }
    var arguments: [(any Argument)?] = [number, Self.page]
    if case .person(let person) = audience, stream == .quick { arguments.append(person) }
    return try rows(
      "SELECT number, kind, key FROM (\(Self.names(of: stream, for: audience))) AS named ORDER BY number LIMIT ?2",
      Arguments(arguments)
    ) { row in
      (
        try row.required("number"),
        RowName(try row.parsed("kind", RowName.Kind.init), try row.text("key"))
      )
    }
  }

  /// A query of the names of a stream's rows after the number `?1`, those of the person `?3` of one
  /// audience: a centre reads them for each of a thousand people.
  ///
  /// A version or an answer changes with what it follows and with being taken back, which are rows of
  /// their own.
  private static func names(of stream: RowStream, for audience: RowAudience) -> String {
    func plain(
      _ kind: RowName.Kind, _ table: String, _ key: String, _ condition: String? = nil
    ) -> String {
      """
      SELECT stored AS number, '\(kind.rawValue)' AS kind, \(key) AS key FROM \(table)
      WHERE \(condition ?? "stored > ?1")
      """
    }
    let changes = plain(.change, "sample_change", "uuid")
    var isPersons = false
    switch audience {
    case .all: break
    case .person: isPersons = true
    case .deliverer: if stream == .quick { return changes }
    }
    // The plus keeps the number from being searched by: a person has few rows, a centre many.
    func own(_ table: String) -> String {
      isPersons ? "+\(table).stored > ?1 AND \(table).patient = ?3" : "\(table).stored > ?1"
    }
    func linked(_ kind: RowName.Kind, _ table: String, _ more: String = "") -> String {
      let isOwn = isPersons ? " AND \(table).patient = ?3" : ""
      return """
        SELECT max(stored) AS number, '\(kind.rawValue)' AS kind, uuid AS key FROM (
          SELECT stored, uuid FROM \(table) WHERE \(own(table))
          UNION ALL SELECT version_edge.stored, next FROM version_edge
            JOIN \(table) ON \(table).uuid = next WHERE version_edge.stored > ?1\(isOwn)
          \(more)) AS named GROUP BY uuid
        """
    }
    switch stream {
    case .marks: return plain(.erasure, "erasure", "mark")
    case .attachments:
      return plain(.attachment, "attachment", "\(Dialect.hex("digest")) || '|' || part")
    default:
      let withdrawn = """
        UNION ALL SELECT withdrawal.stored, withdrawal.version FROM withdrawal
          JOIN version ON version.uuid = withdrawal.version
          WHERE withdrawal.stored > ?1\(isPersons ? " AND version.patient = ?3" : "")
        """
      return [
        plain(.alias, "alias", "date || '|' || old"),
        linked(.version, "version", withdrawn),
        plain(
          .withdrawal, "withdrawal", "version || '|' || date",
          "stored > ?1 AND version NOT IN (SELECT uuid FROM version)"),
        linked(.outcome, "outcome"),
        plain(.firing, "firing", "uuid", own("firing")),
        changes,
      ].joined(separator: " UNION ALL ")
    }
  }

  private func sampleNames(
    after number: Int64, for audience: RowAudience
  ) throws -> [(number: Int64, name: RowName)] {
    var (condition, arguments): (String, [(any Argument)?]) = ("", [number, Self.page])
    if case .person(let person) = audience {
      condition = "AND sample.number IN (\(try Self.places("number", of: "sample", given(person))))"
      arguments.append(person)
    }
    return try rows(
      "\(Sample.select) WHERE sample.stored > ?1 \(condition) ORDER BY sample.stored LIMIT ?2",
      Arguments(arguments)
    ) { row in
      let identity = try SampleMember(row).sample.identity
      return (try row.required("stored"), RowName(.sample, identity.text))
    }
  }

  /// Whether samples of some device were ever given to a person by a change.
  private func given(_ person: String) throws -> Bool {
    try row("SELECT 1 FROM sample_change WHERE patient = ? LIMIT 1", [person]) != nil
  }

  /// A query of the columns of all rows of a table that may concern the person `?3`: by its own
  /// columns, or by a change of samples of the device.
  private static func places(_ columns: String, of table: String, _ isGiven: Bool) -> String {
    let own = ["patient = ?3", "attributed = ?3 AND attributed IS NOT patient"]
    let given = """
      series IN (SELECT series.number FROM series JOIN sample_change
        ON sample_change.device = series.device WHERE sample_change.patient = ?3)
      """
    return (own + (isGiven ? [given] : [])).map {
      "SELECT \(columns) FROM \(table) WHERE +stored > ?1 AND \($0)"
    }.joined(separator: " UNION ")
  }

  /// The names of parts of hours that are over: an hour that grows is sent once.
  private func hourNames(
    after number: Int64, for audience: RowAudience
  ) throws -> [(number: Int64, name: RowName)] {
    var places = "SELECT series, hour FROM block WHERE stored > ?1"
    var arguments: [(any Argument)?] = [number, Self.page]
    if case .person(let person) = audience {
      places = Self.places("series, hour", of: "block", try given(person))
      arguments.append(person)
    }
    return try rows(
      """
      SELECT newest.number, series.device, series.quantity, series.user_index, newest.hour,
        source.definition, source.kind, source.provenance, source.unit, newest.attributed,
        newest.reason
      FROM (
        SELECT max(stored) AS number, series, hour, source, attributed, reason FROM block
        WHERE (series, hour) IN (\(places))
          AND (series, hour) NOT IN (SELECT series, hour FROM block WHERE data IS NULL)
        GROUP BY series, hour, source, attributed, reason HAVING max(stored) > ?1
        ORDER BY number LIMIT ?2
      ) AS newest JOIN series ON series.number = newest.series
        JOIN source ON source.number = newest.source
      ORDER BY newest.number
      """, Arguments(arguments)
    ) { row in
      let key = HourKey(
        series: try SeriesKey(reading: row), source: try SourceKey(reading: row),
        hour: try row.required("hour"), attributed: try row.optional("attributed"),
        reason: try row.optional("reason"))
      return (try row.required("number"), RowName(.hour, HourPlace(key).key))
    }
  }

  /// A row by its name, as it travels; `nil` if there is none, or it stays in its store.
  package func travelling(_ name: RowName) throws -> TravellingRow? {
    try reading {
      guard var row = try untracked(name) else { return nil }
      row.channel = try self.row(
        "SELECT channel FROM arrival WHERE number = ?", [row.number])?.optional("channel")
      return row
    }
  }

  private func untracked(_ name: RowName) throws -> TravellingRow? {
    switch name.kind {
    case .erasure:
      return try numbered(
        "SELECT * FROM erasure WHERE mark = ? ORDER BY date DESC LIMIT 1", [name.key], name
      ) { ([try ErasureRow(reading: $0).line], []) }
    case .alias:
      return try dated(name) { key, date in
        try numbered("SELECT * FROM alias WHERE old = ? AND date = ?", [key, date], name) {
          let alias = try AliasRow(reading: $0)
          return ([alias.line], [alias.old, alias.new])
        }
      }
    case .withdrawal:
      let parts = name.key.split(separator: "|")
      guard parts.count == 2, let date = Int64(parts[1]) else { return nil }
      return try numbered(
        "SELECT * FROM withdrawal WHERE version = ? AND date = ?", [String(parts[0]), date], name
      ) { ([try WithdrawalRow(reading: $0).line], []) }
    case .version: return try version(name)
    case .outcome:
      return try numbered("SELECT * FROM outcome WHERE uuid = ?", [name.key], name) {
        let outcome = try exchangedOutcome($0, writers: try writerNames())
        return ([outcome.line], [outcome.outcome.key.patient])
      }.map { try $0.linked(by: self) }
    case .firing:
      return try numbered("SELECT * FROM firing WHERE uuid = ?", [name.key], name) {
        let firing = try FiringRow(reading: $0)
        return ([firing.line], [firing.patient])
      }
    case .change:
      return try numbered("SELECT * FROM sample_change WHERE uuid = ?", [name.key], name) {
        var change = try SampleChangeRow(reading: $0)
        change.stamp = change.stamp.named(try writerNames())
        return ([change.line], try people(of: change))
      }
    case .sample:
      guard let number = try locate(SampleIdentity(text: name.key))?.number else { return nil }
      return try numbered("\(Sample.select) WHERE sample.number = ?", [number], name) {
        let member = try SampleMember($0)
        return ([member.line], try people(of: member))
      }
    case .hour:
      guard let place = HourPlace(key: name.key), let series = try series(place.series) else {
        return nil
      }
      guard
        let part = try hourParts(series, place.hour).first(where: { $0.name == name })
      else { return nil }
      return TravellingRow(
        number: part.number, name: name, lines: try lines(of: part), people: try people(of: part))
    case .attachment:
      let parts = name.key.split(separator: "|")
      guard parts.count == 2, let digest = [UInt8](hex: parts[0]), let part = Int(parts[1]) else {
        return nil
      }
      return try numbered(
        "SELECT * FROM attachment WHERE digest = ? AND part = ?", [Data(digest), part], name
      ) { ([try AttachmentRow(reading: $0).line], try people(ofAttachment: digest)) }
    }
  }

  private func dated(
    _ name: RowName, _ read: (String, Int64) throws -> TravellingRow?
  ) throws -> TravellingRow? {
    guard let bar = name.key.firstIndex(of: "|"), let date = Int64(name.key[..<bar]) else {
      return nil
    }
    return try read(String(name.key[name.key.index(after: bar)...]), date)
  }

  private func numbered(
    _ sql: String, _ arguments: Arguments, _ name: RowName,
    _ read: (Row) throws -> (lines: [String], people: Set<String>)
  ) throws -> TravellingRow? {
    guard let row = try row(sql, arguments) else { return nil }
    let (lines, people) = try read(row)
    return TravellingRow(
      number: try row.required("stored"), name: name, lines: lines, people: people)
  }

  /// A version that is somebody's.
  ///
  /// The order of a page's tasks and the contacts of everybody are a store's own: another household's
  /// would replace them.
  private func version(_ name: RowName) throws -> TravellingRow? {
    try numbered("SELECT * FROM version WHERE uuid = ? AND patient <> ''", [name.key], name) {
      let version = try exchangedVersion($0, writers: try writerNames())
      return ([version.line], [version.patient])
    }.map { try $0.linked(by: self) }
  }
}

extension TravellingRow {
  /// The row with the number of the last change of what it follows, or of its being taken back.
  fileprivate func linked(by transaction: SQLTransaction) throws -> TravellingRow {
    var row = self
    let most: Int64? = try transaction.row(
      """
      SELECT max(stored) AS most FROM (SELECT stored FROM version_edge WHERE next = ?1
        UNION ALL SELECT stored FROM withdrawal WHERE version = ?1) AS part
      """, [name.key])?.optional("most")
    row.number = max(number, most ?? 0)
    return row
  }
}

// MARK: - Hours

/// Which part of which hour a row is: the series, the hour, and a digest of what the samples have in
/// common beside.
struct HourPlace {
  var series: SeriesKey
  var hour: Int64
  var common: String

  init(_ key: HourKey) {
    (series, hour) = (key.series, key.hour)
    let fields = [
      key.source.definition, key.source.provenance.rawValue, key.attributed ?? "\u{1}",
      key.reason ?? "\u{1}",
    ]
    common = SHA256.digest(of: Array(fields.joined(separator: "\u{0}").utf8)).prefix(8).hexString
  }

  /// Reads ``key``; `nil` for anything else.
  init?(key: String) {
    let parts = key.split(separator: "|", maxSplits: 4, omittingEmptySubsequences: false)
    guard parts.count == 5, let hour = Int64(parts[0]), let user = Int(parts[1]) else { return nil }
    series = SeriesKey(device: String(parts[4]), quantity: String(parts[2]), userIndex: user)
    (self.hour, common) = (hour, String(parts[3]))
  }

  /// The place as one text; the device, which may contain any character, comes last.
  var key: String { "\(hour)|\(series.userIndex)|\(series.quantity)|\(common)|\(series.device)" }
}

/// The samples of an hour that have the source and the attribution in common.
struct HourPart {
  var key: HourKey
  var number: Int64
  /// The blocks that hold them.
  var blocks: [Int64]
  /// Whose they are, after every change.
  var owners: Set<String>
  var name: RowName { RowName(.hour, HourPlace(key).key) }
}

extension SQLTransaction {
  /// The parts of an hour.
  func hourParts(_ series: Int64, _ hour: Int64) throws -> [HourPart] {
    var parts: [HourKey: HourPart] = [:]
    try rows(
      """
      SELECT block.number, block.stored, series.device, series.quantity, series.user_index,
        block.hour, source.definition, source.kind, source.provenance, source.unit,
        block.attributed, block.reason, block.patient
      FROM block JOIN series ON series.number = block.series
        JOIN source ON source.number = block.source
      WHERE block.series = ? AND block.hour = ?
      """, [series, hour]
    ) { row in
      let key = HourKey(
        series: try SeriesKey(reading: row), source: try SourceKey(reading: row),
        hour: try row.required("hour"), attributed: try row.optional("attributed"),
        reason: try row.optional("reason"))
      var part = parts[key] ?? HourPart(key: key, number: 0, blocks: [], owners: [])
      part.number = max(part.number, try row.required("stored"))
      part.blocks.append(try row.required("number"))
      if let owner = try row.optional("patient") as String? { part.owners.insert(owner) }
      parts[key] = part
    }
    return Array(parts.values)
  }

  private func lines(of part: HourPart) throws -> [String] {
    var samples = try part.blocks.flatMap { try unpacked($0) }
    samples.sort { ($0.start, $0.ordinal) < ($1.start, $1.ordinal) }
    return stride(from: 0, to: samples.count, by: Export.longestBlock).map { first in
      BlockLine(part.key, samples[first..<min(first + Export.longestBlock, samples.count)]).line
    }
  }
}

// MARK: - Whom rows concern

extension SQLTransaction {
  /// Whom a single sample concerns: everybody whose it was.
  func people(of member: SampleMember) throws -> Set<String> {
    let given = try changes(of: member.sample).compactMap(\.patient)
    return Set(given + [member.sample.patient, member.attributed].compactMap(\.self))
  }

  func people(of part: HourPart) throws -> Set<String> {
    let start = part.key.hour * Hours.length
    let given = try changes(ofDevice: part.key.series.device, from: start, to: start + Hours.length)
    return part.owners.union(given.compactMap(\.patient)).union(
      part.key.attributed.map { [$0] } ?? [])
  }

  /// Whom a change concerns: everybody whose the samples were that it is of.
  func people(of change: SampleChangeRow) throws -> Set<String> {
    let own = Set([change.patient].compactMap(\.self))
    if let identity = change.identity {
      if let (number, _) = try locate(identity), let member = try member(number) {
        return own.union(try people(of: member))
      }
      guard let parts = identity.parts else { return own }
      return own.union(
        try people(
          ofDevice: parts.series.device, from: parts.column, to: parts.column.saturatingSum(1))
      )
    }
    return own.union(
      try people(ofDevice: change.device, from: change.from ?? .min, to: change.to ?? .max))
  }

  /// Whom the samples of a device in a span concern.
  private func people(ofDevice device: String, from: Int64, to: Int64) throws -> Set<String> {
    let given = try changes(ofDevice: device, from: from, to: to).compactMap(\.patient)
    let owners = try rows(
      """
      SELECT patient, attributed FROM sample WHERE series IN
        (SELECT number FROM series WHERE device = ?1) AND start_date >= ?2 AND start_date < ?3
      UNION SELECT patient, attributed FROM block WHERE series IN
        (SELECT number FROM series WHERE device = ?1) AND latest_date >= ?2 AND first_date < ?3
      """, [device, from, to]
    ) { [try $0.optional("patient") as String?, try $0.optional("attributed") as String?] }
    return Set(given + owners.joined().compactMap(\.self))
  }

  /// The changes that are of samples of a device in a span.
  func changes(
    ofDevice device: String, from: Int64, to: Int64
  ) throws -> [SampleChangeRow] {
    guard try hasSampleChanges() else { return [] }
    return try rows(
      "SELECT * FROM sample_change WHERE device = ?", [device],
      read: SampleChangeRow.init(reading:)
    ).filter { change in
      if let identity = change.identity {
        return identity.parts.map { $0.column >= from && $0.column < to } ?? false
      }
      return change.from ?? .min < to && from < change.to ?? .max
    }
  }

  func people(ofAttachment digest: [UInt8]) throws -> Set<String> {
    Set(
      try rows(
        """
        SELECT DISTINCT patient FROM outcome JOIN outcome_value
          ON outcome.number = outcome_value.outcome
        WHERE value = ? AND media_type IS NOT NULL AND is_tip = 1
        """, [Data(digest)]
      ) { try $0.text("patient") } + videos(of: Data(digest)).map(\.task.patient))
  }

  /// Whether a change is of a sample that a box delivered.
  private func isOfDelivered(_ name: RowName, by box: String) throws -> Bool {
    let change = try rows(
      "SELECT * FROM sample_change WHERE uuid = ?", [name.key],
      read: SampleChangeRow.init(reading:)
    ).first
    guard let change else { return false }
    if let identity = change.identity {
      if try isDelivered(RowName(.sample, identity.text).text, by: box) { return true }
      guard let parts = identity.parts else { return false }
      return try isDelivered(
        Self.deliveredHour(Hours.hour(of: parts.column), parts.series.device), by: box)
    }
    return try row(
      """
      SELECT 1 FROM delivery WHERE box = ?1 AND device = ?2 AND last_date >= ?3 AND first_date < ?4
      """, [box, change.device, change.from ?? .min, change.to ?? .max]) != nil
  }

  /// The name under which it is noted that samples of an hour were delivered.
  static func deliveredHour(_ hour: Int64, _ device: String) -> String { "hour \(hour)|\(device)" }
}
