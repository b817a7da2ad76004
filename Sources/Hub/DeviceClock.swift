import Care
import Foundation

/// Decides when a reading was taken: at the time of the device's clock if that can be true,
/// otherwise on arrival.
///
/// What is broadcast happens now: its device's time is more exact than the arrival if both agree,
/// and wrong if they do not. What comes over a link may have waited in the device's memory: an
/// older time holds, if it can be true.
struct DeviceClock {
  /// The most by which the clock of a device that sends live may differ, and by which any may be
  /// ahead, in seconds.
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
    /// By how many seconds the device's clock is ahead, if that is why it is not trusted.
    var error: TimeInterval?
  }

  /// What earlier readings of a device say of its clock.
  struct History: Hashable {
    /// The latest trusted time of the records that an earlier connection fetched: a later one sends
    /// what was measured since.
    var lastFetched: Date?
    /// By how many seconds the clock was ahead when it was last seen live, if it was wrong.
    var error: TimeInterval?
  }

  /// The time of `reading`.
  ///
  /// - Parameters:
  ///   - reading: A reading.
  ///   - history: What is known of the clock of a device that sends stored records.
  /// - Returns: The time of the reading.
  func verdict(on reading: Reading, _ history: History = History()) -> Verdict {
    if let interval = reading.interval { return Verdict(start: interval.start, isTrusted: true) }
    guard let deviceTime = reading.deviceTime else {
      return Verdict(start: reading.arrival, isTrusted: reading.isStreamed)
    }
    // Of a time that occurs twice, the arrival tells which it is.
    let latest = reading.arrival + Self.tolerance
    let instants = deviceTime.instants(in: timeZone)
    guard let time = instants.last(where: { $0 <= latest }) ?? instants.first else {
      return Verdict(start: reading.arrival, isTrusted: false)
    }
    let error = time.timeIntervalSince(reading.arrival)
    let unknown = Verdict(start: reading.arrival, isTrusted: false, error: error)
    if reading.isBroadcast {
      guard abs(error) <= Self.tolerance else { return unknown }
      // Of two clocks that are on different days, this machine's says which day it is.
      let isOneDay = LocalDateTime(reading.arrival, in: timeZone).isSameDay(as: deviceTime)
      return Verdict(start: isOneDay ? time : reading.arrival, isTrusted: true)
    }
    func canBeTrue(_ time: Date) -> Bool {
      time <= latest && history.lastFetched.map { $0 <= time } ?? true
    }
    if let known = history.error {
      // The record was stamped by the clock that was seen to be wrong.
      let corrected = time - known
      guard canBeTrue(corrected) else { return unknown }
      return Verdict(start: corrected, isTrusted: false)
    }
    guard deviceTime.year >= Self.earliestYear, canBeTrue(time) else { return unknown }
    return Verdict(start: time, isTrusted: true)
  }
}

extension LocalDateTime {
  fileprivate func isSameDay(as other: LocalDateTime) -> Bool {
    (year, month, day) == (other.year, other.month, other.day)
  }
}
