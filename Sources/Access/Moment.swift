package import Foundation

/// A moment on both clocks of a machine.
package struct Moment: Hashable, Sendable {
  /// The time of day: the clock that people and time servers set.
  package let time: Date
  /// The time since the machine started, in seconds: never set, never runs backwards, counts
  /// suspension (Linux: `CLOCK_BOOTTIME`).
  package let uptime: TimeInterval

  /// Makes a moment.
  package init(time: Date, uptime: TimeInterval) {
    self.time = time
    self.uptime = uptime
  }
}

/// Seconds that sessions, tokens and claim codes age by.
///
/// The count never decreases. While the program runs it grows at least as fast as the uptime, so
/// that a clock set back extends nothing. It also grows when the time of day passes the latest time
/// seen so far: that counts the time while the program was off, and a machine without a clock of
/// its own that learns the time late. A clock set forward by mistake ends sessions early; it never
/// makes the following ones longer or shorter.
///
/// Not counted: time while the program is off, as far as the clock is set back meanwhile.
struct AgeCounter: Hashable, Sendable {
  /// Seconds so far.
  private(set) var seconds: TimeInterval
  /// The latest time of day that was seen.
  private(set) var latest: Date
  /// The uptime at the last count; `nil` after reading a file.
  private var uptime: TimeInterval?

  /// Starts at 0, or continues from a file.
  init(seconds: TimeInterval = 0, latest: Date) {
    self.seconds = seconds
    self.latest = latest
  }

  /// Counts up to `moment`.
  mutating func advance(to moment: Moment) {
    let passed = max(0, moment.uptime - (uptime ?? moment.uptime))
    let gained = max(0, moment.time.timeIntervalSince(latest))
    seconds += max(passed, gained)
    latest = max(latest, moment.time)
    uptime = moment.uptime
  }
}
