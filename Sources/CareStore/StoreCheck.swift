import Care
import Foundation

/// Something in a store that is not as it should be.
public struct StoreFinding: Hashable, Sendable {
  /// The kind of finding.
  public var kind: Kind
  /// The uuid, identity, number or id of what is wrong.
  public var id: String
  /// The details, for experts.
  public var detail: String

  /// The kinds of findings.
  public enum Kind: String, Hashable, Sendable, CaseIterable, Codable {
    /// The engine finds the file damaged.
    case damagedFile
    /// A block of streamed samples cannot be read.
    case damagedBlock
    /// The figures of a block are not those of its samples.
    case wrongFigures
    /// The task of an outcome is not known, or nothing of it starts then.
    case orphanedOutcome
    /// A row follows, or is followed by, one that the store does not have.
    case brokenEdge
    /// Several stores changed a thing independently.
    case conflict
    /// Several stores answered an event independently and differently.
    case outcomeConflict
    /// A computed column differs from what the rows say.
    case wrongState
    /// Two rows have one stamp: two files wrote under one name.
    case repeatedStamp
    /// A sample belongs to a patient that the store does not know.
    case unknownOwner
    /// A row contains what this version cannot read, or what no store writes.
    case unreadableRow
    /// A version does not have the id that follows from its content.
    case changedRow
    /// Rows that the store has written are not in it.
    case missingRow
    /// A table or index is missing, or there is a trigger or view that this program does not make.
    case wrongSchema
    /// The bytes of a picture or video are not those of its digest.
    case damagedAttachment
    /// An answer refers to a picture or video whose bytes are not in the store.
    case missingAttachment
    /// The clock of the store is behind its rows, so that the next row would repeat a stamp.
    case wrongClock
    /// The file is a copy of the one that it was written as; it takes another name with its next
    /// change.
    case copiedFile
  }

  /// Makes a finding.
  public init(_ kind: Kind, id: String, detail: String = "") {
    self.kind = kind
    self.id = id
    self.detail = detail
  }
}

extension SQLStore {
  /// Looks for everything in the store that is not as it should be; changes nothing.
  ///
  /// - Returns: The findings, by kind and id; at most ``mostFindings`` of a kind.
  /// - Throws: `StoreError.failed(_:store:)` if the store cannot be read.
  /// - Complexity: Everything is read once.
  public func check() async throws -> [StoreFinding] {
    try await reading { transaction in
      try transaction.reading { try transaction.findings() }
    }
  }

  /// Looks for damage of the file; faster than ``check()``, which also reads the indexes.
  ///
  /// - Returns: The first damage that the engine finds; `nil` for an intact file.
  /// - Throws: `StoreError.failed(_:store:)` if the store cannot be read.
  package func damage() async throws -> String? {
    try await reading { transaction in
      try transaction.reading {
        try transaction.db.damage(most: 1, isQuick: true).first
      }
    }
  }

  /// A damaged file can have endlessly many findings.
  public static let mostFindings = 100
}

extension SQLTransaction {
  fileprivate func findings() throws -> [StoreFinding] {
    let damage = try fileFindings()
    // Nothing else can be relied on.
    guard damage.isEmpty else { return damage }
    let (schema, isOfTable) = try schemaFindings()
    // Without a table nothing can be asked.
    guard !isOfTable else { return schema }
    var found = try schema + unreadableRows()
    let parts: [(name: String, find: () throws -> [StoreFinding])] = [
      ("store", missingRows), ("version", changedRows), ("block", blockFindings),
      ("attachment", attachmentFindings),
      ("outcome", orphanedOutcomes), ("version_edge", brokenEdges), ("version", planConflicts),
      ("outcome", answerConflicts), ("outcome", wrongTips), ("sample", wrongStates),
      ("writer", repeatedStamps), ("sample", unknownOwners), ("store", copiedFile),
    ]
    // Unreadable rows were reported above; report them here only if they were not.
    let isUnreadable = found.contains { $0.kind == .unreadableRow }
    for part in parts {
      found += try guarding(part.name, part.find).filter {
        !isUnreadable || $0.kind != .unreadableRow
      }
    }
    var counts: [StoreFinding.Kind: Int] = [:]
    return found.filter { finding in
      counts[finding.kind, default: 0] += 1
      return counts[finding.kind, default: 0] <= SQLStore.mostFindings
    }
  }

