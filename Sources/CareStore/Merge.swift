public import Care
import Foundation

/// The result of a merge.
public struct MergeReport: Hashable, Sendable {
  /// The rows that are new in this store, or changed by the arriving ones.
  public var versions = 0
  public var outcomes = 0
  public var samples = 0
  public var streamedSamples = 0
  public var changes = 0
  public var renamedPatients = 0
  public var erasures = 0
  public var firings = 0
  /// Pictures and videos.
  public var attachments = 0
  /// Whether the plan has the arriving zone now.
  public var hasChangedTimeZone = false
  /// The arriving rows that are of erased patients, and were not stored.
  public var dropped = 0
  /// Whether a copy of this store's file wrote rows under this store's name.
  ///
  /// This store has taken another name then.
  public var hasFoundCopy = false

  /// Makes the report of a merge that did nothing.
  public init() {}

  /// Whether the store already had everything.
  public var isUnchanged: Bool {
    versions + outcomes + samples + streamedSamples + changes + renamedPatients + erasures + firings
      + attachments == 0 && !hasChangedTimeZone
  }
}

extension SQLStore {
  /// Adds the rows of another store's export to this store's, in one transaction.
  ///
  /// The result is the union of both: the order of merges makes no difference, and merging the same
  /// lines again changes nothing. A part of an export is refused. If another store has erased a
  /// patient, nothing of theirs stays in the file, as after ``erase(patient:now:)``.
  ///
  /// - Parameter lines: The lines of ``export(_:)``, from anywhere: nothing is trusted.
  /// - Returns: The numbers of new and changed rows.
  /// - Throws: `StoreError.unreadableExport(line:_:)` for a line that is no line of an export, and
  ///   `StoreError.failed(_:store:)`; nothing is merged then. `StoreError.failed(.busy)` if another
  ///   program uses the file all the time during an erasure: see ``clean()``.
  public func merge(lines: some Sequence<String> & Sendable) async throws -> MergeReport {
    let report = try await writing { transaction in
      var rest = lines.makeIterator()
      return try transaction.merge { rest.next() }
    }
    if report.erasures > 0 { try await clean() }
    return report
  }

  /// Adds the rows of an exported file, as ``merge(lines:)`` does, without reading it at once.
  public func merge(contentsOf path: String) async throws -> MergeReport {
    let place = place
    let report = try await writing { transaction in
      guard let file = FileHandle(forReadingAtPath: path) else {
        throw StoreError.failed(.cannotOpen, store: path)
      }
      defer { try? file.close() }
      var reader = LineReader(file, limit: Export.longestLine)
      do {
        return try transaction.merge { try reader.next() }
      } catch {
        throw StoreError(error, in: place)
      }
    }
    if report.erasures > 0 { try await clean() }
    return report
  }
}

/// The result of a row that another store sent.
public enum ArrivingRow: Hashable, Sendable {
  /// The store has it now, or what it adds to a row that was here.
  case taken
  /// The store had it already.
  case known
  /// It is of an erased patient, and was not stored.
  case dropped
  /// It cannot be stored, for this reason; the others are not concerned.
  case refused(StoreError.ExportDamage)
}

extension SQLStore {
  /// Adds rows of another store, one by one, in one transaction.
  ///
  /// They are lines of an export in any order, without its first and last one. The parts of a picture
  /// or video come together, with or after the answer that refers to it.
  ///
  /// - Returns: The result of each row.
  /// - Throws: `StoreError.failed(_:store:)`; nothing is merged then. `StoreError.failed(.notCleaned)`
  ///   if the rows are merged, and the remains of what was erased are still in the file.
  public func merge(rows: [String]) async throws -> [ArrivingRow] {
    let (results, hasErased) = try await writing { try $0.merge(rows: rows) }
    if hasErased { try await clean() }
    return results
  }
}

extension SQLTransaction {
  /// Merges rows one by one.
  fileprivate func merge(rows: [String]) throws -> (results: [ArrivingRow], hasErased: Bool) {
    try changing {
      var run = try MergeRun(self)
      var results: [ArrivingRow] = []
      for row in rows {
        let before = run
        do throws(any Error) {
          let changes = try db.changes {
            try undoing { try run.take(try ExportLine.read(row)) }
          }
          let isDropped = run.report.dropped > before.report.dropped
          results.append(isDropped ? .dropped : changes > 0 ? .taken : .known)
        } catch let damage as StoreError.ExportDamage {
          run = before
          results.append(.refused(damage))
        }
      }
      return (results, try run.finish().erasures > 0)
    }
  }

