import Care
import Foundation

// Merging samples and their changes.

extension MergeRun {
  mutating func take(_ line: SampleMember) throws {
    var arriving = line
    var sample = line.sample
    var (attributed, reason) = (line.attributed.map { aliases.current($0) }, line.reason)
    if erasures.covers(attributed) {
      let changes = try transaction.changes(of: sample)
      guard let owner = ChangeEffect(of: changes).owner(attributed: nil), owner != attributed
      else {
        report.dropped += 1
        return
      }
      (attributed, reason) = (nil, nil)
    }
    guard !erasures.covers(sample.identity) else {
      report.dropped += 1
      return
    }
    sample.patient = attributed
    sample.unassignedReason = reason
    let stored = try transaction.locate(sample.identity).flatMap {
      try transaction.member($0.number)
    }
    if let stored {
      // The amount that a total adds follows from the totals of this store.
      if stored.sample.reading.total == sample.reading.total, sample.reading.total != nil {
        sample.reading.value = stored.sample.value
        arriving.sample.reading.value = stored.sample.value
      }
      var facts = arriving.isPreferred(to: stored) ? sample : stored.sample
      facts.reading.context = sample.context.union(stored.sample.context)
      let (owner, why) = Attribution.joined(
        (attributed, reason), (stored.attributed, stored.reason))
      guard facts != stored.sample || owner != stored.attributed || why != stored.reason else {
        return
      }
      sample = facts
      (sample.patient, sample.unassignedReason, sample.state) = (owner, why, .live)
      try transaction.execute("DELETE FROM sample WHERE number = ?", [stored.number])
      _ = try transaction.insertRow(sample, attributed: owner, number: stored.number)
    } else {
      guard try transaction.insertRow(sample, attributed: attributed) else { return }
    }
    report.samples += 1
    try transaction.renewChanges(of: sample)
    if sample.reading.total != nil { try noteTotal(sample) }
    guard let (number, _) = try transaction.locate(sample.identity),
      let member = try transaction.member(number)
    else { return }
    if member.isBroadcast {
      try transaction.regroup(around: member)
    } else {
      try transaction.update(try transaction.group(of: member))
    }
  }

  mutating func take(_ arriving: BlockLine) throws {
    let samples = try arriving.samples()
    guard let first = samples.first, let quantity = Quantity(rawValue: arriving.series.quantity)
    else { return }
    let key = arriving.series
    let series = try transaction.makeSeries(key)
    let source = try transaction.makeSource(arriving.source)
    var hour = try transaction.seriesHour(series, Hours.hour(of: first.start))
    var changed = 0
    for sample in samples {
      guard !erasures.covers(sample, of: key) else {
        report.dropped += 1
        continue
      }
      var entry = HourEntry(
        sample: sample, source: source,
        attributed: arriving.attributed.map { aliases.current($0) },
        reason: arriving.reason)
      if erasures.covers(entry.attributed) {
        let whole = sample.whole(of: key, measuring: quantity)
        let effect = ChangeEffect(
          of: try transaction.changeIndex(of: whole.device.address.text)
            .changes(of: whole))
        guard let owner = effect.owner(attributed: nil), owner != entry.attributed else {
          report.dropped += 1
          continue
        }
        (entry.attributed, entry.reason) = (nil, nil)
      }
      let place = SeriesHour.Place(start: sample.start, ordinal: sample.ordinal)
      if let known = hour.entries[place] {
        let joined = try transaction.joined(known, entry)
        guard joined != known else { continue }
        hour.entries[place] = joined
      } else {
        hour.entries[place] = entry
      }
      changed += 1
    }
    guard changed > 0 else { return }
    try transaction.replace(hour)
    let start = hour.hour * Hours.length
    try transaction.renewChanges(
      ofDevice: key.device, from: start, to: start + Hours.length)
    report.streamedSamples += changed
  }
}

