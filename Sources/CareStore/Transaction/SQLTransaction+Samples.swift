import Care
import Foundation
import GRDB

extension SQLTransaction {
  func samples(_ query: SampleQuery) throws -> [Sample] {
    try reading {
      let (condition, arguments) = SampleCondition(query).sql
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
      try row("SELECT 1 FROM sample WHERE identity = ?", [identity.rawValue]) != nil
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
      guard
        let row = try row(
          "SELECT identity FROM sample WHERE number = ? AND deleted_date IS NULL", [number])
      else {
        throw StoreError.unknown(
          "There is no sample \(number). `measured samples` lists those there are.")
      }
      return SampleIdentity(rawValue: try row.text("identity"))
    }
  }

  func insert(_ sample: Sample) throws -> Bool {
    try check(sample)
    return try reading {
      try execute(Self.insertSample, StatementArguments(sample.arguments))
      return db.changesCount == 1
    }
  }

  func assign(_ identity: SampleIdentity, to patient: String, now: Date) throws -> Sample {
    try changing {
      let sample = try requireSample(identity)
      guard sample.patient == nil else {
        throw StoreError.refused(
          "This sample belongs to ‘\(sample.patient ?? "")’ already; only one of the unassigned tray "
            + "can be assigned.")
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

  /// The sample of that identity, unless it is deleted.
  private func requireSample(_ identity: SampleIdentity) throws -> Sample {
    guard let row = try row("SELECT * FROM sample WHERE identity = ?", [identity.rawValue]) else {
      throw StoreError.unknown(
        "There is no sample ‘\(identity.rawValue)’. `measured samples` lists those there are.")
    }
    let deleted: Int64? = try row.optional("deleted_date")
    guard deleted == nil else {
      throw StoreError.unknown("The sample ‘\(identity.rawValue)’ was deleted.")
    }
    return try Sample(row)
  }

  private func check(_ sample: Sample) throws(StoreError) {
    try requireStorable(
      sample.identity.rawValue, sample.patient, sample.unassignedReason, sample.device.address.text,
      sample.device.definition, sample.kind)
    guard sample.value.isFinite, sample.sourceValue?.value.isFinite ?? true else {
      throw .refused("\(sample.quantity.title): a sample needs a number.")
    }
    guard sample.start.microseconds <= sample.end.microseconds else {
      throw .refused("\(sample.quantity.title): a sample cannot end before it starts.")
    }
  }

  private static let insertSample = """
    INSERT INTO sample (\(Sample.columns.joined(separator: ", ")), revision)
    VALUES (\(Sample.columns.map { _ in "?" }.joined(separator: ", ")),
      (SELECT revision FROM store))
    ON CONFLICT (identity) DO NOTHING
    """
}