  /// Merges the lines of an export.
  func merge(_ next: () throws -> String?) throws -> MergeReport {
    try changing {
      var number = 1
      do {
        return try merge(next, counting: &number)
      } catch let damage as StoreError.ExportDamage {
        throw StoreError.unreadableExport(line: number, damage)
      }
    }
  }

  /// Merges lines until there are no more; `number` is the line that is read.
  private func merge(
    _ next: () throws -> String?, counting number: inout Int
  ) throws -> MergeReport {
    let header = try next()
    try Export.checkHeader(header)
    var run = try MergeRun(self)
    run.isWhole = true
    var seal = ExportSeal()
    if let header { seal.add(header) }
    var ahead = RowReading(next)
    while let reading = ahead {
      let (rows, failure) = reading.wait()
      ahead = RowReading(next)
      // One question finds which of them are here.
      try run.lookFor(rows.compactMap { ($0.row as? OutcomeRow)?.outcome.uuid })
      for (index, (line, row)) in rows.enumerated() {
        number += 1
        guard let end = row as? EndLine else {
          seal.add(line)
          try run.take(row)
          continue
        }
        try seal.check(end)
        guard index == rows.count - 1, failure == nil, ahead == nil else {
          number += 1
          throw StoreError.ExportDamage.afterEnd
        }
        return try run.finish()
      }
      if let failure {
        number += 1
        throw failure
      }
    }
    throw StoreError.ExportDamage.noEnd
  }
}

/// One merge, in its transaction.
struct MergeRun {
  let transaction: SQLTransaction
  var report = MergeReport()
  /// The numbers of writers here, by their names, and the names.
  private var writers: [UUID: Int64]
  private(set) var writerNames: [Int64: UUID]
  /// The last stamp of this store's own.
  private let own: Stamp
  var aliases: Aliases
  var erasures: Erasures
  private var newMarks: [String: Int64] = [:]
  /// Outcomes that are known not to be here.
  private var missing: Set<UUID> = []
  /// Of the ``missing`` ones those that another version follows already.
  private var followed: Set<UUID> = []
  var attachments = ArrivingAttachments()
  /// Whether readers of the plan have to read it again.
  var hasChangedPlan = false
  /// Whether the rows are those of a whole export, where a patient's change of id comes before what
  /// is of the patient.
  var isWhole = false
  /// The spans of the running totals that arrived or were erased, µs since 1970, by series.
  private var totals: [Int64: ClosedRange<Int64>] = [:]

  init(_ transaction: SQLTransaction) throws {
    self.transaction = transaction
    writerNames = try transaction.writerNames()
    writers = Dictionary(
      writerNames.map { ($0.value, $0.key) }, uniquingKeysWith: { first, _ in first })
    own =
      try transaction.rows("SELECT writer, clock FROM store", read: Stamp.init(reading:)).first?
      .named(writerNames) ?? Stamp()
    aliases = try transaction.aliases()
    erasures = try transaction.erasures()
  }

  mutating func take(_ row: any ExportedRow) throws {
    switch row {
    case let row as VersionRow: try take(row)
    case let row as OutcomeRow: try take(row)
    case let row as SampleMember: try take(row)
    case let row as BlockLine: try take(row)
    case let row as SampleChangeRow: try take(row)
    case let row as AliasRow: try take(row)
    case let row as AttachmentRow: try take(row)
    case let row as ErasureRow: try take(row)
    case let row as FiringRow: try take(row)
    case let row as WithdrawalRow: try store([row.withdrawal], of: row.version)
    case let row as ZoneLine: try take(row)
    case let row as WriterLine:
      if row.uuid == own.name, row.clock.number > own.clock { report.hasFoundCopy = true }
    default: break
    }
  }

  /// Refuses a row whose id is not that of its content, which the check of a store would find.
  func require(ownID isOwn: Bool, _ uuid: UUID) throws(StoreError.ExportDamage) {
    guard !isOwn else { return }
    throw .value(uuid.uuidString, field: "uuid")
  }

  /// Of the zones of two stores the later one holds.
  private mutating func take(_ arriving: ZoneLine) throws {
    if let stored = try transaction.exportedZone(), stored >= arriving { return }
    try transaction.store(arriving)
    report.hasChangedTimeZone = true
  }

