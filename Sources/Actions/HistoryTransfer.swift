package import Care
package import Foundation
package import Interchange

/// The import of a whole file, batch by batch: the same for command line, page and receiver.
package struct HistoryTransfer: Sendable {
  /// Whose the values are; `nil` to decide by evidence.
  package var patient: String?
  /// The zone of times without one; `nil` for the person's own at that time.
  package var zone: TimeZone?
  /// Whether nothing is stored.
  package var isDryRun: Bool
  /// Whether what the file no longer has is deleted, too.
  package var follows: Bool

  /// Makes an import.
  package init(
    patient: String? = nil, zone: TimeZone? = nil, isDryRun: Bool = false, follows: Bool = false
  ) {
    (self.patient, self.zone) = (patient, zone)
    (self.isDryRun, self.follows) = (isDryRun, follows)
  }

  /// The result of a file.
  package struct Report: Sendable {
    /// The program that wrote it.
    package var kind: HistoryKind
    /// How many values were read.
    package var read = 0
    /// Their results.
    package var result = ImportHistory.Result()
    /// How many samples were deleted.
    package var deleted = 0
    /// The zone in which times without one were read, if there were such times.
    package var usedZone: TimeZone?
    /// Why the file was not read to its end.
    package var failure: HistoryError?
  }

  /// Why nothing is imported.
  package enum Refusal: Error, Hashable, Sendable {
    /// The times have no zone, and no plan has one.
    case needsZone
  }

  /// Imports a file.
  ///
  /// - Parameters:
  ///   - file: The file.
  ///   - store: Where the values go.
  ///   - performer: Who imports it.
  ///   - now: The current time.
  ///   - progress: Takes how many bytes have been read.
  ///   - isInterrupted: Whether the import is to end after the current batch.
  /// - Returns: The result; `nil` for a file without a part.
  /// - Throws: ``Refusal``, ``AccessDenied``, `StoreError`; whole batches before it are stored.
  package func run(
    _ file: HistoryFile, in store: some Store, by performer: Performer,
    now: @escaping @Sendable () -> Date, progress: (Int) -> Void = { _ in },
    isInterrupted: () -> Bool = { false }
  ) async throws -> Report? {
    guard let first = file.kinds.first else { return nil }
    var report = Report(kind: first)
    let owners = try await owners(of: file, in: store, isInterrupted)
    let hasZone = try await store.read { [zone] in try zone != nil || $0.planTimeZone() != nil }
    var finished: [HistoryKind: ImportHistory.Result] = [:]
    do {
      var reader = file.reader()
      while !isInterrupted(), let batch = try reader.next() {
        if report.usedZone == nil, batch.needsZone {
          guard hasZone else { throw Refusal.needsZone }
          report.usedZone = try await usedZone(in: store, now())
        }
        let action = ImportHistory(
          batch.entries, of: batch.kind, patient: patient, zone: zone, owners: owners)
        var result = try await perform(action, in: store, by: performer, now())
        if !batch.answers.isEmpty {
          let answers = ImportAnswers(batch.answers, patient: patient, zone: zone)
          result.add(try await perform(answers, in: store, by: performer, now()))
        }
        report.read += batch.entries.count + batch.answers.count
        result.skips = batch.skips + result.skips
        if isDryRun {
          let repeated = result.identities.intersection(report.result.identities).count
          result.new -= min(result.new, repeated)
          result.known += repeated
        }
        // Of a long file they are many.
        if !isDryRun, !follows { result.identities = [] }
        report.result.add(result)
        finished[batch.kind, default: ImportHistory.Result()].add(result)
        progress(batch.bytesRead)
      }
    } catch let error as HistoryError {
      // The batches before a damaged place are whole and stored.
      report.failure = error
    }
    guard !isDryRun else { return report }
    let isWhole = report.failure == nil && !isInterrupted()
    for (kind, result) in finished {
      let end = FinishHistory(kind, result, follows: follows && isWhole)
      // Whoever may import follows nothing by it.
      let performer = end.follows ? performer : .owner
      report.deleted += try await store.write {
        try end.perform(in: $0, by: performer, now: now()).deleted
      }
    }
    return report
  }

  /// The owners of the file's weighings by evidence; none where the owner is known.
  private func owners(
    of file: HistoryFile, in store: some Store, _ isInterrupted: () -> Bool
  ) async throws -> HistoryOwners {
    var owners = HistoryOwners()
    guard patient == nil else { return owners }
    let zones = try await store.read { [zone] in
      HistoryZones(try PlanSnapshot($0, patient: nil), patient: nil, zone: zone)
    }
    var reader = file.reader()
    do {
      while !isInterrupted(), let batch = try reader.next() {
        owners.add(batch.entries) { zones.zone(of: $0) }
      }
    } catch {
      // The second reading says so.
    }
    return try await store.read { [owners] in
      var owners = owners
      try owners.judge(in: $0)
      return owners
    }
  }

  private func perform(
    _ action: some Action<ImportHistory.Result>, in store: some Store, by performer: Performer,
    _ now: Date
  ) async throws -> ImportHistory.Result {
    guard isDryRun else {
      return try await store.write { try action.perform(in: $0, by: performer, now: now) }
    }
    do {
      return try await store.write { writer in
        throw DryRun(result: try action.perform(in: writer, by: performer, now: now))
      }
    } catch let end as DryRun {
      return end.result
    }
  }

  /// Ends a transaction of which nothing is to stay.
  private struct DryRun: Error {
    var result: ImportHistory.Result
  }

  private func usedZone(in store: some Store, _ now: Date) async throws -> TimeZone {
    if let zone { return zone }
    return try await store.read { [patient] in try $0.zone(of: patient, at: now) }
  }
}

extension HistoryFile.Batch {
  /// Whether any of its times needs a zone to become an instant.
  fileprivate var needsZone: Bool {
    entries.contains { $0.time.needsZone } || answers.contains { $0.due.needsZone }
  }
}
