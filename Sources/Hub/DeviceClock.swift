import Care
import Foundation

/// Decides when a reading was taken: at the time of the device's clock if that can be true,
/// otherwise on arrival.
struct DeviceClock {
  /// The most that a device's clock may be ahead, in seconds.
  static let tolerance: TimeInterval = 300

  /// A clock that shows an earlier year has lost its time: the epochs to which devices reset (1970,
  /// 2000, 2010) all lie before.
  static let earliestYear = 2015

  /// The zone of device clocks: the plan's.
  var timeZone: TimeZone

  /// The time of a reading, and whether it is trusted.
  struct Verdict: Hashable {
    /// The time of the reading.
    var start: Date
    /// Whether it is the device's own time, or the arrival of a reading that needs no clock.
    var isTrusted: Bool
  }

  /// The time of `reading`.
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
