package import Foundation

/// When a box speaks to its centre again: soon after something travelled, and ever more seldom while
/// nothing does.
package struct SyncPace: Hashable, Sendable {
  /// The pause after a session in which rows travelled, in seconds.
  package static let shortest: TimeInterval = 300
  /// The longest pause: sixteen small requests a day.
  package static let longest: TimeInterval = 5_400
  /// The longest pause between a change at the box and the session that tells it, in seconds: boxes of
  /// one plan do not all speak in the same second.
  package static let spread: TimeInterval = 20

  private var pause = Self.shortest

  /// Makes the pace of a box that has just started.
  package init() {}

  /// The pause of a box whose long rows wait, since others bring short ones.
  ///
  /// Nothing has failed, so that it does not grow; up to as long again by chance keeps the boxes that were
  /// told in one second from coming in one.
  ///
  /// - Parameters:
  ///   - asked: The pause that the centre asks for, in seconds.
  ///   - random: The source of the chance.
  /// - Returns: The pause, in seconds.
  package static func afterPause(
    of asked: Int, using random: inout some RandomNumberGenerator
  ) -> TimeInterval {
    TimeInterval(asked) * Double.random(in: 1...2, using: &random)
  }

  /// The pause until the centre is asked again.
  ///
  /// - Parameter hasTravelled: Whether the session that has ended took more than one small request.
  /// - Returns: The pause, in seconds.
  package mutating func next(hasTravelled: Bool) -> TimeInterval {
    if hasTravelled { pause = Self.shortest }
    defer { pause = min(2 * pause, Self.longest) }
    return pause
  }
}
