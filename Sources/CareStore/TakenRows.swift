package import Care
import Digests
package import Foundation

// Notes of a store on its exchange with others, and the taking of their rows.

/// The outcome of a row that another store sent.
package enum TakenRow: Hashable, Sendable {
  /// The store has it, or it is of somebody who was erased.
  case taken
  /// It cannot be taken now, for this reason.
  case refused(RowRefusal)
}

/// Why a row was not taken.
package enum RowRefusal: String, Hashable, Sendable, Codable, Error {
  /// It concerns nobody of the sender's.
  case foreign
  /// It is of a newer program.
  case newer
  /// It cannot be read, or contradicts itself.
  case damaged
  /// It is longer than a batch may be.
  case long
  /// A picture or video to which no answer refers yet.
  case loose
  /// The person has not agreed that it leaves, or no longer.
  case consent
}

/// A store in one transaction, as the exchange of rows sees it.
package protocol RowExchange: StoreWriter {
  /// The last number that a row of this store was given.
  func lastStored() throws -> Int64
  /// Calls `body` with each row after a number, in the order of numbers, until it returns `false`.
  func travelling(
    _ stream: RowStream, after number: Int64, for audience: RowAudience,
    _ body: (TravellingRow) throws -> Bool
  ) throws -> Int64
  /// A row by its name; `nil` if there is none, or it stays in its store.
  func travelling(_ name: RowName) throws -> TravellingRow?
  /// Whether the store has a row with this content, or had it until it was pruned.
  func has(_ name: RowName, digest: String) throws -> Bool
  /// Whether the row was pruned here.
  func isPruned(_ name: RowName) throws -> Bool
  /// Takes rows of another store, each by itself.
  ///
  /// - Parameters:
  ///   - rows: The rows; only names and lines count.
  ///   - channel: The channel by which they come.
  ///   - deliverer: The box from which they are; `nil` for a centre, which may send everything. Of a
  ///     row without lines the box has proven that it has it.
  /// - Returns: What became of each row.
  /// - Throws: `StoreError`; nothing is taken then.
  func take(
    _ rows: [TravellingRow], by channel: String, from deliverer: RowDeliverer?
  ) throws -> [TakenRow]
  /// All ids that a person has or had.
  func ids(ofPatient id: String) throws -> Set<String>
  /// Gives a row a new number, so that it is sent again.
  func renew(_ name: RowName) throws
  /// Closes the hours of streams that are over, which travel from then on.
  ///
  /// A sample that comes late opens its hour again.
  func closeHours(at now: Date) throws
  /// Forgets what came by a channel that is closed.
  func forgetArrivals(by channel: String) throws
  /// Gives the store another name among its peers: its file may be a copy.
  func becomeAnotherWriter() throws
  /// Removes measurements up to a number, but for those that `keeps` says.
  ///
  /// - Returns: How many rows were removed.
  func prune(upTo number: Int64, in stream: RowStream, keeps: (RowName) throws -> Bool) throws
    -> Int
  /// The note under a name, as JSON.
  func note(_ scope: String, _ id: String) throws -> String?
  /// All that is kept in a scope, by name.
  func notes(_ scope: String) throws -> [String: String]
  /// Keeps a text, or forgets it.
  func keep(_ content: String?, _ scope: String, _ id: String) throws
  /// Forgets a whole scope.
  func forget(_ scope: String) throws
}

extension SQLStore {
  /// Exchanges rows in one transaction.
  ///
  /// - Throws: The errors of `body`; `StoreError.failed(_:store:)`.
  package func exchanging<T: Sendable>(
    _ body: @Sendable (any RowExchange) throws -> T
  ) async throws -> T {
    let (result, hasErased) = try await writing { transaction in
      (try body(transaction), transaction.state.hasObeyedMarks)
    }
    if hasErased { try await clean() }
    return result
  }
}

extension SQLStore {
  /// Reads what a store keeps of its exchange, without writing.
  ///
  /// - Throws: The errors of `body`; `StoreError.failed(_:store:)`.
  package func readingExchange<T: Sendable>(
    _ body: @Sendable (any RowExchange) throws -> T
  ) async throws -> T {
    try await reading { try body($0) }
  }
}

// MARK: - Tables