extension SampleMember {
  /// Whether these facts hold where two stores have different ones of one sample.
  ///
  /// The larger value holds, else the earlier arrival, else the smaller text; contexts are joined.
  fileprivate func isPreferred(to other: SampleMember) -> Bool {
    if sample.value != other.sample.value { return sample.value > other.sample.value }
    if sample.arrival != other.sample.arrival { return sample.arrival < other.sample.arrival }
    var (a, b) = (self, other)
    (a.attributed, a.reason, b.attributed, b.reason) = (nil, nil, nil, nil)
    (a.sample.reading.context, b.sample.reading.context) = ([], [])
    return a.line < b.line
  }
}

/// Whose a sample was found to be by two stores.
private enum Attribution {
  /// A patient beats the tray, the smaller id a larger one, the smaller reason a larger one.
  static func joined(
    _ a: (patient: String?, reason: String?), _ b: (patient: String?, reason: String?)
  ) -> (patient: String?, reason: String?) {
    func key(_ value: (patient: String?, reason: String?)) -> [String] {
      [
        value.patient == nil ? "1" : "0", value.patient ?? "", value.reason == nil ? "1" : "0",
        value.reason ?? "",
      ]
    }
    return key(a).lexicographicallyPrecedes(key(b)) ? a : b
  }
}

extension SQLTransaction {
  /// One streamed sample as two stores have it.
  fileprivate func joined(_ a: HourEntry, _ b: HourEntry) throws -> HourEntry {
    var result = try isPreferred(b, to: a) ? b : a
    (result.attributed, result.reason) = Attribution.joined(
      (a.attributed, a.reason), (b.attributed, b.reason))
    return result
  }

  private func isPreferred(_ a: HourEntry, to b: HourEntry) throws -> Bool {
    if a.sample.value != b.sample.value { return a.sample.value > b.sample.value }
    if a.sample.arrival != b.sample.arrival { return a.sample.arrival < b.sample.arrival }
    if a.sample.end != b.sample.end { return a.sample.end < b.sample.end }
    if a.sample.raw != b.sample.raw { return a.sample.raw.lexicographicallyPrecedes(b.sample.raw) }
    guard a.source != b.source else { return false }
    return try sourceText(a.source) < sourceText(b.source)
  }

  private func sourceText(_ number: Int64) throws -> String {
    let row = try row("SELECT * FROM source WHERE number = ?", [number])
    return try row.map { try $0.text("definition") + "|" + $0.text("provenance") } ?? ""
  }
}

// MARK: - Changes of samples

extension MergeRun {
  mutating func take(_ arriving: SampleChangeRow) throws {
    var change = arriving
    change.patient = change.patient.map { aliases.current($0) }
    let isErased =
      erasures.covers(change.patient)
      || change.identity.map { erasures.covers($0) } ?? false
    guard !isErased else {
      report.dropped += 1
      return
    }
    let stored = try transaction.rows(
      "SELECT * FROM sample_change WHERE uuid = ?", [change.uuid.uuidString],
      read: SampleChangeRow.init(reading:)
    ).first
    if var stored {
      stored.stamp = stored.stamp.named(writerNames)
      change = change.joined(with: stored)
      guard change.line != stored.line else { return }
      try transaction.execute(
        "DELETE FROM sample_change WHERE uuid = ?", [change.uuid.uuidString])
      transaction.state.changes = [:]
      try transaction.apply(stored)
    }
    try transaction.record(
      change, stamp: try stamp(change.stamp, isUnknown: stored == nil))
    report.changes += 1
  }
}

extension SampleChangeRow {
  /// The change that two stores have under one id; a reason that an erasure removed stays removed.
  fileprivate func joined(with other: SampleChangeRow) -> SampleChangeRow {
    var (first, second) = (self, other)
    let reason = reason == nil || other.reason == nil ? nil : min(reason ?? "", other.reason ?? "")
    (first.reason, second.reason) = (reason, reason)
    return first.line <= second.line ? first : second
  }
}
