import Care
import Foundation
import Hub

extension Sample {
  /// Why the sample is unassigned, for people; `nil` if it is not.
  var unassignedMessage: String? {
    UnassignedWeighing(self)?.message(reading.quantity.text(reading.value)) ?? unassignedReason
  }
}

extension UnassignedWeighing {
  /// What is uncertain about a weight, with the odds.
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
      case .housemate: "\(weight) fits a person of whom nothing is stored"
      case .stranger: "\(weight) is far from the weight of every person in the plan"
      case .otherPatient: "\(weight) is the weight of \(first), to whom the scale is not bound"
      }
    guard !odds.isEmpty else { return text }
    let shares = odds.map { "\($0.patient) \(Int(($0.probability * 100).rounded())) %" }
    return text + " (" + shares.joined(separator: ", ") + ")"
  }
}

extension [WeighingReview.Contradiction] {
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