extension Schema {
  /// By which channel the row came that has a number.
  static let arrival = Table(
    "arrival", [.init("number", .number), .init("channel", .text, "NOT NULL")],
    indexes: ["CREATE INDEX arrival_by ON arrival (channel)"])

  /// Which box delivered which samples, by name and span, so that it hears of their changes.
  static let delivery = Table(
    "delivery",
    [
      .init("box", .text, "NOT NULL"), .init("name", .text, "NOT NULL"),
      .init("device", .text, "NOT NULL"), .init("first_date", .integer, "NOT NULL"),
      .init("last_date", .integer, "NOT NULL"),
    ], ["PRIMARY KEY (box, name)"],
    indexes: ["CREATE INDEX delivery_of ON delivery (box, device)"], isApartFromKey: false)

  /// The names of the rows that were pruned here, and their digests.
  static let pruned = Table(
    "pruned", [.init("name", .text, "NOT NULL PRIMARY KEY"), .init("digest", .text, "NOT NULL")],
    isApartFromKey: false)

  /// Parts of pictures and videos that wait for the others.
  static let waitingPart = Table(
    "waiting_part",
    [
      .init("digest", .blob, "NOT NULL"), .init("part", .integer, "NOT NULL"),
      .init("content", .blob, "NOT NULL"),
    ], ["PRIMARY KEY (digest, part)"])

  /// The notes of the store on the stores that it exchanges rows with.
  static let exchangeNote = Table(
    "exchange_note",
    [
      .init("scope", .text, "NOT NULL"), .init("id", .text, "NOT NULL"),
      .init("content", .text, "NOT NULL"),
    ], ["PRIMARY KEY (scope, id)"], isApartFromKey: false)

  /// The tables of the exchange, none of which is exported.
  static let exchange = [arrival, delivery, pruned, waitingPart, exchangeNote]
}

// MARK: - Notes

extension SQLTransaction: RowExchange {
  package func note(_ scope: String, _ id: String) throws -> String? {
    try reading {
      try row("SELECT content FROM exchange_note WHERE scope = ? AND id = ?", [scope, id])?
        .text("content")
    }
  }

  package func notes(_ scope: String) throws -> [String: String] {
    try reading {
      Dictionary(
        try rows("SELECT id, content FROM exchange_note WHERE scope = ?", [scope]) {
          (try $0.text("id"), try $0.text("content"))
        }, uniquingKeysWith: { first, _ in first })
    }
  }

  package func keep(_ content: String?, _ scope: String, _ id: String) throws {
    try changing {
      guard let content else {
        return try execute("DELETE FROM exchange_note WHERE scope = ? AND id = ?", [scope, id])
      }
      try execute(
        """
        INSERT INTO exchange_note (scope, id, content) VALUES (?, ?, ?)
        ON CONFLICT (scope, id) DO UPDATE SET content = excluded.content
        """, [scope, id, content])
    }
  }

  package func forget(_ scope: String) throws {
    try changing { try execute("DELETE FROM exchange_note WHERE scope = ?", [scope]) }
  }

  package func forgetArrivals(by channel: String) throws {
    try changing { try execute("DELETE FROM arrival WHERE channel = ?", [channel]) }
  }

  package func ids(ofPatient id: String) throws -> Set<String> {
    try reading { try aliases().ids(of: id) }
  }

  package func becomeAnotherWriter() throws { try changing { try takeNewWriter(isCopy: true) } }

  package func has(_ name: RowName, digest: String) throws -> Bool {
    try reading {
      if try row("SELECT 1 FROM pruned WHERE name = ?", [name.text]) != nil { return true }
      if let waiting = try waitingLine(name) {
        return TravellingRow.digest(of: [waiting]) == digest
      }
      return try travelling(name)?.digest == digest
    }
  }

  package func isPruned(_ name: RowName) throws -> Bool {
    try reading { try row("SELECT 1 FROM pruned WHERE name = ?", [name.text]) != nil }
  }
}

// MARK: - Taking rows

