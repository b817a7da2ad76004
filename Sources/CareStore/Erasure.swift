import Care
import Digests
public import Foundation

extension SQLStore {
  /// Removes every value, raw byte and name of a patient from the file and its write-ahead log.
  ///
  /// A mark without a name stays: no merge brings them back, whenever a store that did not know
  /// wrote them, and nobody gets the id again. Rows that other people or the tray received since keep
  /// their values.
  /// ``eraseCopies(patient:now:)`` reaches what restorations left.
  ///
  /// - Throws: `StoreError.unknown(.patient)` for a patient that the store never had;
  ///   `StoreError.failed(.notCleaned)` if the rows are removed and the file could not be written
  ///   again: erase the patient again, or call ``clean()``.
  /// - Complexity: The whole file is written once.
  public func erase(patient: String, now: Date) async throws {
    try await write { try $0.erase(patient: patient, now: now) }
    try await clean()
  }

  /// Erases a patient from what restorations left beside the store (``restorationSuffix``).
  ///
  /// - Returns: Their paths, and whether they are erased: what cannot be opened is not.
  public func eraseCopies(patient: String, now: Date) async -> [ErasedCopy] {
    guard let path else { return [] }
    var copies: [ErasedCopy] = []
    for copy in Self.savedContents(beside: path) {
      copies.append(ErasedCopy(path: copy, isErased: await erase(patient, fromCopy: copy, now)))
    }
    return copies
  }

  /// Erases a patient from what a restoration left.
  ///
  /// - Returns: Whether nothing of the patient is in it.
  private func erase(_ patient: String, fromCopy path: String, _ now: Date) async -> Bool {
    do {
      let store = try Self.open(path: path, makeUUID: makeUUID)
      defer { try? store.close() }
      do {
        try await store.write { try $0.erase(patient: patient, now: now) }
      } catch StoreError.unknown {
        return true
      }
      try await store.clean()
      return true
    } catch {
      return false
    }
  }

  /// Writes the file again without the remains of removed rows, and empties the write-ahead log.
  ///
  /// - Throws: `StoreError.failed(.notCleaned)` if the disk has no room for a second copy, or
  ///   another program uses the file all the time. Removed rows stay removed.
  public func clean() async throws {
    do {
      try await engine.compact()
      try await emptyLog()
    } catch {
      throw StoreError.failed(.notCleaned, store: place)
    }
  }

  /// Writes everything that is in the write-ahead log to the file.
  func emptyLog() async throws {
    do {
      try await engine.emptyLog()
    } catch {
      throw StoreError(error, in: place)
    }
  }
}

/// A copy that a restoration left beside a store, after an erasure.
public struct ErasedCopy: Hashable, Sendable {
  /// The path.
  public var path: String
  /// Whether nothing of the patient is in it.
  public var isErased: Bool
}

/// The marks that an erasure leaves: they name nobody, and tell of a given id or sample whether it
/// was erased.
enum ErasureMark {
  /// The digits of the digests that are a patient's and a sample's mark.
  static let lengths = [64, 32]

  /// Streamed samples, which are too many for a mark each, or running totals.
  ///
  /// As text: `stream|` or `total|` and the fields, separated by `|`; the device comes last.
  struct Stream: Hashable {
    var kind: Kind
    var series: SeriesKey
    /// The starts of the first and the last sample, µs since 1970.
    var first: Int64
    var last: Int64

    enum Kind: String {
      /// Those of the span are erased.
      case samples = "stream"
      /// Some of the span are erased, each with a mark of its own: what the device counted then is
      /// nobody's.
      case totals = "total"
    }

    init(series: SeriesKey, first: Int64, last: Int64, of kind: Kind = .samples) {
      (self.kind, self.series, self.first, self.last) = (kind, series, first, last)
    }

    init?(_ mark: String, of kind: Kind = .samples) {
      let parts = mark.split(separator: "|", maxSplits: 5, omittingEmptySubsequences: false)
      guard parts.count == 6, parts[0] == kind.rawValue, let user = Int(parts[2]),
        let first = Int64(parts[3]), let last = Int64(parts[4]), first <= last
      else { return nil }
      self.init(
        series: SeriesKey(
          device: String(parts[5]), quantity: String(parts[1]), userIndex: user), first: first,
        last: last, of: kind)
      guard text == mark else { return nil }
    }

    var text: String {
      "\(kind.rawValue)|\(series.quantity)|\(series.userIndex)|\(first)|\(last)|\(series.device)"
    }
  }