  private func planConflicts() throws -> [StoreFinding] {
    try conflicts().map { conflict in
      StoreFinding(
        .conflict, id: conflict.shown.uuidString,
        detail: "\(conflict.thing.kind.rawValue) \(conflict.thing.patient) \(conflict.thing.id)")
    }
  }

  private func answerConflicts() throws -> [StoreFinding] {
    try outcomeConflicts().map { conflict in
      StoreFinding(
        .outcomeConflict, id: conflict.shown.uuidString, detail: detail(of: conflict.event))
    }
  }

  /// An event in words, with its start in the plan's zone.
  private func detail(of event: EventKey) -> String {
    // A zone that cannot be read is a finding of its own.
    let zone = ((try? planTimeZone()) ?? nil) ?? .gmt
    return "\(event.patient) \(event.task) \(event.start.rfc3339(in: zone))"
  }

  private func fileFindings() throws -> [StoreFinding] {
    let broken = try db.damage(most: SQLStore.mostFindings)
      .map { StoreFinding(.damagedFile, id: "integrity", detail: $0) }
    let dangling = try db.danglingReferences().map { reference in
      StoreFinding(
        .damagedFile, id: reference.table + (reference.row.map { " \($0)" } ?? ""),
        detail: "refers to a missing row of \(reference.parent)")
    }
    return broken + dangling
  }

  private func blockFindings() throws -> [StoreFinding] {
    var found: [StoreFinding] = []
    for number in try rows(
      "SELECT number FROM block ORDER BY number",
      read: {
        try $0.required("number") as Int64
      })
    {
      let block = try rows(
        "\(BlockRow.select) WHERE block.number = ?", [number], read: BlockRow.init
      ).first
      guard let block else { continue }
      do {
        if let difference = block.difference(from: try unpacked(number)) {
          found.append(StoreFinding(.wrongFigures, id: String(number), detail: difference))
        }
      } catch StoreError.failed(.damagedBlock(_, let detail), _) {
        found.append(StoreFinding(.damagedBlock, id: String(number), detail: detail))
      }
    }
    return found
  }

  private func orphanedOutcomes() throws -> [StoreFinding] {
    let plan = try plan()
    // Of deleted tasks and patients the outcomes are hidden, too.
    let hidden = Set(
      try graphs(of: ThingKind.task.rawValue).compactMap { graph -> TaskReference? in
        guard graph.isDeleted, let shown = graph.shown else { return nil }
        return TaskReference(patient: shown.patient, task: shown.id)
      })
    var found: [StoreFinding] = []
    try rows("SELECT * FROM outcome WHERE is_tip = 1 AND deleted_date IS NULL ORDER BY uuid") {
      row in
      let outcome = try Outcome(row)
      let key = outcome.key
      let task = TaskReference(patient: key.patient, task: key.task)
      guard !hidden.contains(task) else { return }
      let what: String
      if let history = plan.history(of: task) {
        guard history.event(startingAt: key.start, ordinal: key.ordinal) == nil else { return }
        what = "nothing of the task starts then"
      } else {
        what = "the task is unknown"
      }
      found.append(
        StoreFinding(
          .orphanedOutcome, id: outcome.uuid.uuidString,
          detail: "\(what): \(detail(of: key))"))
    }
    return found
  }

  private func brokenEdges() throws -> [StoreFinding] {
    try ["previous", "next"].flatMap { end in
      try rows(
        """
        SELECT previous, next FROM version_edge
        WHERE \(end) NOT IN (SELECT uuid FROM version)
          AND \(end) NOT IN (SELECT uuid FROM outcome) ORDER BY next, previous
        """
      ) { row in
        StoreFinding(
          .brokenEdge, id: try row.text(end == "next" ? "previous" : "next"),
          detail: "\(end) \(try row.text(end)) is missing")
      }
    }
  }

  private func wrongTips() throws -> [StoreFinding] {
    try rows(
      """
      SELECT uuid, is_tip FROM outcome WHERE is_tip = CASE
        WHEN EXISTS (SELECT 1 FROM version_edge WHERE previous = outcome.uuid) THEN 1 ELSE 0 END
      ORDER BY uuid
      """
    ) { row in
      let isTip: Bool = try row.required("is_tip")
      return StoreFinding(
        .wrongState, id: try row.text("uuid"),
        detail: isTip ? "another version follows it" : "no version follows it")
    }
  }