extension SQLTransaction {
  package func take(
    _ rows: [TravellingRow], by channel: String, from deliverer: RowDeliverer?
  ) throws -> [TakenRow] {
    try changing {
      var run = try MergeRun(self)
      let marks = try deliverer == nil ? MarkedPeople() : people(markedBy: rows)
      var results: [TakenRow] = []
      for row in rows {
        let before = run
        do throws(any Error) {
          try undoing {
            if !row.lines.isEmpty {
              try take(row, in: &run, by: channel, from: deliverer, marks: marks)
            }
            if let deliverer { try noteDelivery(of: row, by: deliverer.box) }
          }
          results.append(.taken)
        } catch let refusal as RowRefusal {
          run = before
          results.append(.refused(refusal))
        } catch let damage as StoreError.ExportDamage {
          run = before
          results.append(.refused(RowRefusal(damage)))
        }
      }
      let report = try run.finish()
      state.hasObeyedMarks = state.hasObeyedMarks || report.erasures > 0
      return results
    }
  }

  private func take(
    _ row: TravellingRow, in run: inout MergeRun, by channel: String,
    from deliverer: RowDeliverer?, marks: MarkedPeople
  ) throws {
    let arriving = try row.lines.map { try ExportLine.read($0) }
    guard !arriving.isEmpty, arriving.allSatisfy({ row.name.isName(of: $0) }) else {
      throw RowRefusal.damaged
    }
    if let deliverer {
      for line in arriving { try requireOwn(line, of: deliverer, marks: marks) }
    }
    if case let part as AttachmentRow = arriving[0] { return try take(part, by: channel) }
    let before = try lastStored()
    for line in arriving { try run.take(line) }
    guard try lastStored() > before, let stored = try travelling(row.name),
      stored.lines == row.lines
    else { return }
    try noteArrival(stored.number, by: channel)
  }

  private func noteArrival(_ number: Int64, by channel: String) throws {
    try execute(
      """
      INSERT INTO arrival (number, channel) VALUES (?, ?)
      ON CONFLICT (number) DO UPDATE SET channel = excluded.channel
      """, [number, channel])
  }

  /// Notes whose samples came from a box, and lets it hear of their changes.
  private func noteDelivery(of row: TravellingRow, by box: String) throws {
    let (name, device, first, last): (String, String, Int64, Int64)
    switch row.name.kind {
    case .sample:
      guard let sample = try locate(SampleIdentity(text: row.name.key))?.sample else { return }
      (name, device) = (row.name.text, sample.device.address.text)
      (first, last) = (sample.start.microseconds, sample.start.microseconds)
    case .hour:
      guard let place = HourPlace(key: row.name.key) else { return }
      (name, device) = (Self.deliveredHour(place.hour, place.series.device), place.series.device)
      first = place.hour.multipliedReportingOverflow(by: Hours.length).partialValue
      last = first.addingReportingOverflow(Hours.length - 1).partialValue
    default: return
    }
    guard first <= last, try !isDelivered(name, by: box) else { return }
    try execute(
      "INSERT INTO delivery (box, name, device, first_date, last_date) VALUES (?, ?, ?, ?, ?)",
      [box, name, device, first, last])
    if row.name.kind == .sample, let sample = try locate(SampleIdentity(text: row.name.key)) {
      try renewChanges(of: sample.sample)
    } else {
      try renewChanges(ofDevice: device, from: first, to: last)
    }
  }
}

extension RowName {
  /// Whether a line is one of the row of this name.
  fileprivate func isName(of line: any ExportedRow) -> Bool {
    switch (kind, line) {
    case (.erasure, let line as ErasureRow): key == line.mark
    case (.alias, let line as AliasRow): key == "\(line.date)|\(line.old)"
    case (.version, let line as VersionRow): key == line.uuid.uuidString
    case (.withdrawal, let line as WithdrawalRow):
      key == "\(line.version.uuidString)|\(line.withdrawal.date)"
    case (.outcome, let line as OutcomeRow): key == line.outcome.uuid.uuidString
    case (.firing, let line as FiringRow): key == line.uuid.uuidString
    case (.change, let line as SampleChangeRow): key == line.uuid.uuidString
    case (.sample, let line as SampleMember): key == line.sample.identity.text
    case (.hour, let line as BlockLine): key == line.place?.key
    case (.attachment, let line as AttachmentRow): key == "\(line.digest.hexString)|\(line.part)"
    default: false
    }
  }
}

extension BlockLine {
  /// The part of the hour that it is of.
  fileprivate var place: HourPlace? {
    start.first.map { HourPlace(key(hour: Hours.hour(of: $0.microseconds))) }
  }
}

