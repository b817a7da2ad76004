/// How fast the heart slows down once an exercise ends.
///
/// The drop is that of Cole et al. 1999 (N Engl J Med 341:1351): the peak at the end of the exercise
/// less the rate one minute, and two minutes, after the end. Seconds count from the end, not from
/// the peak, which may come a little later.
public struct HeartRateRecovery: Hashable, Sendable {
  /// The highest rate around the end of the exercise, in beats a minute.
  public var peak: Int32
  /// The rate 60 s after the end, in beats a minute.
  public var atOneMinute: Int32
  /// The rate 120 s after the end; `nil` where the recording ends before.
  public var atTwoMinutes: Int32?

  /// Beats a minute lost in the first minute; negative where the heart became faster.
  public var dropAfterOneMinute: Int32 { peak - atOneMinute }
  /// Beats a minute lost in the first two minutes; `nil` where the recording ends before.
  public var dropAfterTwoMinutes: Int32? { atTwoMinutes.map { peak - $0 } }

  /// Microseconds before and after the end within which the peak is looked for: a heart follows a
  /// stop within some 10 s, and a strap averages over as much.
  public static let peakWindow: (before: Int64, after: Int64) = (30_000_000, 10_000_000)
  /// Microseconds either side of a moment whose readings stand for it; their median is taken.
  public static let moment: Int64 = 5_000_000

  /// Measures the recovery after an exercise that ended at `exerciseEnd` (microseconds).
  ///
  /// Readings may come in any order and at any rate of at least one in 10 s; implausible ones are
  /// passed over. A single stray reading can be neither the peak nor a moment's rate where there are
  /// three. Throws where nothing was heard around the end or a minute after it.
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
