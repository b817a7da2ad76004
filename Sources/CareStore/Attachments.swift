import Care
import Digests
import Foundation

// MARK: - Reading

extension SQLTransaction {
  func attachment(sha256: String) throws -> StoredAttachment? {
    try reading {
      guard let digest = Data(sha256: sha256) else { return nil }
      let plan = try plan()
      let people = Set(plan.patients.map(\.id))
      var found: StoredAttachment?
      try rows(
        """
        SELECT patient, task, type, value, media_type, byte_count FROM outcome_value
          JOIN outcome ON outcome.number = outcome_value.outcome
        WHERE value = ? AND media_type IS NOT NULL AND is_tip = 1 AND deleted_date IS NULL
        ORDER BY outcome
        """, [digest]
      ) { row in
        let task = TaskReference(patient: try row.text("patient"), task: try row.text("task"))
        guard case .attachment(let attachment) = try Value(row), people.contains(task.patient),
          plan.history(of: task) != nil
        else { return }
        if found == nil { found = StoredAttachment(attachment: attachment, patients: []) }
        found?.patients.insert(task.patient)
      }
      // No task shows a picture by its digest.
      guard found?.attachment.type.kind != .picture else { return found }
      for video in try videos(of: digest)
      where people.contains(video.task.patient) && plan.history(of: video.task) != nil {
        if found == nil { found = StoredAttachment(attachment: video.attachment, patients: []) }
        found?.patients.insert(video.task.patient)
      }
      return found
    }
  }

  func part(_ number: Int, of attachment: Attachment) throws -> [UInt8] {
    try reading {
      let row = try row(
        "SELECT content FROM attachment WHERE digest = ? AND part = ?",
        [Data(sha256: attachment.sha256), number])
      guard let content: Data = try row?.required("content") else {
        throw StoreError.unknown(.attachment(sha256: attachment.sha256))
      }
      return Array(content)
    }
  }

  /// The videos of a patient's tasks, or of everybody's, in every version: one that is taken back
  /// shows its video again.
  ///
  /// `digest` is that of one video; `nil` for all.
  func videos(of digest: Data? = nil, patient: String? = nil) throws -> [PlanVideo] {
    let hex = digest.map { Array($0).hexString + ";" } ?? ""
    let pattern = "%\"video\":\"\(Attachment.referencePrefix)\(hex)%"
    let (clause, values): (String, Arguments) =
      if let patient { (" AND patient = ?", [pattern, patient]) } else { ("", [pattern]) }
    return try rows(
      """
      SELECT uuid, patient, id, payload FROM version
      WHERE type = 'task' AND payload LIKE ?\(clause) ORDER BY number
      """, values
    ) { row -> PlanVideo? in
      let card = try JSON.value(PlanVideo.Card.self, from: row.text("payload"))
      guard let attachment = card.video.flatMap(Attachment.init(reference:)) else { return nil }
      return PlanVideo(
        version: try row.text("uuid"),
        task: TaskReference(patient: try row.text("patient"), task: try row.text("id")),
        attachment: attachment)
    }.compactMap(\.self)
  }

  /// Returns the state of the bytes of a digest; `nil` if there are none.
  ///
  /// They are read once, one part at a time.
  private func storedBytes(of digest: Data) throws -> StoredBytes? {
    var bytes = StoredBytes()
    var running = SHA256.Running()
    try rows("SELECT part, content FROM attachment WHERE digest = ? ORDER BY part", [digest]) {
      row in
      let content: Data = try row.required("content")
      // All parts but the last are of one length, so that a part is found by its number.
      let isNext = try row.required("part") as Int == bytes.parts
      bytes.isRegular = bytes.isRegular && isNext && !bytes.isLastShort
      bytes.isLastShort = content.count < Attachment.partLength
      bytes.parts += 1
      bytes.count += content.count
      running.update(Array(content))
    }
    guard bytes.parts > 0 else { return nil }
    bytes.isDigestRight = Data(running.finish()) == digest
    return bytes
  }

  /// The state of the bytes that are stored under a digest.
  private struct StoredBytes {
    var parts = 0
    var count = 0
    var isRegular = true
    var isLastShort = false
    var isDigestRight = false

    var isWhole: Bool { isRegular && isDigestRight }
  }
}

/// A video that a version of a task shows, and that the store has or is to have.
struct PlanVideo {
  var version: String
  var task: TaskReference
  var attachment: Attachment

  /// The part of the task that is read.
  fileprivate struct Card: Decodable {
    var video: String?
  }
}

