import FixedPoint

/// The simple reaction time: how long after a signal on a screen a person presses.
public struct ReactionTime: Hashable, Sendable {
  /// The reaction times of the attempts that succeeded, in order, in microseconds.
  public var reactions: [Int64]
  /// Attempts that failed: pressed before the signal or within 0.1 s of it, or not within 3 s.
  public var failed: Int

  /// The median in microseconds.
  public var median: Int64 {
    let sorted = reactions.sorted()
    guard let upper = sorted.dropFirst(sorted.count / 2).first else { return 0 }
    guard sorted.count.isMultiple(of: 2) else { return upper }
    return (sorted[sorted.count / 2 - 1] + upper).roundedDivision(by: 2)
  }

  /// The shortest in microseconds.
  public var best: Int64 { reactions.min() ?? 0 }
  /// The longest in microseconds.
  public var worst: Int64 { reactions.max() ?? 0 }

  /// The possible numbers of attempts that have to succeed.
  public static let counts = 3...20
  /// The usual number of attempts that have to succeed.
  public static let usualCount = 5
  /// The possible reaction times in microseconds.
  ///
  /// Nobody reacts to light within 0.1 s: a press that soon was a guess.
  public static let possible: ClosedRange<Int64> = 100_000...3_000_000

  /// Measures the first `count` attempts that succeeded (clamped to ``counts``).
  ///
  /// Throws if fewer succeeded, or if the times are not in order.
  public static func measure(
    _ attempts: [ReactionAttempt], count: Int = usualCount
  ) throws(ScreenRefusal) -> ReactionTime {
    guard attempts.count <= ScreenPerformance.mostAttempts else { throw .tooMany }
    guard !attempts.isEmpty else { throw .nothingPressed }
    let wanted = min(max(count, counts.lowerBound), counts.upperBound)
    var reactions: [Int64] = []
    var failed = 0
    var last = ScreenPerformance.times.lowerBound
    for attempt in attempts {
      let times = [attempt.shown, attempt.pressed].compactMap(\.self)
      guard times.allSatisfy({ ScreenPerformance.times.contains($0) && $0 >= last }) else {
        throw .disorder
      }
      last = times.max() ?? last
      guard reactions.count < wanted else { break }
      if let shown = attempt.shown, let pressed = attempt.pressed,
        possible.contains(pressed - shown)
      {
        reactions.append(pressed - shown)
      } else {
        failed += 1
      }
    }
    guard reactions.count == wanted else { throw .tooFewAttempts(reactions.count, of: wanted) }
    return ReactionTime(reactions: reactions, failed: failed)
  }
}