  /// Whether a text can be a mark.
  static func isValid(_ mark: String) -> Bool {
    Stream(mark) != nil || Stream(mark, of: .totals) != nil
      || lengths.contains(mark.utf8.count) && [UInt8](hex: mark)?.hexString == mark
  }

  static func patient(_ id: String) -> String {
    SHA256.digest(of: Array("measured erasure \(id)".utf8)).hexString
  }

  static func sample(_ identity: SampleIdentity) -> String { bytes(of: identity).hexString }

  /// The bytes of a sample's mark.
  static func bytes(of identity: SampleIdentity) -> [UInt8] {
    let digest = SHA256.digest(of: Array("measured erasure of sample \(identity.text)".utf8))
    return Array(digest.prefix(16))
  }
}

/// The erased rows, as far as marks tell.
///
/// When a mark was made decides nothing: a store that had not heard of it may have written rows
/// later.
struct Erasures {
  /// When each mark was made, µs since 1970.
  private(set) var dates: [String: Int64]
  private var known: [String: Int64?] = [:]
  private var streams: [SeriesKey: [ClosedRange<Int64>]] = [:]

  init(_ dates: [String: Int64]) {
    self.dates = dates
    for mark in dates.keys { addStream(mark) }
  }

  private mutating func addStream(_ mark: String) {
    guard let stream = ErasureMark.Stream(mark) else { return }
    streams[stream.series, default: []].append(stream.first...stream.last)
  }

  var isEmpty: Bool { dates.isEmpty }

  /// Adds a mark.
  ///
  /// - Returns: Whether it is new.
  mutating func add(_ mark: String, _ date: Int64) -> Bool {
    let isNew = dates[mark] == nil
    dates[mark] = max(date, dates[mark] ?? date)
    guard isNew else { return false }
    known = [:]
    addStream(mark)
    return true
  }

  /// When a patient was erased; `nil` if never.
  mutating func date(of patient: String?) -> Int64? {
    guard let patient, !dates.isEmpty else { return nil }
    if let date = known[patient] { return date }
    let date = dates[ErasureMark.patient(patient)]
    known[patient] = .some(date)
    return date
  }

  /// Whether a patient was erased.
  mutating func covers(_ patient: String?) -> Bool { date(of: patient) != nil }

  /// Whether a streamed sample was erased.
  func covers(_ sample: StreamedSample, of series: SeriesKey) -> Bool {
    streams[series]?.contains { $0.contains(sample.start) } ?? false
  }

  /// Whether a sample was erased.
  func covers(_ identity: SampleIdentity) -> Bool {
    !dates.isEmpty && dates[ErasureMark.sample(identity)] != nil
  }
}

// MARK: - Erasing

extension SQLTransaction {
  func erase(patient: String, now: Date) throws {
    try changing {
      let isKnown = try row("SELECT 1 FROM version WHERE patient = ? LIMIT 1", [patient]) != nil
      // An erasure that could not clean the file is repeated.
      var marks = try erasures()
      let isErased = marks.date(of: patient) != nil
      guard isKnown || isErased else {
        throw StoreError.unknown(.patient(patient, known: try plan().patients.map(\.id)))
      }
      try erase(patient, markedAt: now.microseconds)
      for table in ["device_binding", "presence", "calendar_link"] {
        try execute("DELETE FROM \(table) WHERE patient = ?", [patient])
      }
      // The plans of other systems may name the person; they are asked again.
      try execute("DELETE FROM outlet_proposal")
      state.hasRemovedSecrets = true
      try audit("erased a patient", now)
    }
  }

  /// Every mark.
  func erasures() throws -> Erasures {
    Erasures(
      Dictionary(
        try rows("SELECT mark, max(date) AS date FROM erasure GROUP BY mark") {
          (try $0.text("mark"), try $0.required("date") as Int64)
        }, uniquingKeysWith: max))
  }

  /// Refuses the id of an erased patient, which no other person gets.
  ///
  /// A program that read the plan before the erasure may still use it.
  func requireNotErased(_ patient: String) throws {
    if try isErased(patient) { throw StoreError.refused(.takenPatient(patient)) }
  }

  /// Whether a patient of this id was erased.
  func isErased(_ patient: String) throws -> Bool {
    guard try hasErasures() else { return false }
    if let isErased = state.erased[patient] { return isErased }
    let mark = ErasureMark.patient(patient)
    let isErased = try row("SELECT 1 FROM erasure WHERE mark = ? LIMIT 1", [mark]) != nil
    state.erased[patient] = isErased
    return isErased
  }

