import Access
import Attribution
package import Care
import Digests
package import Foundation
package import Interchange

/// Stores entries of another program's history.
///
/// It never changes a stored sample. An entry is the same when its file is read again: its identity is
/// the other program's own name for it, else program, quantity, time and digits. The box or a third
/// program may have measured the same value at the same time: that is one measurement, and the stored
/// sample stays.
///
/// An entry that was erased with a person is stored again only for another one whom somebody names,
/// under an identity of that person's own: no merge takes it for the erased one's.
package struct ImportHistory: Action {
  /// The program.
  package var kind: HistoryKind
  /// Whole rows of its file.
  package var entries: [HistoryEntry]
  /// Whose they are; `nil` to decide by evidence.
  package var patient: String?
  /// The zone of times without one; `nil` for the person's own at that time.
  package var zone: TimeZone?
  /// The owners of the weighings by evidence.
  package var owners: HistoryOwners
  /// How far the clock that dates the entries may be ahead of the box's.
  var lead: TimeInterval = 0

  /// Makes the action.
  package init(
    _ entries: [HistoryEntry], of kind: HistoryKind, patient: String?, zone: TimeZone?,
    owners: HistoryOwners = HistoryOwners()
  ) {
    (self.entries, self.kind, self.patient) = (entries, kind, patient)
    (self.zone, self.owners) = (zone, owners)
  }

  /// The numbers of entries by what became of them.
  package struct Result: Hashable, Sendable {
    /// How many were stored.
    package var new = 0
    /// How many the store had, from this file or as another program's or the box's own measurement.
    package var known = 0
    /// How many of the new ones wait for somebody to say whose they are.
    package var unassigned = 0
    /// Whose the other new ones are, by how many of them.
    package var owners: [String: Int] = [:]
    /// How many times clocks showed twice; the first is taken.
    package var ambiguous = 0
    /// How many weighings equal one in the store but for a whole hour or two: the zone may be wrong.
    package var shifted = 0
    /// The entries that were left out, the first ten thousand.
    package var skips: [HistorySkip] = []
    /// How many more were left out.
    package var skipsBeyond = 0
    /// The identities of all of them, streamed ones left out.
    package var identities: Set<SampleIdentity> = []
    /// The first and the last time.
    package var span: ClosedRange<Date>?

    /// A long file of another language could be left out row by row.
    private static let mostSkips = 10_000

    /// Makes the result of nothing.
    package init() {}

    /// Adds another result.
    package mutating func add(_ other: Result) {
      new += other.new
      known += other.known
      unassigned += other.unassigned
      owners.merge(other.owners) { $0 + $1 }
      ambiguous += other.ambiguous
      shifted += other.shifted
      let room = max(0, Self.mostSkips - skips.count)
      skips += other.skips.prefix(room)
      skipsBeyond += other.skips.dropFirst(room).reduce(other.skipsBeyond) { $0 + $1.count }
      identities.formUnion(other.identities)
      span = span.union(other.span)
    }
  }

  package func perform(
    in writer: any StoreWriter, by performer: Performer, now: Date
  ) throws -> Result {
    try performer.demand(.add, on: patient.map { .patient($0) } ?? .box)
    let plan = try PlanSnapshot(writer, patient: nil)
    if let patient, !plan.everyone.contains(where: { $0.id == patient }) {
      throw StoreError.unknown(.patient(patient, known: plan.everyone.map(\.id)))
    }
    let zones = HistoryZones(plan, patient: patient, zone: zone)
    var clocks = try StreamClocks(of: kind, writer)
    var result = Result()
    var samples: [(entry: HistoryEntry, sample: Sample)] = []
    for entry in entries {
      guard let span = entry.time.span(in: zones.zone(of: entry.time)) else {
        result.skips.append(
          HistorySkip(line: entry.line, reason: .skippedHour(entry.time.description)))
        continue
      }
      if span.isAmbiguous { result.ambiguous += 1 }
      let sample = Sample(entry, of: kind, at: span)
      guard sample.start <= now + lead else {
        result.skips.append(HistorySkip(line: entry.line, reason: .time(entry.time.description)))
        continue
      }
      let timeZone = zones.zone(of: entry.time)
      if try clocks.isKnown(entry, of: kind, for: patient, in: timeZone, writer) {
        result.known += 1
        continue
      }
      samples.append((entry, sample))
    }
    try clocks.keep(in: writer)
    let standing = try StandingSamples(near: samples.map(\.sample), writer)
    // Everything that was measured with a weight belongs to its owner.
    var row: (line: Int, owner: Owner)?
    for (entry, sample) in samples.sorted(by: Self.precedes) {
      result.span = result.span.union(sample.start...sample.end)
      var sample = sample
      let same = standing.same(as: sample)
      if same == nil, try writer.isErased(sample) {
        guard let named = try sample.unerased(for: patient, writer) else {
          result.skips.append(HistorySkip(line: entry.line, reason: .erased))
          continue
        }
        sample = named
      }
      if !sample.reading.isStreamed {
        result.identities.formUnion([sample.identity, same?.identity ?? sample.identity])
      }
      let owner: Owner
      if let same, same.quantity == .bodyMass {
        owner = same.patient.map { .patient($0) } ?? .unassigned(.withUnassignedWeight)
      } else if entry.quantity.isMeasuredWithWeight, let row, row.line == entry.line {
        owner = row.owner
      } else {
        owner = self.owner(of: sample, in: plan)
      }
      if entry.quantity == .bodyMass { row = (entry.line, owner.ofCompanions) }
      guard same == nil else {
        result.known += 1
        continue
      }
      var judged: String?
      switch owner {
      case .patient(let patient) where self.patient == nil && sample.quantity == .bodyMass:
        judged = patient
      case .patient(let patient): sample.patient = patient
      case .unassigned(let reason): sample.unassignedReason = reason.text
      }
      guard try writer.insert(sample) else {
        result.known += 1
        continue
      }
      result.new += 1
      if let judged {
        // Later evidence may decide otherwise.
        _ = try writer.change(
          .sample(sample.identity), .assign(patient: judged), decidedBy: .evidence, reason: nil,
          now: now)
      } else if sample.patient == nil {
        result.unassigned += 1
      }
      if let patient = judged ?? sample.patient { result.owners[patient, default: 0] += 1 }
      if standing.isShifted(sample) { result.shifted += 1 }
    }
    return result
  }

  /// The weight of a row comes first, since what was measured with it follows it.
  private static func precedes(
    _ a: (entry: HistoryEntry, sample: Sample), _ b: (entry: HistoryEntry, sample: Sample)
  ) -> Bool {
    func rank(_ entry: HistoryEntry) -> Int { entry.quantity == .bodyMass ? 0 : 1 }
    return (a.entry.line, rank(a.entry)) < (b.entry.line, rank(b.entry))
  }

  private enum Owner {
    case patient(String)
    case unassigned(UnassignedReason)

    /// The owner of what was measured with a weight.
    var ofCompanions: Owner {
      switch self {
      case .patient, .unassigned(.noPlan): self
      case .unassigned: .unassigned(.withUnassignedWeight)
      }
    }
  }

  private func owner(of sample: Sample, in plan: PlanSnapshot) -> Owner {
    if let patient { return .patient(patient) }
    guard let first = plan.everyone.first else { return .unassigned(.noPlan) }
    guard sample.quantity.plausible.contains(sample.value) else {
      return .unassigned(.implausible)
    }
    if sample.quantity == .bodyMass {
      guard let verdict = owners.verdict(weight: sample.value, at: sample.start) else {
        return .unassigned(.severalPatients(count: plan.everyone.count))
      }
      guard case .patient(let patient) = verdict.decision else {
        return .unassigned(.weighing(UnassignedWeighing(verdict)))
      }
      return .patient(patient)
    }
    return plan.everyone.count == 1
      ? .patient(first.id) : .unassigned(.severalPatients(count: plan.everyone.count))
  }
}

