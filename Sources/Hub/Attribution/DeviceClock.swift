import Care
import Foundation

/// Decides when a reading was taken: by the device's clock where it can be believed, else on arrival.
struct DeviceClock {
  /// How far ahead of us a device's clock may be.
  static let tolerance: TimeInterval = 300

  /// A clock that shows a year before this one has lost its time: the epochs that devices fall
  /// back to (1970, 2000, 2010) all lie before, and no recording does.
  static let earliestYear = 2015

  /// The zone that device clocks keep: the plan's.
  var timeZone: TimeZone

  /// What a device's clock is worth.
  struct Verdict: Hashable {
    /// When the reading was taken, as far as is known.
    var start: Date
    /// Whether that is the device's own time, or the arrival of what needs no clock.
    var isTrusted: Bool
  }

  /// When `reading` was taken.
  func verdict(on reading: Reading) -> Verdict {
    if let interval = reading.interval { return Verdict(start: interval.start, isTrusted: true) }
    guard let deviceTime = reading.deviceTime else {
      return Verdict(start: reading.arrival, isTrusted: reading.isStreamed)
    }
    guard deviceTime.year >= Self.earliestYear, let time = deviceTime.resolved(in: timeZone),
      time <= reading.arrival.addingTimeInterval(Self.tolerance)
    else { return Verdict(start: reading.arrival, isTrusted: false) }
    return Verdict(start: time, isTrusted: true)
  }
}