  /// Ends the merge.
  mutating func finish() throws -> MergeReport {
    if !newMarks.isEmpty { try obey(newMarks) }
    try finishAttachments()
    for (series, span) in totals { try transaction.rebook(series, span) }
    if hasChangedPlan { try transaction.planChanged() }
    if report.hasFoundCopy { try transaction.takeNewWriter(isCopy: true) }
    return report
  }

  /// Notes a running total that arrived, which changes what others add.
  mutating func noteTotal(_ sample: Sample) throws {
    let date = sample.start.microseconds
    try noteTotals(of: try transaction.makeSeries(SeriesKey(sample.reading)), date...date)
  }

  private mutating func noteTotals(of series: Int64, _ span: ClosedRange<Int64>) throws {
    let known = totals[series] ?? span
    totals[series] =
      min(known.lowerBound, span.lowerBound)...max(known.upperBound, span.upperBound)
  }

  /// The number of the writer of a stamp; a row of this store's own that it does not have was
  /// written by a copy.
  mutating func stamp(_ stamp: Stamp, isUnknown: Bool) throws -> Stamp {
    guard let name = stamp.name else { return stamp }
    if isUnknown, name == own.name { report.hasFoundCopy = true }
    if let number = writers[name] {
      return Stamp(writer: number, clock: stamp.clock, name: name)
    }
    let number = try transaction.addWriter(name)
    writers[name] = number
    writerNames[number] = name
    return Stamp(writer: number, clock: stamp.clock, name: name)
  }
}

// MARK: - Outcomes

extension MergeRun {
  /// Finds which of the outcomes that arrive next are not here: most of an export's, which then need no
  /// question each.
  fileprivate mutating func lookFor(_ outcomes: [UUID]) throws {
    (missing, followed) = (Set(outcomes), [])
    guard !outcomes.isEmpty else { return }
    let list = try JSON.text(outcomes.map(\.uuidString))
    // A join would be planned for the table as it is at the first rows, and read all of it ever after.
    func found(_ table: String, _ column: String) throws -> [UUID] {
      try transaction.rows(
        """
        SELECT value FROM (\(Dialect.members("?"))) AS asked
        WHERE (SELECT 1 FROM \(table) WHERE \(column) = asked.value LIMIT 1) IS NOT NULL
        """, [list]
      ) { try $0.uuid("value") }
    }
    missing.subtract(try found("outcome", "uuid"))
    followed.formUnion(try found("version_edge", "previous"))
  }

  /// Stores that a version follows another one.
  mutating func insertEdge(from previous: UUID, to next: UUID) throws {
    try transaction.insertEdge(from: previous, to: next)
    if missing.contains(previous) { followed.insert(previous) }
  }

  private mutating func take(_ arriving: OutcomeRow) throws {
    var row = arriving
    let uuid = row.outcome.uuid
    row.outcome.key.patient = aliases.current(row.outcome.key.patient)
    guard !erasures.covers(row.outcome.key.patient) else {
      report.dropped += 1
      return
    }
    let isMissing = missing.remove(uuid) != nil
    let known =
      isMissing
      ? nil
      : try transaction.row("SELECT * FROM outcome WHERE uuid = ?", [uuid.uuidString]).map {
        try transaction.exchangedOutcome($0, writers: writerNames)
      }
    let isNew = known.map { row.withoutParents.line < $0.withoutParents.line } ?? true
    let parents = arriving.parents.filter { !(known?.parents ?? []).contains($0) }
    if isNew {
      if known != nil {
        try transaction.execute("DELETE FROM outcome WHERE uuid = ?", [uuid.uuidString])
      }
      try transaction.insertRow(
        row.outcome, deletedDate: row.deletedDate, isTip: !followed.contains(uuid),
        stamp: try stamp(row.stamp, isUnknown: known == nil))
    }
    for parent in parents { try insertEdge(from: parent, to: uuid) }
    guard isNew || !parents.isEmpty else { return }
    for uuid in parents + (isMissing ? [] : [uuid]) where !missing.contains(uuid) {
      try transaction.execute(
        """
        UPDATE outcome SET is_tip =
          CASE WHEN EXISTS (SELECT 1 FROM version_edge WHERE previous = ?1) THEN 0 ELSE 1 END
        WHERE uuid = ?1
        """, [uuid.uuidString])
    }
    report.outcomes += 1
  }
}

// MARK: - Renamed and erased patients