extension ClosedRange<Date>? {
  /// The range that spans both.
  fileprivate func union(_ other: ClosedRange<Date>?) -> ClosedRange<Date>? {
    guard let self else { return other }
    guard let other else { return self }
    return min(self.lowerBound, other.lowerBound)...max(self.upperBound, other.upperBound)
  }
}

/// The zone of a history's times that have none.
package struct HistoryZones: Sendable {
  private let zone: TimeZone?
  private let person: Patient?
  private let plan: TimeZone

  /// The zone that was given, else that of the person at the time, else the plan's.
  package init(_ plan: PlanSnapshot, patient: String?, zone: TimeZone?) {
    self.zone = zone
    self.plan = plan.timeZone
    let sole = plan.everyone.count == 1 ? plan.everyone.first : nil
    person = patient.flatMap { id in plan.everyone.first { $0.id == id } } ?? sole
  }

  /// The zone of a time.
  package func zone(of time: HistoryTime) -> TimeZone {
    if let zone { return zone }
    guard let person else { return plan }
    let local: LocalDateTime
    switch time {
    case .instant: return plan
    case .local(let clock), .day(let clock): local = clock
    }
    return person.timeZone(at: local.resolved(in: plan) ?? .distantPast, in: plan)
  }
}

extension Sample {
  /// Whether it is of the history of another program: of none that is heard at an address.
  var isOfHistory: Bool {
    !reading.device.address.isAddress
      && HistoryKind.all.contains { $0.id == reading.device.definition }
  }