  /// Whether a sample that arrives was erased before, or is an erased patient's: a device may send
  /// its memory again.
  func isErased(_ sample: Sample) throws -> Bool {
    guard try hasErasures() else { return false }
    if let patient = sample.patient, try isErased(patient) { return true }
    guard sample.isStoredAsStream else {
      let mark = ErasureMark.sample(sample.identity)
      return try row("SELECT 1 FROM erasure WHERE mark = ? LIMIT 1", [mark]) != nil
    }
    let (series, start) = (SeriesKey(sample.reading), sample.start.microseconds)
    return try erasedStreams().contains {
      $0.series == series && ($0.first...$0.last).contains(start)
    }
  }

  /// The spans of streamed samples that were erased.
  private func erasedStreams() throws -> [ErasureMark.Stream] {
    if let streams = state.erasedStreams { return streams }
    let streams = try rows(
      "SELECT mark FROM erasure WHERE mark > 'stream|' AND mark < 'stream}'"
    ) { ErasureMark.Stream(try $0.text("mark")) }.compactMap(\.self)
    state.erasedStreams = streams
    return streams
  }

  /// Whether anything was ever erased.
  func hasErasures() throws -> Bool {
    if let hasErasures = state.hasErasures { return hasErasures }
    let hasErasures = try row("SELECT 1 FROM erasure WHERE stored > 0 LIMIT 1") != nil
    state.hasErasures = hasErasures
    return hasErasures
  }

  /// Removes a patient's rows of every name, and leaves marks.
  func erase(_ patient: String, markedAt date: Int64) throws {
    try db.overwriteRemoved()
    let ids = try aliases().ids(of: patient).sorted()
    for id in ids {
      try mark(ErasureMark.patient(id), date)
      try removeRows(of: id, markedAt: date)
    }
    for id in ids { try execute("DELETE FROM alias WHERE old = ?1 OR new = ?1", [id]) }
    state.aliases = nil
    try planChanged()
  }

  /// Stores a mark; only the latest date of a mark stays.
  func mark(_ mark: String, _ date: Int64) throws {
    try execute("DELETE FROM erasure WHERE mark = ? AND date < ?", [mark, date])
    guard try row("SELECT 1 FROM erasure WHERE mark = ?", [mark]) == nil else { return }
    try store(ErasureRow(mark: mark, date: date), in: ErasureRow.table)
    (state.erased, state.erasedStreams, state.hasErasures) = ([:], nil, true)
  }

  private func removeRows(of patient: String, markedAt date: Int64) throws {
    for statement in [
      """
      DELETE FROM outcome_value WHERE outcome IN (SELECT number FROM outcome WHERE patient = ?)
      """,
      """
      DELETE FROM version_edge WHERE next IN
        (SELECT uuid FROM version WHERE patient = ?1
          UNION ALL SELECT uuid FROM outcome WHERE patient = ?1)
      """,
      "DELETE FROM withdrawal WHERE version IN (SELECT uuid FROM version WHERE patient = ?)",
      "DELETE FROM outcome WHERE patient = ?",
      "DELETE FROM version WHERE patient = ?",
      "DELETE FROM firing WHERE patient = ?",
    ] { try execute(statement, [patient]) }
    try removeMessages(of: patient)
    try removeReceipts(of: patient)
    try removeLooseAttachments()
    try removeFromOrders(patient)
    try removeSamples(of: patient, markedAt: date)
    try execute("DELETE FROM sample_change WHERE patient = ?", [patient])
    try execute("DELETE FROM replaced_binding WHERE patient = ?", [patient])
    // A digest of a binding could be compared with a guess.
    try execute("UPDATE plan_import SET content = \(Dialect.removing("content", "digests"))")
    state.changes = [:]
    try execute(
      """
      DELETE FROM series WHERE number NOT IN (SELECT series FROM sample)
        AND number NOT IN (SELECT series FROM block)
      """)
    state.series = [:]
    state.lastSeries = nil
  }

  private func removeFromOrders(_ patient: String) throws {
    for order in try graph(type: "order", patient: "", id: "plan").versions {
      let tasks = try order.decode([TaskReference].self)
      let left = tasks.filter { $0.patient != patient }
      guard left.count < tasks.count else { continue }
      try execute(
        "UPDATE version SET payload = ?, stored = ? WHERE uuid = ?",
        [try JSON.text(left), try nextStored(), order.uuid.uuidString])
    }
  }

