package import Care
package import Foundation
import Hub
package import Localization
package import Logging

// MARK: - For a person who reads along

extension HubReport {
  /// The report with the measured values; times are printed in `timeZone`.
  ///
  /// - Returns: `nil` for a frame or a reading that is lost, which has a ``rejection``.
  ///
  /// - Parameters:
  ///   - timeZone: The zone of times.
  ///   - units: The units in which people read values, by patient.
  package func text(in timeZone: TimeZone, for units: [String: PreferredUnits] = [:]) -> String? {
    func string(_ text: LocalizedText) -> String { text.message }
    func clock(_ date: Date) -> String { date.toTheSecond(in: timeZone) }
    func said(_ progress: EventProgress, of event: Event) -> String {
      Console.language.progress(progress, of: event, for: units[event.task.patient])
    }
    return switch self {
    case .stored(let sample):
      "\(clock(sample.start))  \(sample.summary(for: units))  \(sample.patient ?? "")"
        + (sample.hasDistrustedClock ? "  (" + string("hub.distrustedClock") + ")" : "")
        + (sample.context.text.map { "  (\($0))" } ?? "")
    case .unassigned(let sample):
      "\(clock(sample.start))  \(sample.summary(for: units))  "
        + string(LocalizedText("hub.unassigned", ["reason": "\(sample.unassignedMessage ?? "")"]))
    case .notTaken(let sample):
      "\(clock(sample.start))  \(sample.summary(for: units))  "
        + string(LocalizedText("hub.notTaken", ["reason": "\(sample.unassignedMessage ?? "")"]))
    case .disowned(let sample):
      "\(clock(sample.start))  \(sample.summary(for: units))  " + string("hub.disowned")
    case .duplicate(let reading):
      "\(clock(reading.arrival))  \(reading.quantity.title) "
        + "\(reading.quantity.text(reading.value))  " + string("hub.duplicate")
    case .passedOver: nil
    case .progressed(let event, let progress, let sample):
      "\(clock(sample.end))  … \(event.task.title): \(said(progress, of: event))"
        + "  \(event.task.patient)"
    case .completed(let event, let progress, let sample):
      "\(clock(sample.end))  ✓ \(event.task.title): \(said(progress, of: event))"
        + "  \(event.task.patient)"
    case .notMeasured(let event, let reason):
      string(
        LocalizedText(
          "hub.notMeasured",
          ["task": "\(event.task.title)", "reason": .text(reason.localized)]))
    case .device(let note): note.message
    case .wrongClock(let reading, let error): reading.message(ofClockError: error)
    case .clockSet(let jump): Self.message(ofClockSetBy: jump)
    case .linkFailed(let report): report.message
    case .radioRefused(let error): error.message
    case .refusedOutcome(_, let refusal): refusal.message
    case .uncounted(let reading, let reason):
      "\(clock(reading.arrival))  \(reading.quantity.title): "
        + string(
          LocalizedText(
            "hub.total",
            [
              "total": "\(reading.quantity.text(reading.value))",
              "reason": .text(reason.localized),
            ]))
    case .rejected, .refusedReading: nil
    }
  }

  /// The message of a jump: `This machine's clock was set back by 23:59:55`.
  private static func message(ofClockSetBy jump: TimeInterval) -> String {
    let seconds = Int(saturating: min(abs(jump), 1e12).rounded())
    let parts = [seconds / 3600 % 24, seconds / 60 % 60, seconds % 60].map {
      $0 < 10 ? "0\($0)" : "\($0)"
    }
    let days = seconds / 86_400
    let size = (days > 0 ? "\(days) d " : "") + parts.joined(separator: ":")
    return LocalizedText(jump < 0 ? "hub.clockSetBack" : "hub.clockSetForward", ["size": "\(size)"])
      .message
  }

  /// The message for a frame that cannot be read or a reading that the store refuses; `nil` for
  /// every other report.
  package var rejection: String? {
    switch self {
    case .rejected(let frame): frame.message
    case .refusedReading(let reading, let refusal):
      LocalizedText(
        "hub.refusedReading",
        ["address": "\(reading.device.address)", "reason": "\(refusal.message)"]
      ).message
    default: nil
    }
  }

  /// Whether it recurs every second or minute, or accompanies a report that says more.
  package var isRoutine: Bool {
    switch self {
    case .stored(let sample):
      return sample.quantity == .stepCount || sample.quantity == .heartRate
        || sample.quantity == .rrInterval || (sample.kind ?? "range") != "range"
    case .progressed(_, _, let sample): return sample.quantity == .stepCount
    default: return false
    }
  }
}

