import Care
import Foundation
import StrictYAML

extension Sample {
  /// What is to be said of it beside its value: why it is unassigned, or does not count.
  var remark: String {
    let parts = [
      state == .live ? nil : state.rawValue, corrects == nil ? nil : "correction",
      provenance == .manual && corrects == nil ? "entered by hand" : nil, unassignedReason,
      isClockTrusted ? nil : "clock not trusted",
    ]
    return parts.compactMap(\.self).joined(separator: "; ")
  }
}

extension SampleChange {
  /// What happened to the samples.
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
  /// The sample after a change: `12  Weight 61.75 kg of 2026-11-20T07:09:54-08:00: assigned to john`.
  func text(after change: SampleChange, in timeZone: TimeZone) -> String {
    "\(number.map(String.init) ?? "–")  \(sample.summary) of"
      + " \(sample.start.toTheSecond(in: timeZone)): \(change.text)"
  }
}

extension CommandFailure {
  /// A quantity is not measured in that unit.
  static func otherUnit(_ unit: UnitOfMeasure?, of quantity: Quantity) -> CommandFailure {
    CommandFailure(
      .refused,
      "\(quantity.title) is measured in \(quantity.unit.code), not in \(unit?.code ?? "1").")
  }

  /// A device has no samples; `known` are the addresses that the plan binds.
  static func unknownDevice(_ device: DeviceID, known: [String]) -> CommandFailure {
    CommandFailure(
      .unknown,
      "There are no samples of the device ‘\(device)’"
        + Spelling.suggestion(for: device.text, among: known)
        + (known.isEmpty ? "." : ". The plan binds \(known.uniqued().quoted)."))
  }
}