  /// The sample of an entry.
  ///
  /// It arrived when it was measured, as in a replay: evidence and alerts take it for what it is, an
  /// old measurement.
  fileprivate init(_ entry: HistoryEntry, of kind: HistoryKind, at span: HistoryTime.Span) {
    let end = entry.end.flatMap { $0.span(in: .gmt)?.start } ?? span.end
    let clock: LocalDateTime =
      switch entry.time {
      case .instant(let date): LocalDateTime(date, in: .gmt)
      case .local(let local), .day(let local): local
      }
    let isStreamed = entry.isStreamed
    let reading = Reading(
      quantity: entry.quantity, value: entry.value,
      sourceValue: isStreamed ? nil : entry.sourceValue,
      deviceTime: isStreamed ? nil : clock, arrival: span.start,
      interval: end > span.start ? DateInterval(start: span.start, end: end) : nil,
      device: DeviceIdentity(
        address: kind.address(of: entry.source), definition: kind.id),
      ordinal: entry.ordinal, isStreamed: isStreamed,
      raw: isStreamed ? [] : Array(entry.digits.utf8), context: entry.isDerived ? .derived : [])
    let provenance: Provenance = entry.isTyped ? .manual : .passive
    if let id = entry.id, !isStreamed {
      self.init(
        identity: SampleIdentity(
          text: "\(kind.id):\(id.prefix(120)):\(entry.quantity.rawValue)"),
        reading: reading, start: span.start, end: end, provenance: provenance)
    } else {
      self.init(reading: reading, start: span.start, end: end, provenance: provenance)
    }
  }
}

extension Sample {
  /// An erased sample under an identity of `patient`'s own, who is one of several users of what
  /// measured it; `nil` where that was erased, too, or nobody is named.
  ///
  /// - Throws: `StoreError`.
  fileprivate func unerased(for patient: String?, _ writer: any StoreWriter) throws -> Sample? {
    guard let patient else { return nil }
    // The identity may outlive the person in the store, so that it does not name anybody.
    let digest = SHA256.digest(of: Array("measured history of \(patient)".utf8))
    let user = digest.prefix(3).reduce(0) { $0 << 8 | Int($1) }
    var reading = reading
    reading.userIndex = user
    let named =
      identity.parts == nil
      ? Sample(
        identity: SampleIdentity(text: "\(identity.text):\(user)"), reading: reading, start: start,
        end: end, provenance: provenance)
      : Sample(reading: reading, start: start, end: end, provenance: provenance)
    return try writer.isErased(named) ? nil : named
  }
}

/// The zones in which the wall clocks of a program's streams were read.
///
/// A streamed sample is known by its instant alone, so one whose file names no zone would be stored a
/// second time where it is read in another one.
private struct StreamClocks {
  private static let prefix = "zone/"

  private let sender: String
  private let known: [TimeZone]
  private var new: Set<TimeZone> = []

  init(of kind: HistoryKind, _ writer: any StoreWriter) throws {
    sender = "history/\(kind.id)"
    known = try writer.receipts(of: sender, patient: nil, named: Self.prefix).compactMap {
      TimeZone(identifier: String($0.name.dropFirst(Self.prefix.count)))
    }
  }

