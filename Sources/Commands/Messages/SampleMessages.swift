import Care
import Foundation
import Interchange
import Localization
import StrictYAML
import Terminal

extension NumberedSample {
  /// The remark beside its value: what it corrects, why it is unassigned or does not count, and the
  /// reason that a person gave.
  func remark(for units: [String: PreferredUnits]) -> String {
    let words = Console.language
    let corrected = origin.map { origin in
      LocalizedText(
        origin.number == nil ? "sample.corrects" : "sample.correctsNumber",
        [
          "value": .figure(
            sample.quantity.text(origin.value, for: sample.patient.flatMap { units[$0] }))
        ]
      ).with("number", .init(origin.number.map { String($0) } ?? "")).message
    }
    let parts = [
      sample.state == .live ? nil : words.text("quantityPage.state." + sample.state.rawValue),
      corrected,
      sample.provenance == .manual && sample.corrects == nil ? words.text("source.manual") : nil,
      sample.context.text, sample.unassignedMessage,
      sample.hasDistrustedClock ? words.text("source.doubt") : nil,
      reason.map { words.text("sample.because", ["reason": $0]) },
    ]
    return parts.compactMap(\.self).joined(separator: "; ")
  }
}

extension SampleChange {
  /// The effect on the samples.
  var localized: LocalizedText {
    switch self {
    case .assign(let patient): LocalizedText("sample.assigned", ["patient": "\(patient)"])
    case .unassign: "sample.unassigned"
    case .disown: "sample.disowned"
    case .delete: "sample.deleted"
    case .restore: "sample.restored"
    }
  }
}

extension NumberedSample {
  /// The sample after a change:
  /// `12  Weight 61.75 kg of 2026-11-20T07:09:54-08:00: assigned to john`.
  func text(
    after change: SampleChange, in timeZone: TimeZone, for units: [String: PreferredUnits]
  ) -> String {
    LocalizedText(
      "sample.changed",
      [
        "number": .init(number.map { String($0) } ?? "–"),
        "sample": .init(sample.summary(for: units)),
        "time": .init(sample.start.toTheSecond(in: timeZone)), "change": .text(change.localized),
      ]
    ).message
  }

  /// Why it was changed with the samples of these numbers, which a person named; empty for one of
  /// them, and if none was named.
  func kinship(to named: [Int64]) -> String {
    guard !named.isEmpty, !(number.map(named.contains) ?? false) else { return "" }
    return Console.language.text(
      sample.corrects == nil ? "sample.withIt" : "sample.asCorrection")
  }
}

extension CommandFailure {
  /// A device has no samples; `known` are the addresses that the plan binds.
  static func unknownDevice(_ device: DeviceID, known: [String]) -> CommandFailure {
    CommandFailure(
      .unknown,
      LocalizedText(
        known.isEmpty ? "store.unknown.device" : "command.sample.unknownDevice",
        [
          "device": "\(device)", "suggestion": .suggestion(for: device.text, among: known),
          "known": .quoted(known.uniqued()),
        ]))
  }
}
