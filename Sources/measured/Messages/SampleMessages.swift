import Care
import Foundation
import Interchange
import Localization
import StrictYAML

extension NumberedSample {
  /// The remark beside its value: what it corrects, why it is unassigned or does not count, and the
  /// reason that a person gave.
  func remark(for units: [String: PreferredUnits]) -> String {
    let corrected = origin.map { origin in
      "corrects \(sample.quantity.text(origin.value, for: sample.patient.flatMap { units[$0] }))"
        + (origin.number.map { " (id \($0))" } ?? "")
    }
    let parts = [
      sample.state == .live
        ? nil : sample.state == .notTaken ? "not taken as a measurement" : sample.state.rawValue,
      corrected,
      sample.provenance == .manual && sample.corrects == nil ? "entered by hand" : nil,
      sample.context.text, sample.unassignedMessage,
      sample.hasDistrustedClock ? "clock not trusted" : nil,
      reason.map { "“\($0)”" },
    ]
    return parts.compactMap(\.self).joined(separator: "; ")
  }
}

extension MeasurementContext {
  /// Its parts in words, `irregular pulse, cuff too loose`; `nil` if there are none.
  var text: String? {
    isEmpty ? nil : Console.language.remarks(of: self).joined(separator: ", ")
  }
}

extension SampleChange {
  /// The effect on the samples.
  var text: String {
    switch self {
    case .assign(let patient): "assigned to \(patient)"
    case .unassign: "back in the tray, unassigned"
    case .disown: "assigned to nobody"
    case .delete: "deleted"
    case .restore: "restored"
    }
  }
}

extension NumberedSample {
  /// The sample after a change:
  /// `12  Weight 61.75 kg of 2026-11-20T07:09:54-08:00: assigned to john`.
  func text(
    after change: SampleChange, in timeZone: TimeZone, for units: [String: PreferredUnits]
  ) -> String {
    "\(number.map(String.init) ?? "–")  \(sample.summary(for: units)) of"
      + " \(sample.start.toTheSecond(in: timeZone)): \(change.text)"
  }

  /// Why it was changed with the samples of these numbers, which a person named; empty for one of
  /// them, and if none was named.
  func kinship(to named: [Int64]) -> String {
    guard !named.isEmpty, !(number.map(named.contains) ?? false) else { return "" }
    return sample.corrects == nil ? ", as it was measured with it" : ", as its correction"
  }
}

extension CommandFailure {
  /// A device has no samples; `known` are the addresses that the plan binds.
  static func unknownDevice(_ device: DeviceID, known: [String]) -> CommandFailure {
    CommandFailure(
      .unknown,
      "There are no samples of the device ‘\(device)’"
        + Spelling.suggestion(for: device.text, among: known)
        + (known.isEmpty ? "." : ". The plan binds \(known.uniqued().quoted)."))
  }
}