  /// Whether the store has an entry of a stream, read in another zone than `zone`.
  mutating func isKnown(
    _ entry: HistoryEntry, of kind: HistoryKind, for patient: String?, in zone: TimeZone,
    _ writer: any StoreWriter
  ) throws -> Bool {
    guard entry.isStreamed, entry.time.needsZone else { return false }
    if !known.contains(zone) { new.insert(zone) }
    return try known.contains { other in
      guard other != zone, let span = entry.time.span(in: other) else { return false }
      var sample = Sample(entry, of: kind, at: span)
      if try writer.isErased(sample) {
        sample = try sample.unerased(for: patient, writer) ?? sample
      }
      return try writer.contains(sample.reading, identity: sample.identity)
    }
  }

  /// Remembers the zones.
  func keep(in writer: any StoreWriter) throws {
    for zone in new.sorted(by: { $0.identifier < $1.identifier }) {
      try writer.put(
        Receipt(sender: sender, name: Self.prefix + zone.identifier, patient: nil, mark: ""))
    }
  }
}

/// The samples in the store that may be the same measurements as those of a file.
private struct StandingSamples {
  /// How far the times of two programs for one measurement are apart, in seconds: one may be without
  /// seconds, the other may say when it ended.
  private static let tolerance: TimeInterval = 90
  /// Clocks of one program differ by no more.
  private static let ownTolerance: TimeInterval = 1
  private static let shifts: [TimeInterval] = [-7200, -3600, 3600, 7200]

  /// In the order of time.
  private var samples: [Quantity: [Sample]] = [:]

  init(near candidates: [Sample], _ reader: any StoreReader) throws {
    let single = candidates.filter { !$0.reading.isStreamed }
    for (quantity, candidates) in Dictionary(grouping: single, by: \.quantity) {
      guard let first = candidates.map(\.start).min(), let last = candidates.map(\.end).max()
      else { continue }
      let reach = quantity == .bodyMass ? 7200 + Self.tolerance : Self.tolerance
      let query = SampleQuery(
        quantity: quantity, from: first - reach, to: last + reach,
        states: [.live, .deleted, .disowned, .notTaken])
      samples[quantity] = try reader.samples(query).filter { !$0.reading.isStreamed }
        .sorted { $0.start < $1.start }
    }
  }

  /// The measurement in the store that `sample` is, too.
  func same(as sample: Sample) -> Sample? {
    let reach = sample.end > sample.start ? 0 : Self.tolerance
    return near(sample.start - reach...sample.end + reach, sample.quantity).first { other in
      guard other.identity != sample.identity, sample.isEqual(to: other) else { return false }
      guard other.device.address == sample.device.address else { return true }
      return abs(other.start.timeIntervalSince(sample.start)) <= Self.ownTolerance
        && other.end == sample.end
    }
  }

  /// Whether the store has the same weight a whole hour or two before or after, to the second.
  func isShifted(_ sample: Sample) -> Bool {
    guard sample.quantity == .bodyMass, sample.end == sample.start else { return false }
    return Self.shifts.contains { shift in
      let time = sample.start + shift
      return near(time - 1...time + 1, .bodyMass).contains {
        $0.device.address != sample.device.address && sample.isEqual(to: $0)
      }
    }
  }

  private func near(_ span: ClosedRange<Date>, _ quantity: Quantity) -> ArraySlice<Sample> {
    guard let all = samples[quantity] else { return [] }
    func index(_ condition: (Date) -> Bool) -> Int {
      var (low, high) = (0, all.count)
      while low < high {
        let middle = (low + high) / 2
        if condition(all[middle].start) { low = middle + 1 } else { high = middle }
      }
      return low
    }
    return all[index { $0 < span.lowerBound }..<index { $0 <= span.upperBound }]
  }
}

extension Sample {
  /// Whether two programs' values are one, each rounded in its own way: a tenth of a kilogram or of a
  /// pound.
  fileprivate func isEqual(to other: Sample) -> Bool {
    let tolerance =
      reading.quantity == .bodyMass ? 0.05 : 0.5 / pow(10, Double(reading.quantity.fractionDigits))
    return abs(reading.value - other.reading.value) <= tolerance + 1e-6
  }
}
