/// When to try again after failures in a row: later each time, at most an hour apart, spread by chance
/// so that a hundred boxes do not come back in one second.
public struct BackOff: Hashable, Sendable, Codable {
  /// The delay after the first failure.
  static let first: Duration = .seconds(5)
  /// The longest delay of its own.
  static let longest: Duration = .seconds(3_600)
  /// The longest delay that a server may ask for.
  static let longestAsked: Duration = .seconds(86_400)

  /// The failures since the last success.
  public private(set) var failures = 0

  /// Makes one that has seen nothing.
  public init() {}

  /// Notes a success.
  public mutating func succeed() { failures = 0 }

  /// Notes a failure.
  ///
  /// - Parameters:
  ///   - asked: The delay that the other side asked for (`Retry-After`).
  ///   - random: The source of the chance.
  /// - Returns: The delay until the next attempt: half to the whole of 5 s, 10 s, 20 s …, and no less
  ///   than was asked for, up to a day.
  public mutating func fail(
    asked: Duration? = nil, using random: inout some RandomNumberGenerator
  ) -> Duration {
    let doublings = min(failures, 20)
    failures = min(failures + 1, 1_000_000)
    let whole = min(Self.first * (1 << doublings), Self.longest)
    let own =
      whole / 2 + .milliseconds(Int64.random(in: 0...whole.milliseconds / 2, using: &random))
    return max(own, min(asked ?? .zero, Self.longestAsked))
  }
}

extension Duration {
  fileprivate var milliseconds: Int64 {
    components.seconds * 1_000 + components.attoseconds / 1_000_000_000_000_000
  }
}