extension Data {
  /// The bytes of a SHA-256 digest in hex digits; `nil` if the text is none.
  init?(sha256 text: String) {
    guard let bytes = [UInt8](hex: text), bytes.count == 32, bytes.hexString == text else {
      return nil
    }
    self.init(bytes)
  }
}

// MARK: - Writing

extension SQLTransaction {
  func store(
    _ attachment: Attachment, part: (Int) throws(StoreError) -> [UInt8]
  ) throws {
    try changing {
      guard let digest = Data(sha256: attachment.sha256),
        try storedBytes(of: digest)?.isWhole != true
      else { return }
      try execute("DELETE FROM attachment WHERE digest = ?", [digest])
      for number in 0..<attachment.partCount {
        try insert(try part(number), part: number, of: digest)
      }
      let stored = try storedBytes(of: digest)
      guard let stored, stored.isWhole, stored.count == attachment.byteCount else {
        throw StoreError.refused(.otherBytes(sha256: attachment.sha256))
      }
    }
  }

  private func insert(_ content: [UInt8], part: Int, of digest: Data) throws {
    let row = AttachmentRow(digest: Array(digest), part: part, content: content)
    try store(row, in: AttachmentRow.table)
  }

  /// Refuses a reference to bytes that are not stored.
  func requireStored(_ attachment: Attachment) throws {
    let row = try row(
      "SELECT sum(length(content)) AS count FROM attachment WHERE digest = ?",
      [Data(sha256: attachment.sha256)])
    guard try row?.optional("count") == attachment.byteCount else {
      throw StoreError.unknown(.attachment(sha256: attachment.sha256))
    }
  }

  /// Refuses more bytes of a patient's pictures and videos than there may be.
  func requireRoomForAttachments(of patient: String) throws {
    let row = try row(
      """
      SELECT sum(byte_count) AS count FROM
        (SELECT DISTINCT value, byte_count FROM outcome_value
          JOIN outcome ON outcome.number = outcome_value.outcome
          WHERE patient = ? AND media_type IS NOT NULL AND is_tip = 1) AS attached
      """, [patient])
    guard try row?.optional("count") ?? 0 <= Attachment.mostOfPatient else {
      throw StoreError.refused(
        .tooManyAttachmentBytes(patient: patient, most: Attachment.mostOfPatient))
    }
  }

  func requireVideo(of task: PlannedTask) throws {
    try reading {
      guard let video = task.ownVideo else { return }
      try requireStored(video)
      let all = Set(try videos(patient: task.patient).map(\.attachment))
      guard all.reduce(0, { $0 + $1.byteCount }) <= Attachment.mostOfPlan else {
        throw StoreError.refused(
          .tooManyVideoBytes(patient: task.patient, most: Attachment.mostOfPlan))
      }
    }
  }

  /// The digests of the bytes to which the standing answers to an event refer.
  func attachmentDigests(of event: EventKey) throws -> [Data] {
    try rows(
      """
      SELECT DISTINCT value FROM outcome_value
        JOIN outcome ON outcome.number = outcome_value.outcome
      WHERE patient = ? AND task = ? AND start_date = ? AND ordinal = ? AND is_tip = 1
        AND media_type IS NOT NULL
      """, [event.patient, event.task, event.start.microseconds, event.ordinal]
    ) { try $0.required("value") }
  }

  /// Removes the bytes to which no answer refers that stands, and no task; all of them, or of some
  /// digests.
  ///
  /// A picture that a person replaced or took back takes no room. The versions before say which picture it was.
  func removeLooseAttachments(among digests: [Data]? = nil) throws {
    // A part that waits for others waits in vain then.
    for table in [AttachmentRow.table, Schema.waitingPart] {
      let statement = """
        SELECT DISTINCT digest FROM \(table.name) WHERE digest NOT IN
          (SELECT \(Dialect.bytes("value")) FROM outcome_value JOIN outcome ON outcome.number = outcome_value.outcome
            WHERE media_type IS NOT NULL AND is_tip = 1)
        """
      let loose: [Data] =
        if let digests {
          try digests.flatMap { digest in
            try rows(statement + " AND digest = ?", [digest]) { try $0.required("digest") }
          }
        } else {
          try rows(statement) { try $0.required("digest") }
        }
      for digest in loose where try videos(of: digest).isEmpty {
        try execute("DELETE FROM \(table.name) WHERE digest = ?", [digest])
      }
    }
  }
}

// MARK: - Checking