  /// Single samples whose owner or state is not what their rows say.
  private func wrongStates() throws -> [StoreFinding] {
    var found: [StoreFinding] = []
    func compare(_ group: SampleGroup) throws {
      for (member, patient, state) in try states(of: group)
      where member.sample.patient != patient || member.sample.state != state {
        found.append(
          StoreFinding(
            .wrongState, id: member.sample.identity.text,
            detail: "\(member.sample.state.rawValue) of \(member.sample.patient ?? "nobody"),"
              + " not \(state.rawValue) of \(patient ?? "nobody")"))
      }
    }
    // Broadcasts by frame and time, so that duplicates follow the first.
    var receptions: [SampleMember] = []
    func finish() throws {
      if !receptions.isEmpty { try compare(try group(receptions)) }
    }
    try rows(
      "\(Sample.select) WHERE basis = 2 ORDER BY series, ordinal, raw, time"
    ) { row in
      let member = try SampleMember(row)
      if let first = receptions.first, first.isReceivedAgain(as: member) {
        receptions.append(member)
      } else {
        try finish()
        receptions = [member]
      }
    }
    try finish()
    let isUnchanged = try !hasSampleChanges()
    try rows(
      """
      \(Sample.select) WHERE basis <> 2 AND corrects IS NULL
        AND (\(isUnchanged ? "state <> 0 OR \(Dialect.isOther("sample.patient", "attributed"))" : "true"))
      """
    ) { row in
      let member = try SampleMember(row)
      let isPlain = member.sample.state == .live && member.sample.patient == member.attributed
      let device = member.sample.device.address.text
      if isPlain, try changeIndex(of: device).changes(of: member.sample).isEmpty { return }
      try compare(try group(of: member))
    }
    return found
  }

  private func repeatedStamps() throws -> [StoreFinding] {
    try rows(
      """
      SELECT writer.uuid, clock, count(*) AS rows FROM
        (SELECT writer, clock, uuid FROM version UNION ALL SELECT writer, clock, uuid FROM outcome
          UNION ALL SELECT writer, clock, uuid FROM sample_change) AS stamp
        JOIN writer ON writer.number = stamp.writer
      GROUP BY writer.uuid, clock HAVING count(*) > 1 ORDER BY writer.uuid, clock
      """
    ) { row in
      let (clock, count): (Int64, Int64) = (try row.required("clock"), try row.required("rows"))
      return StoreFinding(
        .repeatedStamp, id: try row.text("uuid"), detail: "clock \(clock): \(count) rows")
    }
  }

  private func unknownOwners() throws -> [StoreFinding] {
    let known = Set(
      try rows("SELECT DISTINCT patient FROM version WHERE type = 'patient'") {
        try $0.text("patient")
      })
    return try sampleOwners().compactMap(\.self).filter { !known.contains($0) }.map { patient in
      StoreFinding(.unknownOwner, id: patient)
    }
  }

  private func copiedFile() throws -> [StoreFinding] {
    let written: String? = try row("SELECT file FROM store")?.optional("file")
    guard let written, written != file else { return [] }
    return [StoreFinding(.copiedFile, id: written, detail: "the file is \(file ?? "in memory")")]
  }
}

extension BlockRow {
  /// In what its figures differ from those of its samples.
  fileprivate func difference(from samples: [StreamedSample]) -> String? {
    guard let own = Reached(samples.map { ($0.value, Date(microseconds: $0.start)) }) else {
      return "no samples"
    }
    if own.count != reached.count { return "\(own.count) samples, not \(reached.count)" }
    let figures: [(String, Double, Double)] = [
      ("least", own.least, reached.least), ("most", own.most, reached.most),
      ("latest", own.latest, reached.latest),
    ]
    for (name, real, stored) in figures where real != stored {
      return "\(name) \(real), not \(stored)"
    }
    // Sums of the same numbers in another order differ in their last digits.
    let tolerance = 1e-9 * samples.reduce(1) { $0 + abs($1.value) }
    if abs(own.sum - reached.sum) > tolerance { return "sum \(own.sum), not \(reached.sum)" }
    if samples.first?.start != first || samples.last?.start != latest
      || samples.map(\.end).max() != lastEnd
    {
      return "another span"
    }
    return samples.allSatisfy { Hours.hour(of: $0.start) == hour } ? nil : "another hour"
  }
}