extension RowRefusal {
  /// The reason for which a line was refused.
  init(_ damage: StoreError.ExportDamage) {
    switch damage {
    case .unknownKind, .unknownField, .unknownQuantity, .unknownUnit: self = .newer
    default: self = .damaged
    }
  }
}

// MARK: - Pictures and videos

extension SQLTransaction {
  /// The line of a part that waits for the others.
  private func waitingLine(_ name: RowName) throws -> String? {
    guard name.kind == .attachment else { return nil }
    let parts = name.key.split(separator: "|")
    guard parts.count == 2, let digest = [UInt8](hex: parts[0]), let part = Int(parts[1]) else {
      return nil
    }
    let waiting = try row(
      "SELECT content FROM waiting_part WHERE digest = ? AND part = ?", [Data(digest), part])
    return try waiting.map { row in
      let content: Data = try row.required("content")
      return AttachmentRow(digest: digest, part: part, content: Array(content)).line
    }
  }

  /// Keeps a part until all parts of the picture or video are there.
  private func take(_ part: AttachmentRow, by channel: String) throws {
    let digest = Data(part.digest)
    guard try row("SELECT 1 FROM attachment WHERE digest = ? LIMIT 1", [digest]) == nil else {
      return
    }
    let length = try row(
      """
      SELECT byte_count FROM outcome_value JOIN outcome
        ON outcome.number = outcome_value.outcome
      WHERE value = ? AND media_type IS NOT NULL AND is_tip = 1 LIMIT 1
      """, [digest])
    let count: Int? =
      if let length { try length.required("byte_count") } else {
        try videos(of: digest).first?.attachment.byteCount
      }
    guard let count else { throw RowRefusal.loose }
    guard part.part < count.dividedRoundingUp(by: Attachment.partLength) else {
      throw RowRefusal.damaged
    }
    try execute(
      """
      INSERT INTO waiting_part (digest, part, content) VALUES (?, ?, ?)
      ON CONFLICT (digest, part) DO UPDATE SET content = excluded.content
      """, [digest, part.part, Data(part.content)])
    let waiting: Int? = try row(
      "SELECT sum(length(content)) AS count FROM waiting_part WHERE digest = ?", [digest])?
      .optional("count")
    guard waiting == count else { return }
    var running = SHA256.Running()
    try rows("SELECT content FROM waiting_part WHERE digest = ? ORDER BY part", [digest]) { row in
      let content: Data = try row.required("content")
      running.update(Array(content))
    }
    guard running.finish() == part.digest else {
      try execute("DELETE FROM waiting_part WHERE digest = ?", [digest])
      return
    }
    let parts = try rows(
      "SELECT part, content FROM waiting_part WHERE digest = ? ORDER BY part", [digest]
    ) { row in
      let content: Data = try row.required("content")
      return AttachmentRow(
        digest: part.digest, part: try row.required("part"), content: Array(content))
    }
    for part in parts {
      try store(part, in: AttachmentRow.table)
      try noteArrival(try lastStored(), by: channel)
    }
    try execute("DELETE FROM waiting_part WHERE digest = ?", [digest])
  }
}

extension Int {
  fileprivate func dividedRoundingUp(by divisor: Int) -> Int { (self + divisor - 1) / divisor }
}

// MARK: - Numbers

extension SQLTransaction {
  package func closeHours(at now: Date) throws {
    try changing {
      // Sensors send the last samples of an hour some minutes later.
      try packOpenBlocks(before: Hours.hour(of: (now - 300).microseconds))
    }
  }

