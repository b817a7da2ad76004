import FixedPoint

/// The two-finger tapping test: how often two fingers of one hand tap two buttons in turn.
///
/// After ResearchKit's two-finger tapping interval: the clock starts at the first tap.
public struct Tapping: Hashable, Sendable {
  /// The figures of one hand.
  public struct Trial: Hashable, Sendable {
    /// The hand.
    public var hand: Hand
    /// Taps on the buttons, at least 2.
    public var taps: Int
    /// Taps beside them.
    public var outside: Int
    /// Microseconds from the first tap on a button to the last.
    public var duration: Int64
    /// The mean time between two taps on the buttons, in microseconds.
    public var meanInterval: Int64
    /// The standard deviation of that time, in microseconds.
    public var deviation: Int64
  }

  /// The trials, as they were performed.
  public var trials: [Trial]

  /// The taps of both hands.
  public var taps: Int { trials.reduce(0) { $0 + $1.taps } }

  /// The figures of a hand; `nil` without a trial of it.
  public subscript(hand: Hand) -> Trial? { trials.first { $0.hand == hand } }

  /// The possible durations of a trial in microseconds; ResearchKit's least one is 5 s.
  public static let durations: ClosedRange<Int64> = 5_000_000...30_000_000
  /// The usual duration of a trial in microseconds.
  public static let usualDuration: Int64 = 20_000_000

  /// Measures the trials, each for `duration` microseconds (clamped to ``durations``) from its first
  /// tap; later taps do not count.
  ///
  /// With `hand` only that one is tested. Throws if a trial has fewer than two taps on the buttons, a
  /// hand has two trials, or the times are not in order.
  public static func measure(
    _ trials: [TapTrial], duration: Int64 = usualDuration, hand: Hand? = nil
  ) throws(ScreenRefusal) -> Tapping {
    let length = min(max(duration, durations.lowerBound), durations.upperBound)
    var result: [Trial] = []
    for trial in trials {
      if let hand, trial.hand != hand { throw .otherHand(trial.hand) }
      guard !result.contains(where: { $0.hand == trial.hand }) else {
        throw .repeated(trial.hand)
      }
      result.append(try Trial(trial, for: length))
    }
    guard !result.isEmpty else { throw .nothingPressed }
    return Tapping(trials: result)
  }
}

extension Tapping.Trial {
  fileprivate init(_ trial: TapTrial, for length: Int64) throws(ScreenRefusal) {
    guard trial.taps.count <= ScreenPerformance.mostTaps else { throw .tooMany }
    guard let first = trial.taps.first?.time else {
      throw .tooFewTaps(trial.hand, count: 0)
    }
    var last = first
    for time in trial.taps.map(\.time) {
      guard ScreenPerformance.times.contains(time), time >= last else { throw .disorder }
      last = time
    }
    let counted = trial.taps.filter { $0.time - first < length }
    let times = counted.filter { $0.button != nil }.map(\.time)
    guard let begin = times.first, let end = times.last, times.count > 1 else {
      throw .tooFewTaps(trial.hand, count: times.count)
    }
    let count = Int64(times.count - 1)
    let mean = (end - begin).roundedDivision(by: count)
    // At most 30 s squared, a thousand times: below 2^60.
    let squares = zip(times, times.dropFirst()).reduce(0 as Int64) { sum, pair in
      sum + (pair.1 - pair.0 - mean) * (pair.1 - pair.0 - mean)
    }
    self.init(
      hand: trial.hand, taps: times.count, outside: counted.count - times.count,
      duration: end - begin, meanInterval: mean,
      deviation: Int64(UInt64(squares / count).integerSquareRoot))
  }
}
