import Care
import Foundation
import Hub
import Logging

extension HubReport {
  /// How much the report matters to whoever reads the log.
  ///
  /// What was measured is nobody's business but the patient's, so values are told at `debug` only;
  /// `today` and `samples` show them to those who may open the store.
  var logLevel: Logger.Level {
    switch self {
    case .rejected, .refusedReading: .warning
    case .unassigned, .notMeasured, .note, .refusedOutcome: .notice
    case .completed: .info
    case .stored: isRoutine ? .debug : .info
    case .duplicate, .progressed: .debug
    }
  }

  /// What the log says: no values above `debug`.
  func logText(at level: Logger.Level, in timeZone: TimeZone) -> String {
    if level <= .debug, let text = text(in: timeZone) { return text }
    return switch self {
    case .stored(let sample):
      "\(sample.quantity.title) of \(sample.patient ?? "nobody") kept"
    case .unassigned(let sample):
      "\(sample.quantity.title) is nobody's yet: \(sample.unassignedReason ?? "")"
        + " See measured samples --unassigned."
    case .duplicate(let reading):
      "\(reading.quantity.title) was known already"
    case .progressed(let event, _, _):
      "\(event.task.title) of \(event.task.patient) came nearer to its goal"
    case .completed(let event, _, _):
      "\(event.task.title) of \(event.task.patient) is complete"
    case .notMeasured(let event, let reason):
      "‘\(event.task.title)’ was not measured: \(reason.message)"
    case .note(let text): text
    case .rejected(let device, let reason): "\(device) sent what cannot be read: \(reason)"
    case .refusedReading(let reading, let refusal):
      "A reading of \(reading.device.address) was not stored: \(refusal.message)"
    case .refusedOutcome(_, let refusal): refusal.message
    }
  }
}
