import Access
package import Care
package import Foundation
package import Interchange

/// Stores a batch that a phone pushes, once.
///
/// A batch is stored whole or not at all. The parts of a window wait until all are there; then they
/// take the place of what the same device sent of the window before. What others measured stays.
package struct ReceivePush: Action {
  /// The batch.
  package var batch: PushBatch
  /// Its decoded bytes, which wait where it is a part.
  package var bytes: [UInt8]
  /// Whose the values are; `nil` to decide by evidence.
  package var patient: String?

  /// Reads a batch.
  ///
  /// - Throws: ``PushRefusal``.
  package init(_ bytes: [UInt8], patient: String?) throws(PushRefusal) {
    batch = try PushBatch(bytes)
    (self.bytes, self.patient) = (bytes, patient)
  }

  /// The outcome of a batch.
  package struct Result: Sendable {
    /// Whether it was stored before.
    package var isRepeated = false
    /// The rows that were stored now; none of a part that waits.
    package var imported = ImportHistory.Result()
    /// How many samples the window no longer has.
    package var removed = 0
  }

  package func perform(
    in writer: any StoreWriter, by performer: Performer, now: Date
  ) throws -> Result {
    try performer.demand(.add, on: patient.map { .patient($0) } ?? .box)
    var result = Result()
    let name = "batch/\(batch.id)"
    if let before = try receipts(name, writer).first(where: { $0.name == name }) {
      guard before.mark == batch.digest else { throw PushRefusal(.batchConflict) }
      result.isRepeated = true
      return result
    }
    if let window = batch.window {
      guard let entries = try complete(window, writer) else {
        try keep(name, mark: batch.digest, writer)
        return result
      }
      result.imported = try store(entries, writer, by: performer, now)
      result.removed = try replace(window, result.imported.identities, writer, now)
    } else {
      result.imported = try store(batch.entries, writer, by: performer, now)
    }
    try keep(name, mark: batch.digest, writer)
    return result
  }

  // MARK: Receipts

  private var sender: String { "noop/\(batch.source)/\(batch.device)" }

  private func receipts(_ prefix: String, _ reader: any StoreWriter) throws -> [Receipt] {
    try reader.receipts(of: sender, patient: patient, named: prefix)
  }

  private func content(of name: String, _ reader: any StoreWriter) throws -> [UInt8] {
    try reader.content(ofReceipt: name, of: sender, patient: patient) ?? []
  }

  private func keep(
    _ name: String, mark: String, content: [UInt8] = [], _ writer: any StoreWriter
  ) throws {
    try writer.put(
      Receipt(sender: sender, name: name, patient: patient, mark: mark, content: content))
  }

  // MARK: Windows

  /// The states of a replacement, as its receipt's mark.
  private enum State: String {
    case open, complete, superseded
  }

  /// Takes a part of a window.
  ///
  /// - Returns: The rows of all parts once they are there; `nil` before.
  private func complete(
    _ window: PushBatch.Window, _ writer: any StoreWriter
  ) throws -> [HistoryEntry]? {
    let prefix = "window/\(batch.stream.rawValue)/"
    let name = prefix + window.id
    let shape = Array("\(window.start)/\(window.end)/\(window.parts)".utf8)
    let all = try receipts(prefix, writer)
    if let known = all.first(where: { $0.name == name }) {
      switch State(rawValue: known.mark) {
      case .superseded: throw PushRefusal(.superseded)
      case .open where try content(of: name, writer) == shape: break
      case .open, .complete, nil: throw PushRefusal(.windowConflict)
      }
    } else {
      for old in all where old.mark == State.open.rawValue {
        try keep(old.name, mark: State.superseded.rawValue, writer)
        for part in try receipts("part/" + old.name + "/", writer) {
          try writer.removeReceipt(part.name, of: sender, patient: patient)
        }
      }
      try keep(name, mark: State.open.rawValue, content: shape, writer)
    }
    let parts = "part/\(name)/"
    let own = parts + "\(window.part)"
    var there = try receipts(parts, writer)
    guard !there.contains(where: { $0.name == own }) else { throw PushRefusal(.windowConflict) }
    guard there.count + 1 == window.parts else {
      try keep(own, mark: batch.digest, content: bytes, writer)
      return nil
    }
    there.sort { $0.name < $1.name }
    var (keys, entries) = (Set(batch.keys), batch.entries)
    for part in there {
      let other = try PushBatch(try content(of: part.name, writer))
      guard keys.isDisjoint(with: other.keys) else { throw PushRefusal(.duplicateKey) }
      keys.formUnion(other.keys)
      entries += other.entries
      try writer.removeReceipt(part.name, of: sender, patient: patient)
    }
    try keep(name, mark: State.complete.rawValue, content: shape, writer)
    return entries
  }

  /// Deletes what the device sent of the window before and its rows no longer say, and brings back
  /// what they say again.
  ///
  /// - Returns: How many samples were deleted.
  private func replace(
    _ window: PushBatch.Window, _ identities: Set<SampleIdentity>, _ writer: any StoreWriter,
    _ now: Date
  ) throws -> Int {
    let zones = HistoryZones(
      try PlanSnapshot(writer, patient: nil), patient: patient, zone: nil)
    guard let first = zones.start(ofDay: window.start), let last = zones.start(ofDay: window.end)
    else { return 0 }
    return try writer.replaceSent(
      by: batch.address, of: .noop, in: first...last, keeping: identities, patient: patient,
      now: now
    ) { $0 < last }
  }

  private func store(
    _ entries: [HistoryEntry], _ writer: any StoreWriter, by performer: Performer, _ now: Date
  ) throws -> ImportHistory.Result {
    try ImportHistory.received(
      entries, of: .noop, patient: patient, in: writer, by: performer, now: now)
  }
}

