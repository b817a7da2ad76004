import Foundation

/// Decides when a device that broadcasts is connected to for what it has stored.
///
/// It is left in peace while somebody stands on it: a scale that is connected to advertises nothing.
/// Once it has been heard for a while the weighing is over, and what nobody heard since the last
/// time can be fetched.
struct CatchUp: Hashable, Sendable {
  private var firstHeard: Date?
  private var lastHeard: Date?
  private var notBefore: Date?

  /// How long a weighing may take, the impedance included.
  static let weighingTime = 20.0
  /// After how long a silence the next advertisement is of another weighing.
  static let silence = 60.0
  /// The least time from one fetching to the next.
  static let interval = 3600.0
  /// The least time from one attempt to the next.
  static let retryTime = 600.0

  /// Whether what is stored may be fetched now that the device was heard.
  mutating func heard(at time: Date) -> Bool {
    if lastHeard.map({ time.timeIntervalSince($0) > Self.silence }) ?? true { firstHeard = time }
    lastHeard = time
    let isOver = firstHeard.map { time.timeIntervalSince($0) >= Self.weighingTime } ?? false
    return isOver && notBefore.map { $0 <= time } ?? true
  }

  /// A link was asked for.
  mutating func began(at time: Date) { notBefore = time.addingTimeInterval(Self.retryTime) }

  /// What is stored was fetched.
  mutating func done(at time: Date) { notBefore = time.addingTimeInterval(Self.interval) }
}
