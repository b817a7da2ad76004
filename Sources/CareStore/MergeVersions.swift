import Care
import Foundation
import GRDB

// Merging the versions of the things of the plan.

extension MergeRun {
  mutating func take(_ arriving: ExportedVersion) throws {
    try arriving.check()
    var version = try localized(arriving)
    let stored = try transaction.row(
      "SELECT * FROM version WHERE uuid = ?", [version.uuid.uuidString])
    let known = try stored.map { try transaction.exportedVersion($0, writers: writerNames) }
    if let known {
      version = version.joined(with: known)
      version = try localized(version)
    }
    if isErased(version) {
      report.dropped += 1
      return
    }
    var isNew = known == nil
    let row = version.withoutLinks
    if row != known?.withoutLinks {
      isNew = true
      if known != nil {
        try transaction.execute(
          "DELETE FROM version WHERE uuid = ?", [version.uuid.uuidString])
      }
      try transaction.insertRow(
        VersionRow(row), stamp: try stamp(version.stamp, isUnknown: known == nil))
    }
    for parent in arriving.parents ?? [] where !(known?.parents ?? []).contains(parent) {
      try transaction.execute(
        "INSERT OR IGNORE INTO version_edge (previous, next) VALUES (?, ?)",
        [parent, version.uuid.uuidString])
      isNew = true
    }
    let withdrawals = (arriving.withdrawals ?? []).filter { withdrawal in
      !(known?.withdrawals ?? []).contains(withdrawal)
    }
    try store(withdrawals, of: version.uuid)
    guard isNew else { return }
    report.versions += 1
    hasChangedPlan = true
  }

  /// Stores when a version was taken back; of one time, that it was.
  mutating func store(_ withdrawals: [[Int64]], of version: UUID) throws {
    for withdrawal in withdrawals {
      try transaction.execute(
        """
        INSERT INTO withdrawal (version, date, is_withdrawn) VALUES (?, ?, ?)
        ON CONFLICT DO UPDATE SET is_withdrawn = max(is_withdrawn, excluded.is_withdrawn)
        """, [version.uuidString, withdrawal[0], withdrawal[1]])
      hasChangedPlan = true
    }
  }

  private mutating func isErased(_ version: ExportedVersion) -> Bool {
    erasures.covers(version.patient, madeAt: version.created)
  }

  /// The version under the names that patients have now, without those that were erased.
  private mutating func localized(_ version: ExportedVersion) throws -> ExportedVersion {
    var version = version
    if version.type == "order" {
      guard !aliases.isEmpty || !erasures.isEmpty else { return version }
      let tasks = try JSON.value([TaskReference].self, from: version.payload)
      var left: [TaskReference] = []
      for task in tasks {
        let patient = aliases.current(task.patient)
        guard !erasures.covers(patient, madeAt: version.created) else { continue }
        left.append(TaskReference(patient: patient, task: task.task))
      }
      if left != tasks { version.payload = try JSON.text(left) }
      return version
    }
    version.patient = aliases.current(version.patient)
    if version.type == ThingKind.patient.rawValue { version.id = version.patient }
    return version
  }
}

extension ExportedVersion {
  /// The version that two stores have under one id: what is earlier holds, and whatever else
  /// differs is decided the same way in each.
  fileprivate func joined(with other: ExportedVersion) -> ExportedVersion {
    var (first, second) = (self, other)
    for path in [\ExportedVersion.effective, \.created] {
      first[keyPath: path] = min(self[keyPath: path], other[keyPath: path])
      second[keyPath: path] = first[keyPath: path]
    }
    first.deleted = [deleted, other.deleted].compactMap(\.self).min()
    first.ended = ended == true || other.ended == true
    first.closesLater = closesLater == true || other.closesLater == true
    first.imported = imported == true || other.imported == true
    first.stamp = min(stamp, other.stamp)
    second.deleted = first.deleted
    (second.ended, second.closesLater, second.imported) = (
      first.ended, first.closesLater, first.imported
    )
    second.stamp = first.stamp
    let isFirst = first.withoutLinks.line <= second.withoutLinks.line
    return isFirst ? first : second
  }

  /// The version without the rows of other tables.
  fileprivate var withoutLinks: ExportedVersion {
    var version = self
    (version.parents, version.withdrawals) = (nil, nil)
    (version.ended, version.closesLater, version.imported) = (
      ended == true, closesLater == true, imported == true
    )
    return version
  }
}

extension VersionRow {
  fileprivate init(_ version: ExportedVersion) {
    self.init(
      uuid: version.uuid, type: version.type, patient: version.patient, id: version.id,
      effectiveDate: Date(microseconds: version.effective),
      createdDate: Date(microseconds: version.created),
      deletedDate: version.deleted.map(Date.init(microseconds:)), payload: version.payload)
    isEnded = version.ended == true
    closesLater = version.closesLater == true
    isImported = version.imported == true
  }
}
