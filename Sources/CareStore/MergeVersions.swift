import Care
import Foundation

// Merging the versions of the things of the plan.

extension MergeRun {
  mutating func take(_ arriving: VersionRow) throws {
    var version = try transaction.withKnownTopics(localized(arriving))
    let known = try transaction.exchangedVersion(version.uuid, writers: writerNames)
    if let known { version = try localized(version.joined(with: known)) }
    if erasures.covers(version.patient) {
      report.dropped += 1
      return
    }
    try require(ownID: arriving.hasOwnID(aliases), arriving.uuid)
    var isNew = known == nil
    let row = version.withoutLinks
    if row.line != known?.withoutLinks.line {
      isNew = true
      if known != nil {
        try transaction.execute("DELETE FROM version WHERE uuid = ?", [version.uuid.uuidString])
      }
      try transaction.insertRow(row, stamp: try stamp(version.stamp, isUnknown: known == nil))
    }
    for parent in arriving.parents where !(known?.parents ?? []).contains(parent) {
      try insertEdge(from: parent, to: version.uuid)
      isNew = true
    }
    try store(
      arriving.withdrawals.filter { !(known?.withdrawals ?? []).contains($0) }, of: version.uuid)
    guard isNew else { return }
    report.versions += 1
    hasChangedPlan = true
  }

  /// Stores when a version was taken back; of one time, that it was.
  mutating func store(_ withdrawals: [Withdrawal], of version: UUID) throws {
    for withdrawal in withdrawals {
      try transaction.store(
        WithdrawalRow(version: version, withdrawal: withdrawal), in: WithdrawalRow.table,
        onConflict: """
          ON CONFLICT (version, date) DO UPDATE SET is_withdrawn = 1, stored = excluded.stored
          WHERE excluded.is_withdrawn > withdrawal.is_withdrawn
          """)
      hasChangedPlan = true
    }
  }

  /// The version under the names that patients have now, without those that were erased.
  private mutating func localized(_ version: VersionRow) throws -> VersionRow {
    var version = version
    if version.type == "order" {
      guard !aliases.isEmpty || !erasures.isEmpty else { return version }
      let tasks = try version.decode([TaskReference].self)
      var left: [TaskReference] = []
      for task in tasks {
        let patient = aliases.current(task.patient)
        guard !erasures.covers(patient) else { continue }
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

extension VersionRow {
  /// The version that two stores have under one id: what is earlier holds, and whatever else
  /// differs is decided the same way in each.
  fileprivate func joined(with other: VersionRow) -> VersionRow {
    var first = self
    first.effectiveDate = min(effectiveDate, other.effectiveDate)
    first.createdDate = min(createdDate, other.createdDate)
    first.deletedDate = [deletedDate, other.deletedDate].compactMap(\.self).min()
    first.isEnded = isEnded || other.isEnded
    first.closesLater = closesLater || other.closesLater
    first.isImported = isImported || other.isImported
    first.stamp = Stamp.isOrdered(stamp, other.stamp) ? stamp : other.stamp
    var second = first
    (second.type, second.patient, second.id) = (other.type, other.patient, other.id)
    second.payload = other.payload
    return first.order <= second.order ? first : second
  }

  /// Decides between two contents: a topic comes before what stands for it.
  private var order: (String, Int, String) {
    let row = withoutLinks
    return (row.withoutTopics.line, Reachability.missingTopics(payload), row.line)
  }

  /// The version without the rows of other tables.
  fileprivate var withoutLinks: VersionRow {
    var version = self
    (version.parents, version.withdrawals) = ([], [])
    return version
  }
}
