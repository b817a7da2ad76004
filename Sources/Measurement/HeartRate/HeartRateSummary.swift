import FixedPoint

/// A heart rate that a sensor reported at one moment.
@frozen
public struct HeartRateSample: Hashable, Sendable {
  /// Microseconds since an origin that the stream keeps throughout.
  public var time: Int64
  /// Beats a minute; every measurement ignores values outside of `plausible`.
  public var rate: Int32

  /// Plausible beats a minute: a strap without contact reports 0, noise reads hundreds.
  public static let plausible: ClosedRange<Int32> = 25...250

  /// Makes a heart rate of a time and beats a minute.
  @inlinable
  public init(time: Int64, rate: Int32) {
    self.time = time
    self.rate = rate
  }

  var isPlausible: Bool { Self.plausible.contains(rate) }
}

/// The heart rate over an exercise, in beats a minute.
public struct HeartRateSummary: Hashable, Sendable {
  /// The median of the first 10 s with readings.
  public var first: Int32
  /// The median of the last 10 s with readings.
  public var last: Int32
  /// The lowest rate, a single outlier ignored.
  public var lowest: Int32
  /// The highest rate, a single outlier ignored.
  public var highest: Int32
  /// The mean of all readings, rounded.
  public var mean: Int32

  /// Microseconds at either end over which `first` and `last` are taken.
  public static let margin: Int64 = 10_000_000

  /// Summarises the plausible readings in `range` (microseconds), in any order; `nil` without any.
  public init?(_ rates: [HeartRateSample], in range: Range<Int64>) {
    let heard = rates.filter { $0.isPlausible && range.contains($0.time) }
      .sorted { $0.time < $1.time }
    guard let begin = heard.first?.time, let end = heard.last?.time else { return nil }
    let values = heard.map(\.rate)
    // The median of three neighbours removes a single outlier.
    let triples = zip(zip(values, values.dropFirst()), values.dropFirst(2))
    let medians = triples.compactMap { [$0.0, $0.1, $1].median }
    let steady = medians.isEmpty ? values : medians
    guard let lowest = steady.min(), let highest = steady.max(),
      let first = heard.filter({ Self.isWithin($0.time, begin) }).map(\.rate).median,
      let last = heard.filter({ Self.isWithin($0.time, end) }).map(\.rate).median
    else { return nil }
    self.first = first
    self.last = last
    self.lowest = lowest
    self.highest = highest
    let sum = values.reduce(0) { $0 + Int64($1) }
    mean = Int32(truncatingIfNeeded: sum.roundedDivision(by: Int64(values.count)))
  }

  private static func isWithin(_ time: Int64, _ end: Int64) -> Bool {
    let (distance, overflow) = time.subtractingReportingOverflow(end)
    return !overflow && distance.magnitude <= margin.magnitude
  }
}