extension HistoryZones {
  /// The beginning of a day, `2026-08-05`.
  fileprivate func start(ofDay day: String) -> Date? {
    guard let time = HistoryTime(day: day) else { return nil }
    return time.span(in: zone(of: time))?.start
  }
}

extension ImportHistory {
  /// How far a phone's clock may be ahead of the box's.
  private static let clockTolerance: TimeInterval = 300

  /// Stores what a phone sent, and reviews whose the weighings are.
  static func received(
    _ entries: [HistoryEntry], of kind: HistoryKind, patient: String?, in writer: any StoreWriter,
    by performer: Performer, now: Date
  ) throws -> Result {
    var owners = HistoryOwners()
    let hasWeights = entries.contains { $0.quantity == .bodyMass }
    if patient == nil, hasWeights {
      let zones = HistoryZones(
        try PlanSnapshot(writer, patient: nil), patient: nil, zone: nil)
      owners.add(entries) { zones.zone(of: $0) }
      try owners.judge(in: writer)
    }
    var action = ImportHistory(
      entries, of: kind, patient: patient, zone: nil, owners: owners)
    action.lead = clockTolerance
    let result = try action.perform(in: writer, by: performer, now: now)
    if hasWeights {
      _ = try FinishHistory(kind, result, follows: false)
        .perform(in: writer, by: .owner, now: now)
    }
    return result
  }
}

extension StoreWriter {
  /// Deletes the single samples that a sender sent of some times and no longer has, and brings back those
  /// that it has again; what others measured, and what a person deleted, stays as it is.
  ///
  /// - Returns: How many were deleted.
  func replaceSent(
    by address: DeviceID, of kind: HistoryKind, in span: ClosedRange<Date>,
    keeping identities: Set<SampleIdentity>, patient: String?, now: Date,
    where isSent: (_ start: Date) -> Bool
  ) throws -> Int {
    for identity in identities {
      guard try sample(identity)?.state == .deleted,
        let last = try changes(of: identity).last, last.change == .delete,
        last.decidedBy == .evidence
      else { continue }
      _ = try change(.single(identity), .restore, decidedBy: .evidence, reason: nil, now: now)
    }
    var count = 0
    for quantity in try quantities(of: .anyone) {
      let query = SampleQuery(
        quantity: quantity, device: address, from: span.lowerBound, to: span.upperBound)
      for sample in try samples(query)
      where span.contains(sample.start) && isSent(sample.start)
        && sample.device.definition == kind.id
        && !sample.reading.isStreamed && sample.corrects == nil
        && !identities.contains(sample.identity)
        && (patient == nil || sample.patient == patient)
      {
        count += try change(
          .single(sample.identity), .delete, decidedBy: .evidence,
          reason: "deleted in \(kind.title)", now: now
        ).samples.count
      }
    }
    return count
  }
}
