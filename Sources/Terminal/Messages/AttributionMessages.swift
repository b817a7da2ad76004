import Actions
package import Care
import Foundation
package import Localization

extension Sample {
  /// Why the sample is unassigned or not taken as a measurement, with the odds, in the language of
  /// the command; `nil` if it is neither.
  package var unassignedMessage: String? {
    guard let text = unassignedText() else { return nil }
    let odds = UnassignedReason(self)?.weighing?.shares() ?? ""
    return odds.isEmpty
      ? text.message
      : LocalizedText("unassigned.withOdds", ["reason": .text(text), "odds": "\(odds)"]).message
  }
}

extension WeighingQuestion {
  /// The question with the command that answers it; `nil` if the answer settles nothing else.
  package func message(_ reader: any StoreReader) throws -> String? {
    guard let number = try reader.number(of: sample.identity) else { return nil }
    let units = try reader.preferredUnits()
    func text(_ weight: Double, _ patient: String) -> String {
      Quantity.bodyMass.text(weight, for: units[patient])
    }
    switch kind {
    case .owner:
      guard settled > 1 else { return nil }
      return LocalizedText(
        "weighings.settles", ["number": "\(number)", "settled": .init(settled)]
      ).message
    case .confirmation(let patient):
      return LocalizedText(
        "weighings.confirm",
        [
          "number": "\(number)", "patient": .verbatim(patient),
          "value": .figure(text(sample.value, patient)),
        ]
      ).message
    case .weigher(let patient):
      let numbers = try residents.compactMap { try reader.number(of: $0.latest.identity) }
      return LocalizedText(
        "weighings.weigher",
        [
          "number": .init(residents.count), "patient": .verbatim(patient),
          "weights": .list(residents.map { .figure(text($0.weight, patient)) }),
          "numbers": .list(numbers.map { "\($0)" }),
        ]
      ).message
    }
  }
}

extension [WeighingReview.Contradiction] {
  /// Which weighings look like another person's, with the command that moves or corrects them.
  ///
  /// - Parameter units: The units in which people read values, by patient.
  /// - Returns: The lines.
  package func moves(for units: [String: PreferredUnits]) -> [String] {
    func text(_ sample: Sample) -> String {
      Quantity.bodyMass.text(sample.value, for: sample.patient.flatMap { units[$0] })
    }
    let typed = filter { $0.sample.provenance == .manual }.map { found in
      let read = found.sample.patient.flatMap { units[$0] }
      let unit = read.map(Quantity.bodyMass.entryUnit) ?? Quantity.bodyMass.unit
      return LocalizedText(
        "weighings.typed",
        [
          "value": .figure(text(found.sample)), "patient": .init(found.sample.patient ?? ""),
          "number": .init(found.number.map { String($0) } ?? ""), "unit": .init(unit.name),
        ])
    }
    let measured = filter { $0.sample.provenance != .manual }
    let groups = Dictionary(grouping: measured) { Move(from: $0.sample.patient, to: $0.likelier) }
    let ordered = groups.sorted {
      ($0.key.from ?? "", $0.key.to ?? "") < ($1.key.from ?? "", $1.key.to ?? "")
    }
    let moves = ordered.map { move, found in
      let weights = found.suffix(5).map { text($0.sample) }
      let more = found.count > weights.count ? "…, " : ""
      let numbers = found.compactMap { $0.number.map { String($0) } }.joined(separator: " ")
      return LocalizedText(
        "weighings.move",
        [
          "weights": .figure(more + weights.joined(separator: ", ")),
          "patient": .init(move.from ?? ""), "numbers": "\(numbers)",
          "owner": move.to.map { "\($0)" } ?? .text("weighings.another"),
          "flags": .init(move.to.map { "--patient \($0)" } ?? "--nobody"),
        ])
    }
    return (typed + moves).map(\.message)
  }

  private struct Move: Hashable {
    var from: String?
    var to: String?
  }

  /// Who were probably taken for each other; `nil` below three weighings, which chance explains.
  package var swapped: LocalizedText? {
    guard count >= 3, let first, let last else { return nil }
    let pairs = Set(map { Move(from: $0.sample.patient, to: $0.likelier) }).sorted {
      ($0.from ?? "", $0.to ?? "") < ($1.from ?? "", $1.to ?? "")
    }.map { pair in
      LocalizedText.Value.text(
        LocalizedText(
          "weighings.pair",
          [
            "patient": .init(pair.from ?? ""),
            "other": pair.to.map { "\($0)" } ?? .text("weighings.strangers"),
          ]))
    }
    return LocalizedText(
      "weighings.swapped",
      [
        "number": .init(count), "first": .init(first.sample.start.rfc3339(in: .gmt)),
        "last": .init(last.sample.start.rfc3339(in: .gmt)), "pairs": .list(pairs),
      ])
  }
}
