import FixedPoint

/// The heart rate over an exercise, in beats a minute.
public struct HeartRateSummary: Hashable, Sendable {
  /// The median of the first 10 s in which a rate was heard.
  public var first: Int32
  /// The median of the last 10 s in which a rate was heard.
  public var last: Int32
  /// The lowest rate, a single stray reading not counted.
  public var lowest: Int32
  /// The highest rate, a single stray reading not counted.
  public var highest: Int32
  /// The mean of all readings, rounded.
  public var mean: Int32

  /// Microseconds at either end that `first` and `last` stand for.
  public static let margin: Int64 = 10_000_000

  /// Sums up the plausible readings in `range` (microseconds), in any order; `nil` for none.
  public init?(_ rates: [HeartRateSample], in range: Range<Int64>) {
    let heard = rates.filter { $0.isPlausible && range.contains($0.time) }
      .sorted { $0.time < $1.time }
    guard let begin = heard.first?.time, let end = heard.last?.time else { return nil }
    let values = heard.map(\.rate)
    // A reading that both of its neighbours contradict is neither highest nor lowest.
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