/// The ids that patients have had.
///
/// A change of id joins two ids to one person, permanently and in every store: an id that was a
/// person's once is never another one's. Of several changes, also of independent ones, the latest
/// gives the id that all rows of the person get.
struct Aliases {
  private var changes: [AliasRow] = []
  /// The ids of each person who has several, and the current one, by each of them.
  private var people: [String: (ids: Set<String>, current: String, changed: Int64)] = [:]

  var isEmpty: Bool { changes.isEmpty }

  mutating func add(_ change: AliasRow) {
    changes.removeAll { $0.old == change.old && $0.date == change.date }
    changes.append(change)
    people = [:]
    // Later changes come last, so that they decide.
    for change in changes.sorted(by: { ($0.date, $0.new, $0.old) < ($1.date, $1.new, $1.old) }) {
      let ids = self.ids(of: change.old).union(self.ids(of: change.new))
      for id in ids { people[id] = (ids, change.new, change.date) }
    }
  }

  /// All ids of a person.
  func ids(of id: String) -> Set<String> { people[id]?.ids ?? [id] }

  /// The id that the person has now who has, or had, `id`.
  func current(_ id: String) -> String { people[id]?.current ?? id }

  /// When the person's id changed last, µs since 1970.
  func lastChange(of id: String) -> Int64? { people[id]?.changed }
}

extension SQLTransaction {
  /// The patients that were given another id.
  func aliases() throws -> Aliases {
    if let aliases = state.aliases { return aliases }
    var aliases = Aliases()
    try rows("SELECT * FROM alias") { aliases.add(try AliasRow(reading: $0)) }
    state.aliases = aliases
    return aliases
  }

  /// The ids of every patient that rows name.
  fileprivate func namedPatients() throws -> Set<String> {
    Set(
      try rows(
        """
        SELECT patient FROM version UNION SELECT patient FROM outcome
        UNION SELECT patient FROM firing UNION SELECT patient FROM sample UNION SELECT attributed FROM sample
        UNION SELECT patient FROM block UNION SELECT attributed FROM block
        UNION SELECT patient FROM sample_change UNION SELECT old FROM alias
        UNION SELECT new FROM alias
        """
      ) { try $0.optional("patient") as String? }.compactMap(\.self))
  }
}

extension MergeRun {
  private mutating func take(_ alias: AliasRow) throws {
    // Who was erased under one name was erased under the other.
    let dates = [alias.old, alias.new].compactMap { erasures.date(of: $0) }
    if let date = dates.max() {
      for id in [alias.old, alias.new] {
        try take(ErasureRow(mark: ErasureMark.patient(id), date: date))
      }
      return
    }
    let stored = try transaction.row(
      "SELECT new FROM alias WHERE old = ? AND date = ?", [alias.old, alias.date])
    if let known = try stored?.text("new"), known <= alias.new { return }
    try transaction.store(
      alias, in: AliasRow.table,
      onConflict:
        "ON CONFLICT (old, date) DO UPDATE SET new = excluded.new, stored = excluded.stored")
    transaction.state.aliases = nil
    aliases = try transaction.aliases()
    let current = aliases.current(alias.old)
    for id in aliases.ids(of: alias.old).sorted() where id != current {
      try transaction.moveRows(of: id, to: current)
    }
    report.renamedPatients += 1
    hasChangedPlan = true
  }

  private mutating func take(_ erasure: ErasureRow) throws {
    let isNew = erasures.add(erasure.mark, erasure.date)
    try transaction.mark(erasure.mark, erasure.date)
    guard isNew else { return }
    newMarks[erasure.mark] = erasure.date
    report.erasures += 1
  }

  /// Erases what arriving marks say of rows that are stored.
  private mutating func obey(_ marks: [String: Int64]) throws {
    for patient in try transaction.namedPatients() {
      if let date = marks[ErasureMark.patient(patient)] {
        try transaction.erase(patient, markedAt: date)
      }
    }
    try transaction.removeStreams(markedBy: marks)
    for mark in marks.keys.compactMap({ ErasureMark.Stream($0, of: .totals) }) {
      guard let series = try transaction.series(mark.series) else { continue }
      try noteTotals(of: series, mark.first...mark.last)
    }
    let ofSamples = marks.filter { $0.key.utf8.count == ErasureMark.lengths[1] }
    guard !ofSamples.isEmpty else { return }
    try transaction.removeSamples(markedBy: ofSamples)
  }
}
