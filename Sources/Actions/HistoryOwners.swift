package import Attribution
package import Care
package import Foundation
package import Interchange

/// Whose the weighings of a history are, by the evidence of all of them and of those in the store.
///
/// A history is known as a whole, so each weighing is judged by what came before it and by what came
/// after it: of a person whose weight nobody stated, the first weighings are clear from the later ones. Where
/// the two judgments name different people, it waits.
package struct HistoryOwners: Sendable {
  /// More weighings wait: two people twice a day in a century are fewer.
  private static let most = 100_000

  private var weighings: [Key: Weighing] = [:]
  private var verdicts: [Key: Verdict] = [:]

  /// A weighing by its time and weight.
  private struct Key: Hashable {
    var minute: Int
    var weight: Int
  }

  /// Makes owners that know no weighing.
  package init() {}

  /// Takes note of the weighings among entries; those of one row belong together.
  ///
  /// - Parameters:
  ///   - entries: Whole rows.
  ///   - zone: The zone of times without one.
  package mutating func add(_ entries: [HistoryEntry], in zone: (HistoryTime) -> TimeZone) {
    var row: (line: Int, key: Key)?
    var companions: [(line: Int, reading: Reading)] = []
    for entry in entries where !entry.isStreamed {
      guard entry.quantity == .bodyMass || entry.quantity.isMeasuredWithWeight else { continue }
      let timeZone = zone(entry.time)
      guard let span = entry.time.span(in: timeZone) else { continue }
      let reading = Reading(
        quantity: entry.quantity, value: entry.value, arrival: span.start,
        device: DeviceIdentity(address: .entered))
      guard entry.quantity == .bodyMass else {
        if let row, row.line == entry.line {
          weighings[row.key]?.add(reading)
        } else {
          companions.removeAll { $0.line != entry.line }
          companions.append((entry.line, reading))
        }
        continue
      }
      guard entry.quantity.plausible.contains(entry.value), weighings.count < Self.most else {
        continue
      }
      var weighing = Weighing(reading, at: span.start, in: timeZone)
      for companion in companions where companion.line == entry.line {
        weighing.add(companion.reading)
      }
      let key = Key(minute: weighing.minute, weight: weighing.weight)
      row = (entry.line, key)
      if weighings[key] == nil { weighings[key] = weighing }
    }
  }

  /// Judges what was added, together with the store's weighings.
  package mutating func judge(in reader: any StoreReader) throws {
    let plan = try PlanSnapshot(reader, patient: nil)
    let known = try WeighingHistory(in: plan, reader).entries.map(\.weighing)
    let all =
      (weighings.map { (key: $0.key as Key?, weighing: $0.value) }
      + known.map { (key: nil, weighing: $0) })
      .sorted {
        ($0.weighing.minute, $0.weighing.weight) < ($1.weighing.minute, $1.weighing.weight)
      }
    var forward = Evidence(plan.household)
    for (key, weighing) in all {
      let verdict = forward.observe(weighing)
      if let key { verdicts[key] = verdict }
    }
    var backward = Evidence(plan.household)
    for (key, weighing) in all.reversed() {
      var mirrored = weighing
      (mirrored.minute, mirrored.day) = (-weighing.minute, -weighing.day)
      let verdict = backward.observe(mirrored)
      guard let key, let first = verdicts[key] else { continue }
      verdicts[key] = first.joined(with: verdict)
    }
  }

  /// The verdict on a weight; `nil` for one that was not added.
  package func verdict(weight: Double, at start: Date) -> Verdict? {
    let weighing = Weighing(
      Reading(
        quantity: .bodyMass, value: weight, arrival: start,
        device: DeviceIdentity(address: .entered)), at: start, in: .gmt)
    return verdicts[Key(minute: weighing.minute, weight: weighing.weight)]
  }
}

extension Verdict {
  /// One judgment from two.
  fileprivate func joined(with other: Verdict) -> Verdict {
    switch (decision, other.decision) {
    case (.patient(let patient), .patient(let another)):
      patient == another
        ? self : Verdict(decision: .unassigned(.alike([patient, another].sorted())), odds: odds)
    case (.unassigned, .patient): other
    case (.patient, _), (.housemate, _), (.unassigned, _): self
    }
  }
}