extension SQLTransaction {
  /// Attachments whose bytes are missing or are others.
  func attachmentFindings() throws -> [StoreFinding] {
    var counts: [Data: Int] = [:]
    let digests = try rows("SELECT DISTINCT digest FROM attachment ORDER BY digest") {
      try $0.required("digest") as Data
    }
    var found: [StoreFinding] = []
    for digest in digests {
      guard let bytes = try storedBytes(of: digest) else { continue }
      counts[digest] = bytes.count
      guard !bytes.isWhole else { continue }
      found.append(
        StoreFinding(
          .damagedAttachment, id: Array(digest).hexString, detail: "\(bytes.count) bytes"))
    }
    found += try rows(
      """
      SELECT outcome.uuid, value, byte_count FROM outcome_value
        JOIN outcome ON outcome.number = outcome_value.outcome
      WHERE media_type IS NOT NULL AND is_tip = 1
      GROUP BY outcome.uuid, value, byte_count ORDER BY outcome.uuid, min(position)
      """
    ) { row -> StoreFinding? in
      let (digest, count): (Data, Int) = (
        try row.required("value"), try row.required("byte_count")
      )
      guard counts[digest] != count else { return nil }
      return StoreFinding(
        .missingAttachment, id: try row.text("uuid"), detail: Array(digest).hexString)
    }.compactMap(\.self)
    found += try videos().compactMap { video in
      let digest = Data(sha256: video.attachment.sha256)
      guard digest.flatMap({ counts[$0] }) != video.attachment.byteCount else { return nil }
      return StoreFinding(.missingAttachment, id: video.version, detail: video.attachment.sha256)
    }
    return found
  }
}

// MARK: - Exchange

/// A part of the bytes of a picture or video.
struct AttachmentRow: ExportedRow, Hashable {
  /// The SHA-256 digest of all parts together.
  var digest: [UInt8] = []
  var part = 0
  /// ``Attachment/partLength`` bytes; the rest in the last part.
  var content: [UInt8] = []

  static let kind: String? = "attachment"
  static let table = Table("attachment", of: Self.self, key: "digest, part", isApartFromKey: true)

  mutating func fields<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
    try visitor.field("sha256", in: "digest", &digest, sql: "CHECK (length(digest) = 32)")
    try visitor.field("part", &part)
    try visitor.field("content", &content)
  }

  /// The most parts of an attachment.
  private static let mostParts =
    (MediaType.Kind.video.longest + Attachment.partLength - 1) / Attachment.partLength

  func checkTogether() throws(StoreError.ExportDamage) {
    guard digest.count == 32 else { throw .value(digest.hexString, field: "sha256") }
    guard part < Self.mostParts else { throw .value(String(part), field: "part") }
    guard (1...Attachment.partLength).contains(content.count) else {
      throw .value("\(content.count) bytes", field: "content")
    }
  }
}

extension SQLTransaction {
  /// Writes the attachments by digest and part.
  func exportAttachments(_ write: (String) throws -> Void) throws {
    try rows("SELECT * FROM attachment ORDER BY digest, part") {
      try write(AttachmentRow(reading: $0).line)
    }
  }
}

/// The attachments that arrive with a merge.
struct ArrivingAttachments {
  /// Those that the store did not have whole.
  fileprivate var new: Set<Data> = []
  /// Those that it had.
  fileprivate var known: Set<Data> = []
}

extension MergeRun {
  mutating func take(_ arriving: AttachmentRow) throws {
    let digest = Data(arriving.digest)
    guard !attachments.known.contains(digest) else { return }
    if attachments.new.insert(digest).inserted {
      guard try !transaction.hasWholeAttachment(digest) else {
        attachments.new.remove(digest)
        attachments.known.insert(digest)
        return
      }
      try transaction.execute("DELETE FROM attachment WHERE digest = ?", [digest])
    }
    try transaction.store(
      arriving, in: AttachmentRow.table,
      onConflict:
        "ON CONFLICT (digest, part) DO UPDATE SET content = excluded.content, stored = excluded.stored"
    )
  }

  /// Checks what arrived, and removes what no answer refers to that stands: it was replaced in either
  /// store, or is of an erased patient.
  mutating func finishAttachments() throws {
    guard !attachments.new.isEmpty || report.outcomes > 0 else { return }
    for digest in attachments.new.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
      guard try transaction.hasWholeAttachment(digest) else {
        throw StoreError.ExportDamage.value(Array(digest).hexString, field: "sha256")
      }
    }
    try transaction.removeLooseAttachments()
    for digest in attachments.new where try transaction.hasAttachment(digest) {
      report.attachments += 1
    }
  }
}

extension SQLTransaction {
  fileprivate func hasWholeAttachment(_ digest: Data) throws -> Bool {
    try storedBytes(of: digest)?.isWhole == true
  }

  fileprivate func hasAttachment(_ digest: Data) throws -> Bool {
    try row("SELECT 1 FROM attachment WHERE digest = ? LIMIT 1", [digest]) != nil
  }
}
