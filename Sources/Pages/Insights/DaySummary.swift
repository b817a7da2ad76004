import Care

/// The values of one day, or hour, together.
struct DaySummary: Hashable, Sendable {
  /// How many.
  private(set) var count = 0
  /// The sum of the values.
  private(set) var sum = 0.0
  /// The least.
  private(set) var least = Double.infinity
  /// The greatest.
  private(set) var most = -Double.infinity

  init() {}

  init(_ values: some Sequence<Double>) {
    for value in values { add(value) }
  }

  /// The mean; `nil` without a value.
  var mean: Double? { count > 0 ? sum / Double(count) : nil }

  /// Adds a value; what is not finite is left out.
  mutating func add(_ value: Double) {
    guard value.isFinite else { return }
    count += 1
    sum += value
    least = min(least, value)
    most = max(most, value)
  }

  /// Adds values that are summed up.
  mutating func add(_ reached: Reached) {
    count += reached.count
    sum += reached.sum
    least = min(least, reached.least)
    most = max(most, reached.most)
  }

  /// Adds the values of another summary.
  mutating func add(_ other: DaySummary) {
    count += other.count
    sum += other.sum
    least = min(least, other.least)
    most = max(most, other.most)
  }
}
