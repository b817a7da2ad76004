/// How fast the heart rate falls after an exercise.
///
/// The drop is that of Cole et al. 1999 (N Engl J Med 341:1351): the peak at the end of the
/// exercise less the rate one minute, and two minutes, after the end. Time counts from the end of
/// the exercise, not from the peak, which may be slightly later.
public struct HeartRateRecovery: Hashable, Sendable {
  /// The highest rate around the end of the exercise, in beats a minute.
  public var peak: Int32
  /// The rate 60 s after the end, in beats a minute.
  public var atOneMinute: Int32
  /// The rate 120 s after the end; `nil` if the recording ends before.
  public var atTwoMinutes: Int32?

  /// Beats a minute lost in the first minute; negative if the rate rose.
  public var dropAfterOneMinute: Int32 { peak - atOneMinute }
  /// Beats a minute lost in the first two minutes; `nil` if the recording ends before.
  public var dropAfterTwoMinutes: Int32? { atTwoMinutes.map { peak - $0 } }

  /// Microseconds before and after the end in which the peak is searched: the heart rate follows
  /// within about 10 s, and a strap averages over as much.
  public static let peakWindow: (before: Int64, after: Int64) = (30_000_000, 10_000_000)
  /// Microseconds on either side of a moment; the median of the readings within is its rate.
  public static let moment: Int64 = 5_000_000

  /// Measures the recovery after an exercise that ended at `exerciseEnd` (microseconds).
  ///
  /// Readings may be in any order, at least one in 10 s; implausible ones are ignored. With three
  /// or more readings a single outlier is neither the peak nor a moment's rate. Throws if there is
  /// no reading around the end or a minute after it.
  public static func measure(
    _ rates: [HeartRateSample], exerciseEnd: Int64
  ) throws(HeartRateRecoveryRefusal) -> Self {
    let heard = rates.lazy.filter(\.isPlausible).map { sample in
      let (offset, overflow) = sample.time.subtractingReportingOverflow(exerciseEnd)
      return (offset: overflow ? Int64.max : offset, rate: sample.rate)
    }
    .sorted { $0.offset < $1.offset }
    let around = heard.filter { -peakWindow.before <= $0.offset && $0.offset <= peakWindow.after }
    guard let peak = highest(around.map(\.rate)) else { throw .noPeak }
    func rate(after seconds: Int64) -> Int32? {
      let centre = seconds * 1_000_000
      return heard.filter { centre - moment <= $0.offset && $0.offset <= centre + moment }
        .map(\.rate).median
    }
    guard let first = rate(after: 60) else { throw .noReadingAfterOneMinute }
    return Self(peak: peak, atOneMinute: first, atTwoMinutes: rate(after: 120))
  }

  /// The highest median of three neighbours; with fewer than three, the highest.
  private static func highest(_ rates: [Int32]) -> Int32? {
    guard rates.count >= 3 else { return rates.max() }
    return zip(zip(rates, rates.dropFirst()), rates.dropFirst(2))
      .compactMap { [$0.0, $0.1, $1].median }.max()
  }
}

/// Why a heart rate recovery was not measured.
public enum HeartRateRecoveryRefusal: String, Error, Hashable, Sendable {
  /// No plausible reading from 30 s before the end of the exercise to 10 s after it.
  case noPeak
  /// No plausible reading within 5 s of one minute after the end.
  case noReadingAfterOneMinute

  /// A short name for scripts.
  public var code: String { rawValue }
}