// MARK: - For the log

extension HubReport {
  /// How much the report matters to a reader of the log.
  ///
  /// Measured values are private: they appear at `debug` only. `today` and `samples` show them to
  /// users who may open the store.
  package var logLevel: Logger.Level {
    switch self {
    case .rejected, .refusedReading, .clockSet: .warning
    case .unassigned, .notTaken, .notMeasured, .device, .linkFailed, .radioRefused, .refusedOutcome,
      .wrongClock:
      .notice
    case .completed: .info
    case .stored: isRoutine ? .debug : .info
    case .uncounted(_, let reason): reason == .first ? .debug : .notice
    case .duplicate, .progressed, .disowned, .passedOver: .debug
    }
  }

  /// The log's text at the logger's `level`: without values above `debug`.
  package func logText(at level: Logger.Level, in timeZone: TimeZone) -> String {
    if level <= .debug, let text = text(in: timeZone) { return text }
    func said(_ key: String, _ values: [String: LocalizedText.Value]) -> String {
      LocalizedText(key, values).message
    }
    return switch self {
    case .stored(let sample):
      said(
        sample.patient == nil ? "hub.log.storedForNobody" : "hub.log.stored",
        ["quantity": .quantity(sample.quantity), "patient": "\(sample.patient ?? "")"])
    case .unassigned(let sample):
      // The reason compares values, so it stays in the store.
      said("hub.log.unassigned", ["quantity": .quantity(sample.quantity)])
    case .notTaken(let sample):
      said(
        "hub.log.notTaken",
        ["quantity": .quantity(sample.quantity), "address": "\(sample.device.address)"])
    case .disowned(let sample):
      said("hub.log.disowned", ["quantity": .quantity(sample.quantity)])
    case .duplicate(let reading):
      said("hub.log.duplicate", ["quantity": .quantity(reading.quantity)])
    case .passedOver(let reading):
      said(
        "hub.log.passedOver",
        ["quantity": .quantity(reading.quantity), "address": "\(reading.device.address)"])
    case .uncounted(let reading, let reason):
      said(
        "hub.log.uncounted",
        [
          "quantity": .quantity(reading.quantity), "address": "\(reading.device.address)",
          "reason": .text(reason.localized),
        ])
    case .progressed(let event, _, _):
      said(
        "hub.log.progressed", ["task": "\(event.task.title)", "patient": "\(event.task.patient)"])
    case .completed(let event, _, _):
      said(
        "hub.log.completed", ["task": "\(event.task.title)", "patient": "\(event.task.patient)"])
    // The text of a fault has no measured values.
    case .notMeasured, .device, .linkFailed, .radioRefused, .refusedOutcome, .rejected,
      .refusedReading, .wrongClock, .clockSet:
      text(in: timeZone) ?? rejection ?? ""
    }
  }
}

// MARK: - Running totals

extension UncountedReason {
  /// Why nothing was counted.
  fileprivate var localized: LocalizedText {
    switch self {
    case .first: "hub.uncounted.first"
    case .gap: "hub.uncounted.gap"
    case .implausible: "hub.uncounted.implausible"
    }
  }
}

// MARK: - Clocks

extension Reading {
  /// The problem with the device's clock, which is ahead by `error` seconds.
  fileprivate func message(ofClockError error: TimeInterval) -> String {
    LocalizedText(
      "hub.wrongClock",
      [
        "address": "\(device.address)", "difference": .text(Self.difference(error)),
        "time": deviceTime.map { "\($0)" } ?? .text("hub.noTime"),
      ]
    ).message
  }

  /// `3 days ahead`, `1 hour behind`.
  package static func difference(_ error: TimeInterval) -> LocalizedText {
    LocalizedText(
      error > 0 ? "hub.ahead" : "hub.behind", ["duration": .text(duration(abs(error)))])
  }

  /// `3 days`, `1 hour`, `12 minutes`: the largest unit is enough.
  private static func duration(_ seconds: TimeInterval) -> LocalizedText {
    let units = [
      ("hub.years", 31_557_600.0), ("hub.days", 86_400), ("hub.hours", 3_600), ("hub.minutes", 60),
    ]
    let (key, length) = units.first { seconds >= $0.1 * 0.99 } ?? ("hub.minutes", 60)
    let count = Int(saturating: max(1, (seconds / length).rounded()))
    return LocalizedText(key, count: count)
  }
}
