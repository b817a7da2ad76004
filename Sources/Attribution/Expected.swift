import FixedPoint

/// A person's weight by the plan, as evidence of which body is the person's.
struct Expected: Hashable, Sendable {
  /// The weight in 2^-8 g.
  var level: Int64
  /// The variance of what the plan says.
  var variance: Int64

  /// The expectation of a person; `nil` if nothing is known.
  init?(_ person: Person) {
    guard let weight = person.weight else { return nil }
    level = Int64(min(max(weight, 1), 500_000)) << 8
    if let tolerance = person.tolerance {
      // A tolerance is two standard deviations.
      let deviation = Int64(min(max(tolerance / 2, 300), 20_000))
      variance = deviation * deviation << 8
    } else {
      // 1.5 kg.
      variance = Estimate.ofBody(2_250_000 << 8, at: level)
    }
  }

  /// The expectation is wrong altogether once in 2^16.
  private static let floor: Int64 = -16 << 16

  /// The mean of a body's first weighings.
  struct Mean {
    fileprivate var value: Int64
    fileprivate var variance: Int64
    /// log2 of its density, whoever it is.
    fileprivate var unknown: Int64

    /// `sum` is that of `count` weights in g, at least one; `age` the days from the expectation to the
    /// first of them: the person may have drifted meanwhile.
    init(sum: Int64, count: Int64, age: Int64) {
      value = (sum << 8) / max(count, 1)
      variance =
        Expected.spread / max(count, 1) + Expected.scatter + Expected.drifted(age)
        + Expected.drifting * count * count / 64
      unknown = UnknownBody.density(value)
    }
  }

  /// log2 of how much better a mean fits this person than anybody.
  func evidence(_ mean: Mean) -> Int64 {
    max(
      normalDensity(mean.value - level, variance + Estimate.ofBody(mean.variance, at: level))
        - mean.unknown, Self.floor)
  }

  private static let spread = Estimate.usualSpread
  /// The variance that remains in the mean of many weighings.
  private static let scatter: Int64 = 20_000 << 8
  /// The variance that the drift adds within the first eight weighings.
  private static let drifting: Int64 = 60_000 << 8

  /// The variance of the drift of `days`: 2σ²τ²(t/τ - 1 + e^(-t/τ)) with τ = 28 days.
  private static func drifted(_ days: Int64) -> Int64 {
    let days = min(max(days, 0), 3_650)
    // t/τ and e^(-t/τ) in 2^-20; log2(e) / 28 = 3376.7 units of 2^-16.
    let ratio = (days << 20) / 28
    let decayed = Logarithm.power(minus: days * 33_767 / 10) >> 10
    let factor = max(ratio - 1 << 20 + decayed, 0)
    return (2 * 28 * 28 * (Estimate.stationaryDriftVariance >> 8) * factor) >> 12
  }
}