  private func removeSamples(of patient: String, markedAt date: Int64) throws {
    var devices: Set<String> = []
    var removed: [SampleMember] = []
    for member in try members("sample.patient = ?1 OR attributed = ?1", [patient]) {
      if let owner = member.sample.patient, owner != patient {
        // It was attributed to the patient, and a person assigned it to another one.
        try execute(
          "UPDATE sample SET attributed = NULL, reason = NULL, stored = ? WHERE number = ?",
          [try nextStored(), member.number])
        continue
      }
      devices.insert(member.sample.device.address.text)
      try remove(member, markedAt: date)
      removed.append(member)
    }
    try markTotals(removed, erasedAt: date)
    try changeHours(attributedTo: patient, ownedBy: patient) { hour in
      try removeEntries(of: patient, markedAt: date, from: &hour) { devices.insert($0) }
    }
    // Why samples were changed may name the patient.
    for device in devices {
      let named = "identity IS NULL AND device = ? AND reason IS NOT NULL"
      try renumber(SampleChangeRow.table, named, [device])
      try execute("UPDATE sample_change SET reason = NULL WHERE \(named)", [device])
    }
  }

  private func remove(_ member: SampleMember, markedAt date: Int64) throws {
    let identity = member.sample.identity
    try mark(ErasureMark.sample(identity), date)
    try execute("DELETE FROM sample_change WHERE identity = ?", [identity.text])
    try execute("DELETE FROM sample WHERE number = ?", [member.number])
  }

  /// Removes the samples that another store has erased.
  func removeSamples(markedBy marks: [String: Int64]) throws {
    try db.overwriteRemoved()
    let gone = try rows(Sample.select) { row -> Int64? in
      let mark = ErasureMark.sample(try Sample(row).identity)
      return marks[mark] == nil ? nil : try row.required("number")
    }
    for number in gone.compactMap(\.self) {
      try execute("DELETE FROM sample WHERE number = ?", [number])
    }
    let changed = try rows("SELECT DISTINCT identity FROM sample_change WHERE identity IS NOT NULL")
    { try $0.text("identity") }
    for identity in changed
    where marks[ErasureMark.sample(SampleIdentity(text: identity))] != nil {
      try execute("DELETE FROM sample_change WHERE identity = ?", [identity])
    }
    state.changes = [:]
  }

  /// Removes the streamed samples that another store has erased.
  func removeStreams(markedBy marks: [String: Int64]) throws {
    for mark in marks.keys {
      guard let stream = ErasureMark.Stream(mark), let series = try series(stream.series) else {
        continue
      }
      let hours = try rows(
        "SELECT DISTINCT hour FROM block WHERE series = ? AND hour BETWEEN ? AND ?",
        [series, Hours.hour(of: stream.first), Hours.hour(of: stream.last)]
      ) { try $0.required("hour") as Int64 }
      for number in hours {
        var hour = try seriesHour(series, number)
        for place in hour.entries.keys
        where (stream.first...stream.last).contains(place.start) {
          hour.entries[place] = nil
        }
        try replace(hour)
      }
    }
  }

  /// Removes a patient's samples from an hour.
  private func removeEntries(
    of patient: String, markedAt date: Int64, from hour: inout SeriesHour,
    _ removed: (String) -> Void
  ) throws {
    guard let series = try seriesKey(hour.series) else { return }
    let index = try changeIndex(of: series.device)
    let quantity = Quantity(rawValue: series.quantity)
    // Nothing else tells of these whose they were.
    var runs: [ErasureMark.Stream] = []
    var isRunning = false
    for (place, entry) in hour.sorted {
      let whole = quantity.map { entry.sample.whole(of: series, measuring: $0) }
      let changes = whole.map { index.isEmpty ? [] : index.changes(of: $0) } ?? []
      let owner = ChangeEffect(of: changes).owner(attributed: entry.attributed)
      let isGone = owner == patient || owner == nil && entry.attributed == patient
      if isGone, entry.attributed != patient {
        let start = entry.sample.start
        if isRunning {
          runs[runs.endIndex - 1].last = start
        } else {
          runs.append(ErasureMark.Stream(series: series, first: start, last: start))
        }
      }
      isRunning = isGone && entry.attributed != patient
      if isGone {
        hour.entries[place] = nil
        removed(series.device)
        if let whole, !changes.isEmpty {
          try execute("DELETE FROM sample_change WHERE identity = ?", [whole.identity.text])
        }
      } else if entry.attributed == patient {
        hour.entries[place]?.attributed = nil
        hour.entries[place]?.reason = nil
      }
    }
    for run in runs { try mark(run.text, date) }
  }
}
