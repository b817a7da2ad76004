import Care
import Foundation
import GRDB

/// What an import keeps of itself, so that it can be taken back.
struct ImportedContent: Codable {
  var versions: [UUID]
  var zone: String?
}

extension ImportedContent {
  /// Reads a row of `plan_import`.
  init(_ row: Row) throws {
    self = try JSON.value(Self.self, from: row.text("content"))
    if let zone, TimeZone(identifier: zone) == nil {
      throw ColumnError(column: "zone", content: zone)
    }
  }
}

extension SQLTransaction {
  /// What an import keeps of itself.
  ///
  /// - Throws: `StoreError.failed(.unreadable, store:)` that names the import.
  private func importedContent(_ row: Row, number: Int64) throws -> ImportedContent {
    do {
      return try ImportedContent(row)
    } catch {
      let reason = (error as? DecodingError)?.reason ?? String(describing: error)
      throw StoreError.failed(.unreadable("plan_import \(number): \(reason)"), store: place)
    }
  }

  func undoImport(now: Date) throws -> PlanImportReport {
    try changing {
      let last = try row(
        "SELECT * FROM plan_import WHERE is_undone = 0 ORDER BY number DESC LIMIT 1")
      guard let last else { throw StoreError.refused(.noImport) }
      let number: Int64 = try last.required("number")
      let content = try importedContent(last, number: number)
      let made = try content.versions.compactMap { uuid in
        try row("SELECT * FROM version WHERE uuid = ?", [uuid.uuidString]).map(VersionRow.init)
      }
      let tasks = made.filter { $0.type == ThingKind.task.rawValue }
      try withdraw(content.versions, at: now)
      for version in tasks {
        try checkOutcomesStay(
          of: TaskReference(patient: version.patient, task: version.id),
          from: version.effectiveDate)
      }
      try setPlanTimeZone(content.zone, now: now)
      try execute("DELETE FROM device_binding")
      try execute(
        """
        INSERT INTO device_binding
            (address, user_index, definition, patient, placement, key, consent_code)
          SELECT address, user_index, definition, patient, placement, key, consent_code
          FROM replaced_binding WHERE import = ?
        """, [number])
      try execute("UPDATE plan_import SET is_undone = 1 WHERE number = ?", [number])
      return PlanImportReport(
        lines: made.compactMap { version in
          PlanImportReport.Kind(rawValue: version.type).map { kind in
            PlanImportReport.Line(
              kind: kind, patient: version.patient, id: version.id, change: .removed)
          }
        })
    }
  }
}
