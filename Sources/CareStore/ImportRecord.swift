import Care
import Foundation

/// The record of an import, or an edit of a person, from which it can be taken back.
struct ImportedContent: Codable {
  /// The versions that it made.
  var versions: [UUID]
  /// The zone before it.
  var zone: String?
  /// Whether a person made it, rather than a plan file.
  var isEdit: Bool?
  /// Whether the plan file was a part of the plan, which says nothing of devices.
  var isPart: Bool?
  /// The devices whose bindings a person changed.
  var devices: [String]?
  /// The digest of the plan file's bindings of each device, by address.
  var digests: [String: String]?
  /// Whether it changed keys or consent codes, of which their file has what was before.
  var hasSecrets: Bool?
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
  /// Reads the record of an import.
  ///
  /// - Throws: `StoreError.failed(.unreadable, store:)` that names the import.
  func importedContent(_ row: Row, number: Int64) throws -> ImportedContent {
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
      return try takeBack(last, now: now)
    }
  }

  /// Takes an import or an edit back.
  func takeBack(_ row: Row, now: Date) throws -> PlanImportReport {
    try changing {
      let last = row
      let number: Int64 = try last.required("number")
      let content = try importedContent(last, number: number)
      let made = try content.versions.compactMap { uuid in
        try self.row("SELECT * FROM version WHERE uuid = ?", [uuid.uuidString]).map(
          VersionRow.init(reading:))
      }
      let tasks = made.filter { $0.type == ThingKind.task.rawValue }
      try withdraw(content.versions, at: now)
      for version in tasks {
        try checkOutcomesStay(
          of: TaskReference(patient: version.patient, task: version.id),
          from: version.effectiveDate)
      }
      if content.isEdit == true {
        for address in content.devices ?? [] {
          try execute("DELETE FROM device_binding WHERE \(Dialect.isSpelt("address"))", [address])
        }
      } else {
        try setPlanTimeZone(content.zone, now: now)
        try execute("DELETE FROM device_binding")
      }
      try execute(
        """
        INSERT INTO device_binding
            (address, user_index, definition, patient, placement)
          SELECT address, user_index, definition, patient, placement
          FROM replaced_binding WHERE import = ?
        """, [number])
      if content.hasSecrets == true {
        state.secrets += try boundDevices().map {
          .device(DeviceSecret(before: number, of: $0))
        }
      }
      try planChanged()
      try execute("UPDATE plan_import SET is_undone = 1 WHERE number = ?", [number])
      return PlanImportReport(
        lines: made.compactMap { version in
          PlanImportReport.Kind(rawValue: version.type).map { kind in
            PlanImportReport.Line(
              kind: kind, patient: version.patient, id: version.id, change: .removed)
          }
        } + (content.devices ?? []).map { .init(kind: .device, id: $0, change: .removed) })
    }
  }
}
