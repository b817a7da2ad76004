import Care
import Foundation
import Hub
import Localization
import Logging

// MARK: - For a person who reads along

extension HubReport {
  /// The report with the measured values; times are printed in `timeZone`.
  ///
  /// - Returns: `nil` for a frame or a reading that is lost, which has a ``rejection``.
  ///
  /// - Parameters:
  ///   - timeZone: The zone of times.
  ///   - units: The units in which people read values, by patient.
  func text(in timeZone: TimeZone, for units: [String: PreferredUnits] = [:]) -> String? {
    func clock(_ date: Date) -> String { date.toTheSecond(in: timeZone) }
    return switch self {
    case .stored(let sample):
      "\(clock(sample.start))  \(sample.summary(for: units))  \(sample.patient ?? "")"
        + (sample.hasDistrustedClock ? "  (the device's clock is not trusted)" : "")
        + (sample.context.text.map { "  (\($0))" } ?? "")
    case .unassigned(let sample):
      "\(clock(sample.start))  \(sample.summary(for: units))  unassigned: \(sample.unassignedMessage ?? "")"
    case .disowned(let sample):
      "\(clock(sample.start))  \(sample.summary(for: units))  of a person of whom nothing is stored"
    case .duplicate(let reading):
      "\(clock(reading.arrival))  \(reading.quantity.title) "
        + "\(reading.quantity.text(reading.value))  stored already"
    case .passedOver: nil
    case .progressed(let event, let progress, let sample):
      "\(clock(sample.end))  … \(event.task.title): \(progress.text(of: event, by: sample, units))"
        + "  \(event.task.patient)"
    case .completed(let event, let progress, let sample):
      "\(clock(sample.end))  ✓ \(event.task.title): \(progress.text(of: event, by: sample, units))"
        + "  \(event.task.patient)"
    case .notMeasured(let event, let reason):
      "‘\(event.task.title)’ was not measured: \(reason.message)"
    case .device(let note): note.message
    case .wrongClock(let reading, let error): reading.message(ofClockError: error)
    case .clockSet(let jump): Self.message(ofClockSetBy: jump)
    case .linkFailed(let report): report.message
    case .radioRefused(let error): error.message
    case .refusedOutcome(_, let refusal): refusal.message
    case .uncounted(let reading, let reason):
      "\(clock(reading.arrival))  \(reading.quantity.title): the total is "
        + "\(reading.quantity.text(reading.value)), \(reason.message)"
    case .rejected, .refusedReading: nil
    }
  }

  /// The message of a jump: `This machine's clock was set back by 23:59:55`.
  private static func message(ofClockSetBy jump: TimeInterval) -> String {
    let seconds = Int(min(abs(jump), 1e12).rounded())
    let parts = [seconds / 3600 % 24, seconds / 60 % 60, seconds % 60].map {
      $0 < 10 ? "0\($0)" : "\($0)"
    }
    let days = seconds / 86_400
    let size = (days > 0 ? "\(days) d " : "") + parts.joined(separator: ":")
    return "This machine's clock was set \(jump < 0 ? "back" : "forward") by \(size)."
  }

  /// The message for a frame that cannot be read or a reading that the store refuses; `nil` for
  /// every other report.
  var rejection: String? {
    switch self {
    case .rejected(let frame): frame.message
    case .refusedReading(let reading, let refusal):
      "A reading of \(reading.device.address) was not stored: \(refusal.message)"
    default: nil
    }
  }

  /// Whether it recurs every second or minute, or accompanies a report that says more.
  var isRoutine: Bool {
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
  var logLevel: Logger.Level {
    switch self {
    case .rejected, .refusedReading, .clockSet: .warning
    case .unassigned, .notMeasured, .device, .linkFailed, .radioRefused, .refusedOutcome,
      .wrongClock:
      .notice
    case .completed: .info
    case .stored: isRoutine ? .debug : .info
    case .uncounted(_, let reason): reason == .first ? .debug : .notice
    case .duplicate, .progressed, .disowned, .passedOver: .debug
    }
  }

  /// The log's text at the logger's `level`: without values above `debug`.
  func logText(at level: Logger.Level, in timeZone: TimeZone) -> String {
    if level <= .debug, let text = text(in: timeZone) { return text }
    return switch self {
    case .stored(let sample):
      "\(sample.quantity.title) of \(sample.patient ?? "no patient") stored"
    case .unassigned(let sample):
      // The reason compares values, so it stays in the store.
      "\(sample.quantity.title) is unassigned. See measured samples --unassigned."
    case .disowned(let sample): "\(sample.quantity.title) is of no patient"
    case .duplicate(let reading):
      "\(reading.quantity.title) was stored already"
    case .passedOver(let reading):
      "\(reading.quantity.title) was not stored: \(reading.device.address) is no patient's"
    case .uncounted(let reading, let reason):
      "\(reading.quantity.title) of \(reading.device.address): \(reason.message)"
    case .progressed(let event, _, _):
      "\(event.task.title) of \(event.task.patient) progressed"
    case .completed(let event, _, _):
      "\(event.task.title) of \(event.task.patient) is complete"
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
  fileprivate var message: String {
    switch self {
    case .first: "the first one of this device; what is added from now on is counted"
    case .gap:
      "and the one before is more than a day old; what was added between belongs to no day, and "
        + "is not counted"
    case .implausible: "more than a person can have done since the one before; it is not counted"
    }
  }
}

// MARK: - Clocks

extension Reading {
  /// The problem with the device's clock, which is ahead by `error` seconds.
  fileprivate func message(ofClockError error: TimeInterval) -> String {
    "The clock of \(device.address) is \(Self.difference(error)): it shows "
      + "\(deviceTime?.description ?? "no time"). Its readings are filed by the time at which they "
      + "arrive. Set the clock of the device, or leave it."
  }

  /// `3 days ahead`, `1 hour behind`.
  static func difference(_ error: TimeInterval) -> String {
    "\(duration(abs(error))) \(error > 0 ? "ahead" : "behind")"
  }

  /// `3 days`, `1 hour`, `12 minutes`: the largest unit is enough.
  private static func duration(_ seconds: TimeInterval) -> String {
    let units = [("year", 31_557_600.0), ("day", 86_400), ("hour", 3_600), ("minute", 60)]
    let (name, length) = units.first { seconds >= $0.1 * 0.99 } ?? ("minute", 60)
    let count = Int(max(1, (seconds / length).rounded()))
    return "\(count) \(name)\(count == 1 ? "" : "s")"
  }
}

extension EventProgress {
  /// The progress that a sample made: `22 of 30`, `63.9 kg`, `done`.
  fileprivate func text(
    of event: Event, by sample: Sample, _ units: [String: PreferredUnits]
  ) -> String {
    let units = units[event.task.patient]
    func text(_ number: Double, in unit: UnitOfMeasure?) -> String {
      sample.quantity.text(number, in: unit, for: units)
    }
    guard let goal else { return isCompleted ? "done" : "open" }
    let target = event.targets.first?.unit ?? event.task.linkage?.unit
    return "\(text(value, in: target)) of \(text(goal, in: target))" + (isCompleted ? ", done" : "")
  }
}
