import Actions
import Care
import Foundation
import Localization
import Localization

extension Sample {
  /// Why the sample is unassigned or not taken as a measurement, for people; `nil` if it is neither.
  var unassignedMessage: String? {
    if let rule = reading.discardedBy {
      return rule == Reading.constant
        ? LocalizedText("hub.constant").message
        : LocalizedText("hub.discarded", ["rule": "\(rule)"]).message
    }
    if state == .notTaken {
      return reading.quantity.refusal(
        of: reading.value, in: reading.quantity.unit, task: nil
      ).message
    }
    return UnassignedWeighing(self)?.message(reading.quantity.text(reading.value))
      ?? unassignedReason
  }
}

extension UnassignedWeighing {
  /// The doubt about a weight, with the odds.
  func message(_ weight: String) -> String {
    let names = patients.joined(separator: " and ")
    let first = patients.first ?? ""
    let usual = expected.map { ", about \(Quantity.bodyMass.text($0))" } ?? ""
    let text =
      switch doubt {
      case .alike: "\(weight) fits \(names); assign it by hand"
      case .far: "\(weight) is far from the weight of \(first)\(usual)"
      case .changed:
        "\(weight) fits \(first) only if the weight\(usual) has changed; assign it by hand to confirm"
      case .unknown:
        "\(weight) could be of \(first), whose weight is not known; assign it by hand"
      case .witness: "\(weight) fits \(first), but \(witness?.message ?? "")"
      case .unclear:
        (odds.first?.probability ?? 0) >= 0.5
          ? "\(weight) is probably of \(first), not clear enough; assign it by hand"
          : "\(weight) fits \(first), and a person who is not in the plan"
      case .housemate: "\(weight) fits a person of whom nothing is stored"
      case .stranger: "\(weight) is far from the weight of every person in the plan"
      case .otherPatient: "\(weight) is the weight of \(first), to whom the scale is not bound"
      }
    // Rounded down: 98.9 % is not the 99 % that assign.
    let shares = odds.filter { $0.probability >= 0.01 }
      .map { "\($0.patient) \(Int(saturating: $0.probability * 100)) %" }
    guard !shares.isEmpty else { return text }
    return text + " (" + shares.joined(separator: ", ") + ")"
  }
}

extension UnassignedWeighing.Witness {
  /// `the body impedance is 560 Ω, usually about 510 Ω`.
  fileprivate var message: String {
    let quantity = Quantity(rawValue: quantity)
    let text = { (value: Double) in quantity?.text(value.rounded()) ?? "\(value)" }
    return
      "the \(quantity?.title.lowercased() ?? self.quantity) is \(text(measured)), usually about"
      + " \(text(expected))"
  }
}

extension [WeighingReview.Contradiction] {
  /// Which weighings look like another person's, with the command that moves or corrects them.
  ///
  /// - Parameter units: The units in which people read values, by patient.
  /// - Returns: The lines.
  func moves(for units: [String: PreferredUnits]) -> [String] {
    func text(_ sample: Sample) -> String {
      Quantity.bodyMass.text(sample.value, for: sample.patient.flatMap { units[$0] })
    }
    let typed = filter { $0.sample.provenance == .manual }.map { found in
      let read = found.sample.patient.flatMap { units[$0] }
      let unit = read.map(Quantity.bodyMass.entryUnit) ?? Quantity.bodyMass.unit
      return "\(text(found.sample)), typed for \(found.sample.patient ?? ""), does"
        + " not fit. If it is mistyped: measured samples correct"
        + " \(found.number.map(String.init) ?? "") --value … --unit \(unit.name)"
    }
    let measured = filter { $0.sample.provenance != .manual }
    let groups = Dictionary(grouping: measured) { Move(from: $0.sample.patient, to: $0.likelier) }
    let ordered = groups.sorted {
      ($0.key.from ?? "", $0.key.to ?? "") < ($1.key.from ?? "", $1.key.to ?? "")
    }
    return typed
      + ordered.map { move, found in
        let weights = found.suffix(5).map { text($0.sample) }
        let more = found.count > weights.count ? "…, " : ""
        let owner = move.to ?? "another person"
        let target = move.to.map { "--patient \($0)" } ?? "--nobody"
        let numbers = found.compactMap { $0.number.map(String.init) }.joined(separator: " ")
        return "\(more)\(weights.joined(separator: ", ")) of \(move.from ?? ""): probably of"
          + " \(owner). To move: measured samples assign \(numbers) \(target)"
      }
  }

  private struct Move: Hashable {
    var from: String?
    var to: String?
  }

  /// Who were probably taken for each other; `nil` below three weighings, which chance explains.
  var message: String? {
    guard count >= 3, let first, let last else { return nil }
    let pairs = Set(
      map { "\($0.sample.patient ?? "") for \($0.likelier ?? "a person not in the plan")" })
    return "\(count) weighings since \(first.sample.start.rfc3339(in: .gmt)), the last of"
      + " \(last.sample.start.rfc3339(in: .gmt)), were probably assigned to the wrong person: "
      + pairs.sorted().joined(separator: ", ")
  }
}
