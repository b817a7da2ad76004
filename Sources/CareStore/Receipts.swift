import Care
import Foundation

extension Schema {
  /// The receipts of the batches that phones sent to this machine.
  static let receipt = Table(
    "receipt",
    [
      .init("number", .number),
      // The store's name among its peers when it was written: a restored store has another one, and
      // what it acknowledged before is not in it.
      .init("writer", .integer, "NOT NULL REFERENCES writer (number)"),
      .init("sender", .text, "NOT NULL"),
      .init("name", .text, "NOT NULL"),
      // Whose values the sender sends; empty where evidence says.
      .init("patient", .text, "NOT NULL"),
      .init("mark", .text, "NOT NULL"),
      .init("content", .blob, "NOT NULL"),
    ],
    indexes: [
      "CREATE UNIQUE INDEX receipt_of ON receipt (sender, patient, name)",
      "CREATE INDEX receipt_patient ON receipt (patient)",
    ])
}

extension SQLTransaction {
  /// The most receipts that stay, the latest ones.
  private static let mostReceipts: Int64 = 50_000
  /// The most bytes that wait for the rest of what they belong to.
  private static let mostWaiting = 64 << 20

  package func receiverState() throws -> UUID {
    try changing {
      let current = try row("SELECT file FROM store")
      // A copy of a file is another store from its first stamp on.
      if try current?.optional("file") as String? != file { _ = try nextStamp() }
      let text = try row("SELECT uuid FROM writer WHERE number = (SELECT writer FROM store)")?
        .text("uuid")
      guard let id = text.flatMap(UUID.init(uuidString:)) else {
        throw EngineFault.corrupt
      }
      return id
    }
  }

  package func receipts(
    of sender: String, patient: String?, named prefix: String
  ) throws -> [Receipt] {
    try reading {
      try rows(
        """
        SELECT name, mark FROM receipt
        WHERE sender = ?1 AND patient = ?2 AND substr(name, 1, length(?3)) = ?3
          AND writer = (SELECT writer FROM store)
        ORDER BY number
        """, [sender, patient ?? "", prefix]
      ) {
        Receipt(
          sender: sender, name: try $0.text("name"), patient: patient, mark: try $0.text("mark"))
      }
    }
  }

  package func content(
    ofReceipt name: String, of sender: String, patient: String?
  ) throws -> [UInt8]? {
    try reading {
      let content: Data? = try row(
        """
        SELECT content FROM receipt WHERE sender = ? AND patient = ? AND name = ?
          AND writer = (SELECT writer FROM store)
        """, [sender, patient ?? "", name])?.required("content")
      return content.map { [UInt8]($0) }
    }
  }

  package func put(_ receipt: Receipt) throws {
    try changing {
      try requireStorable(receipt.sender, receipt.name, receipt.patient, receipt.mark)
      // The stamp gives a copy of a file its own name first.
      _ = try nextStamp()
      try execute("DELETE FROM receipt WHERE writer <> (SELECT writer FROM store)")
      try removeReceipt(receipt.name, of: receipt.sender, patient: receipt.patient)
      if !receipt.content.isEmpty {
        let waiting: Int64 =
          try row("SELECT coalesce(sum(length(content)), 0) AS bytes FROM receipt")?
          .required("bytes") ?? 0
        guard waiting <= Int64(Self.mostWaiting - min(receipt.content.count, Self.mostWaiting))
        else { throw StoreError.refused(.tooMuchWaiting(limit: Self.mostWaiting)) }
      }
      let number = try db.insert(
        """
        INSERT INTO receipt (writer, sender, name, patient, mark, content)
        VALUES ((SELECT writer FROM store), ?, ?, ?, ?, ?)
        """,
        [
          receipt.sender, receipt.name, receipt.patient, receipt.mark, Data(receipt.content),
        ])
      try execute(
        "DELETE FROM receipt WHERE number <= ?", [number - Self.mostReceipts])
    }
  }

  package func removeReceipt(_ name: String, of sender: String, patient: String?) throws {
    try changing {
      try execute(
        "DELETE FROM receipt WHERE sender = ? AND patient = ? AND name = ?",
        [sender, patient ?? "", name])
    }
  }

  /// Removes what waits of a patient, and of senders whose values may be anybody's.
  func removeReceipts(of patient: String) throws {
    try execute("DELETE FROM receipt WHERE patient = ? OR patient = ''", [patient])
  }

  func renameReceipts(of patient: String, to newID: String) throws {
    try execute(
      """
      DELETE FROM receipt WHERE patient = ?2
        AND (sender, name) IN (SELECT sender, name FROM receipt WHERE patient = ?1)
      """, [patient, newID])
    try execute("UPDATE receipt SET patient = ?2 WHERE patient = ?1", [patient, newID])
  }
}
