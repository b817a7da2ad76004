import Care
import Foundation
import Hub

extension HubReport {
  /// What happened, for people, with what was measured; `nil` for what cannot be read, which is
  /// told apart.
  func text(in timeZone: TimeZone) -> String? {
    func clock(_ date: Date) -> String { date.toTheSecond(in: timeZone) }
    return switch self {
    case .stored(let sample):
      "\(clock(sample.start))  \(sample.summary)  \(sample.patient ?? "")"
        + (sample.isClockTrusted ? "" : "  (the device's clock is not believed)")
    case .unassigned(let sample):
      "\(clock(sample.start))  \(sample.summary)  unassigned: \(sample.unassignedReason ?? "")"
    case .duplicate(let reading):
      "\(clock(reading.arrival))  \(reading.quantity.title) "
        + "\(reading.quantity.text(reading.value))  known already"
    case .progressed(let event, let progress, let sample):
      "\(clock(sample.end))  … \(event.task.title): \(progress.text)  \(event.task.patient)"
    case .completed(let event, let progress, let sample):
      "\(clock(sample.end))  ✓ \(event.task.title): \(progress.text)  \(event.task.patient)"
    case .notMeasured(let event, let reason):
      "‘\(event.task.title)’ was not measured: \(reason.message)"
    case .note(let text): text
    case .refusedOutcome(_, let refusal): refusal.message
    case .rejected, .refusedReading: nil
    }
  }

  /// Whether it comes again every second or minute, or beside something that says more.
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

extension Date {
  /// The time to the second, as people read it.
  func toTheSecond(in timeZone: TimeZone) -> String {
    addingTimeInterval(-timeIntervalSince1970.truncatingRemainder(dividingBy: 1))
      .rfc3339(in: timeZone)
  }
}
