package import Foundation

/// Notices that the wall clock was set, by comparing it with a monotonic clock.
///
/// A clock that a time service slews is not noticed: each look is compared with the one before.
package struct ClockWatch: Hashable, Sendable {
  /// The smallest jump that counts, in seconds: time services slew smaller errors.
  package static let leastJump: TimeInterval = 1

  /// One look at both clocks.
  package struct Look: Hashable, Sendable {
    /// The wall clock.
    package var time: Date
    /// The running clock before and after the wall clock was read: the process may have been
    /// stopped between.
    package var instants: ClosedRange<ContinuousClock.Instant>

    /// Looks at both clocks.
    package init(
      _ now: () -> Date, _ instant: () -> ContinuousClock.Instant = { ContinuousClock.now }
    ) {
      let before = instant()
      time = now()
      instants = before...max(before, instant())
    }
  }

  private var last: Look?

  /// Makes a watch that has not looked yet.
  package init() {}

  /// Compares a look with the one before.
  ///
  /// - Returns: By how many seconds the wall clock was set forward between them, negative if it was
  ///   set back; `nil` if it was not set.
  package mutating func jump(at look: Look) -> TimeInterval? {
    defer { last = look }
    guard let last else { return nil }
    let passed = look.time.timeIntervalSince(last.time)
    let least = (look.instants.lowerBound - last.instants.upperBound).seconds
    let most = (look.instants.upperBound - last.instants.lowerBound).seconds
    let jump = passed > most ? passed - most : passed < least ? passed - least : 0
    return abs(jump) >= Self.leastJump ? jump : nil
  }
}

extension Duration {
  /// The duration in seconds.
  fileprivate var seconds: Double {
    let (seconds, attoseconds) = components
    return Double(seconds) + Double(attoseconds) / 1e18
  }
}