  package func renew(_ name: RowName) throws {
    try changing {
      let number = try nextStored()
      switch name.kind {
      case .erasure:
        try execute("UPDATE erasure SET stored = ? WHERE mark = ?", [number, name.key])
      case .version:
        try execute("UPDATE version SET stored = ? WHERE uuid = ?", [number, name.key])
      case .outcome:
        try execute("UPDATE outcome SET stored = ? WHERE uuid = ?", [number, name.key])
      case .firing: try execute("UPDATE firing SET stored = ? WHERE uuid = ?", [number, name.key])
      case .change:
        try execute("UPDATE sample_change SET stored = ? WHERE uuid = ?", [number, name.key])
      case .sample:
        guard let place = try locate(SampleIdentity(text: name.key)) else { return }
        try execute("UPDATE sample SET stored = ? WHERE number = ?", [number, place.number])
      case .hour:
        guard let place = HourPlace(key: name.key), let series = try series(place.series),
          let part = try hourParts(series, place.hour).first(where: { $0.name == name })
        else { return }
        for block in part.blocks.prefix(1) {
          try execute("UPDATE block SET stored = ? WHERE number = ?", [number, block])
        }
      case .alias, .withdrawal, .attachment:
        let parts = name.key.split(separator: "|", maxSplits: 1).map(String.init)
        guard parts.count == 2 else { return }
        switch name.kind {
        case .alias:
          try execute(
            "UPDATE alias SET stored = ? WHERE date = ? AND old = ?",
            [number, Int64(parts[0]), parts[1]])
        case .withdrawal:
          try execute(
            "UPDATE withdrawal SET stored = ? WHERE version = ? AND date = ?",
            [number, parts[0], Int64(parts[1])])
        default:
          try execute(
            "UPDATE attachment SET stored = ? WHERE digest = ? AND part = ?",
            [number, [UInt8](hex: parts[0]).map { Data($0) }, Int(parts[1])])
        }
      }
    }
  }

  /// Gives the samples that a change is of, and their other changes, new numbers: they concern
  /// another person from now on.
  func renewConcerned(by change: SampleChangeRow) throws {
    guard change.patient != nil else { return }
    if let identity = change.identity {
      try renumber(SampleChangeRow.table, "identity = ?", [identity.text])
      if let place = try locate(identity) {
        try renumber(SampleMember.table, "number = ?", [place.number])
        return try renewChanges(of: place.sample)
      }
      guard let parts = identity.parts, let series = try series(parts.series) else {
        return
      }
      try renumber(
        Schema.block, "series = ? AND hour = ?", [series, Hours.hour(of: parts.column)])
      return try renewChanges(
        ofDevice: change.device, from: parts.column, to: parts.column.saturatingSum(1))
    }
    let (from, to) = (change.from ?? .min, change.to ?? .max)
    let series = "series IN (SELECT number FROM series WHERE device = ?)"
    try renumber(
      SampleMember.table, "\(series) AND start_date >= ? AND start_date < ?",
      [change.device, from, to])
    try renumber(
      Schema.block, "\(series) AND latest_date >= ? AND first_date < ?", [change.device, from, to])
    try renewChanges(ofDevice: change.device, from: from, to: to)
  }

  /// Gives the changes of a sample new numbers: they concern whom it concerns.
  func renewChanges(of sample: Sample) throws {
    for change in try changes(of: sample) {
      try renew(RowName(.change, change.uuid.uuidString))
    }
  }

  /// Gives the changes of a device's samples in a span new numbers.
  func renewChanges(ofDevice device: String, from: Int64, to: Int64) throws {
    guard try hasSampleChanges() else { return }
    for change in try changes(ofDevice: device, from: from, to: to) {
      try renew(RowName(.change, change.uuid.uuidString))
    }
  }
}

// MARK: - Pruning

extension SQLTransaction {
  package func prune(
    upTo number: Int64, in stream: RowStream, keeps: (RowName) throws -> Bool
  ) throws -> Int {
    guard stream == .singles || stream == .hours else { return 0 }
    return try changing {
      var removed: [TravellingRow] = []
      _ = try travelling(stream, after: 0, for: .all) { row in
        guard row.number <= number else { return false }
        if try !keeps(row.name) { removed.append(row) }
        return true
      }
      for row in removed {
        switch row.name.kind {
        case .sample:
          guard let place = try locate(SampleIdentity(text: row.name.key)) else { continue }
          // The addition of a running total follows from the totals before it.
          guard place.sample.reading.total == nil else { continue }
          try execute("DELETE FROM sample WHERE number = ?", [place.number])
        case .hour:
          guard let place = HourPlace(key: row.name.key), let series = try series(place.series),
            let part = try hourParts(series, place.hour).first(where: { $0.name == row.name })
          else { continue }
          for block in part.blocks { try execute("DELETE FROM block WHERE number = ?", [block]) }
        default: continue
        }
        state.unpacked = nil
        try execute(
          """
          INSERT INTO pruned (name, digest) VALUES (?, ?)
          ON CONFLICT (name) DO UPDATE SET digest = excluded.digest
          """, [row.name.text, row.digest])
      }
      return removed.count
    }
  }
}
