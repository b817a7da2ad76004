import FixedPoint

/// The running estimate of one body: its weight and what is measured with it.
///
/// A local linear trend (level and drift) as a Kalman filter in integers; Harvey, "Forecasting,
/// Structural Time Series Models and the Kalman Filter" (1989), 2.3. The drift decays towards zero
/// in 28 days: after two weights have crossed, nothing says that the trends went on. Levels count
/// 2^-8 g, drifts 2^-8 g a day, variances 2^-8 of the squared unit. Every value is bounded such that
/// no product overflows.
struct Estimate: Hashable, Sendable {
  private(set) var level: Int64
  private(set) var drift: Int64 = 0
  /// Variance of the level, covariance with the drift, variance of the drift.
  private(set) var levelVariance: Int64
  private var covariance: Int64 = 0
  private(set) var driftVariance: Int64
  /// The day-to-day variance of the weight.
  private(set) var spread: Int64
  private var witnesses = Witnesses()
  /// The logarithm of the width of a weighing's density.
  private var regularWidth: Int64 = 0

  /// Starts from the first weighing of a body of which nothing else is known.
  init(first weighing: Weighing) {
    level = weighing.scaledWeight
    spread = Self.ofBody(Self.usualSpread, at: level)
    levelVariance = spread.scaled(by: UnknownBody.variance, over: UnknownBody.variance + spread)
    driftVariance = Self.ofBody(Self.stationaryDriftVariance, at: level)
    witnesses.learn(weighing)
    measureWidth()
  }

  /// Makes an estimate from an expectation in 2^-8 g and its variance.
  init(level: Int64, variance: Int64) {
    self.level = level
    levelVariance = variance
    spread = Self.ofBody(Self.usualSpread, at: level)
    driftVariance = Self.ofBody(Self.stationaryDriftVariance, at: level)
    measureWidth()
  }

  // MARK: - Constants

  /// The day-to-day variance of an adult: 0.6 kg.
  static let usualSpread: Int64 = 360_000 << 8
  /// The drift of a person is within ±0.5 kg a week: 41 g a day.
  static let stationaryDriftVariance: Int64 = 41 * 41 << 8
  /// The change of the level beside the drift: 20 g a day.
  private static let levelNoise: Int64 = 400 << 8
  /// Clothes, a meal: one weighing in 512 deviates by 2 kg more.
  private static let outlierVariance: Int64 = 4_000_000 << 8
  private static let outlierRarity: Int64 = 9 << 16
  /// The variance of a sudden change: 6 kg.
  private static let jumpVariance: Int64 = 36_000_000 << 8
  private static let greatestVariance: Int64 = 900_000_000 << 8
  /// e^(-1/28), what a day leaves of a drift, in 2^-20.
  private static let decay: Int64 = 1_011_788
  /// The time that a drift acts within a day, in 2^-20 days.
  private static let acting: Int64 = 1_030_068

  /// A variance as it is for a body of this weight: below 50 kg everything is proportionally smaller.
  static func ofBody(_ variance: Int64, at level: Int64) -> Int64 {
    let share = min(max((level >> 8) * 64 / 50_000, 16), 64)
    return variance / 4_096 * share * share
  }

  // MARK: - Time

  /// Advances the estimate by a day.
  mutating func advance() {
    level += (drift * Self.acting).roundedShift(right: 20)
    let gained = (driftVariance * Self.acting).roundedShift(right: 20)
    levelVariance +=
      ((2 * covariance + gained) * Self.acting).roundedShift(right: 20)
      + Self.ofBody(Self.levelNoise, at: level)
    levelVariance = min(max(levelVariance, 1), Self.greatestVariance)
    covariance = ((covariance + gained) * Self.decay).roundedShift(right: 20)
    drift = (drift * Self.decay).roundedShift(right: 20)
    let left = (Self.decay * Self.decay) >> 20
    driftVariance =
      (driftVariance * left
      + Self.ofBody(Self.stationaryDriftVariance, at: level) * ((1 << 20) - left))
      .roundedShift(right: 20)
    witnesses.advance()
    measureWidth()
  }

  /// Widens the estimate by a sudden change of about 6 kg, as after a birth or an operation.
  mutating func loosen() {
    levelVariance = min(
      levelVariance + Self.ofBody(Self.jumpVariance, at: level), Self.greatestVariance)
    driftVariance = Self.ofBody(Self.stationaryDriftVariance, at: level)
    covariance = 0
    measureWidth()
  }

  private mutating func measureWidth() { regularWidth = width(levelVariance + spread) }

  // MARK: - Evidence

  /// log2 of a weighing's density, per g and per hundredth of the other values, in units of 2^-16.
  func density(of weighing: Weighing) -> Int64 {
    let (regular, outlier) = densities(weighing.scaledWeight - level)
    return max(regular, outlier) + witnesses.density(of: weighing)
  }

  /// The density of a deviation, and that of an outlier where it can be greater.
  private func densities(_ deviation: Int64) -> (regular: Int64, outlier: Int64) {
    let regular = exponent(deviation, levelVariance + spread)
    // Within four deviations no outlier is likelier.
    guard regular > 10 << 16 else { return (-regularWidth - regular, .min) }
    let variance = levelVariance + spread + Self.ofBody(Self.outlierVariance, at: level)
    return (-regularWidth - regular, normalDensity(deviation, variance) - Self.outlierRarity)
  }

  /// Learns a weighing of this body.
  mutating func learn(_ weighing: Weighing) {
    let innovation = weighing.scaledWeight - level
    let (regular, outlier) = densities(innovation)
    let isOutlier = regular < outlier
    let total =
      levelVariance + spread
      + (isOutlier ? Self.ofBody(Self.outlierVariance, at: level) : 0)
    // A level that is hardly known says nothing about the spread around it.
    if !isOutlier, levelVariance < 2 * spread { learnSpread(innovation, total) }
    level += innovation.scaled(by: levelVariance, over: total)
    drift += innovation.scaled(by: covariance, over: total)
    let levelGain = (levelVariance << 20) / total
    let driftGain = (covariance << 20) / total
    driftVariance = max(driftVariance - (driftGain * covariance).roundedShift(right: 20), 1 << 8)
    covariance -= (levelGain * covariance).roundedShift(right: 20)
    levelVariance = max(
      levelVariance - (levelGain * levelVariance).roundedShift(right: 20), 100 << 8)
    witnesses.learn(weighing)
    bound()
  }

  /// Moves the day-to-day variance a little of the way to what one weighing shows.
  private mutating func learnSpread(_ innovation: Int64, _ total: Int64) {
    let square = min((innovation * innovation) >> 8, 9 * total)
    // Between 0.3 and 1.5 kg: outside of it a scale, not a person, is being described.
    spread = min(
      max(spread + (square - total) / 80, Self.ofBody(90_000 << 8, at: level)),
      Self.ofBody(2_250_000 << 8, at: level))
  }

  /// The standard deviation of a weighing in g.
  var deviation: Int64 {
    Int64(UInt64(max((levelVariance + spread) >> 8, 0)).integerSquareRoot)
  }

  /// Whether a weighing is more than four standard deviations away.
  func isFar(_ weighing: Weighing) -> Bool {
    let deviation = weighing.scaledWeight - level
    return (deviation * deviation) >> 8 > 16 * (levelVariance + spread)
  }

  /// Whether a weight is within three standard deviations.
  func fitsWeight(of weighing: Weighing) -> Bool {
    let deviation = weighing.scaledWeight - level
    return (deviation * deviation) >> 8 <= 9 * (levelVariance + spread)
  }

  /// The measurement beside the weight that does not fit; `nil` if there is none.
  func contradiction(in weighing: Weighing) -> Verdict.Witness? {
    witnesses.contradiction(in: weighing)
  }

  // MARK: - Similarity

  /// Whether two estimates differ by no more than their own uncertainty.
  func isSimilar(to other: Self) -> Bool {
    let level = self.level - other.level
    let drift = self.drift - other.drift
    return (level * level) >> 8 <= (levelVariance + other.levelVariance) / 4
      && (drift * drift) >> 8 <= (driftVariance + other.driftVariance) / 4
      && witnesses.isSimilar(to: other.witnesses)
  }

  /// The moments of the mixture of two estimates; `share` is the other's in units of 2^-20.
  mutating func merge(_ other: Self, share: Int64) {
    func mix(_ a: Int64, _ b: Int64) -> Int64 { a + ((b - a) * share).roundedShift(right: 20) }
    let apart = (share * ((1 << 20) - share)) >> 20
    func between(_ a: Int64, _ b: Int64) -> Int64 { (((a * b) >> 8) * apart) >> 20 }
    let byLevel = other.level - level
    let byDrift = other.drift - drift
    level = mix(level, other.level)
    drift = mix(drift, other.drift)
    levelVariance = mix(levelVariance, other.levelVariance) + between(byLevel, byLevel)
    covariance = mix(covariance, other.covariance) + between(byLevel, byDrift)
    driftVariance = mix(driftVariance, other.driftVariance) + between(byDrift, byDrift)
    witnesses.merge(other.witnesses, share: share)
    spread = mix(spread, other.spread)
    bound()
  }

  /// Whether the level is where a weighing can leave it.
  var isBounded: Bool { level >= 1 << 8 && level <= 500_000 << 8 }

  /// Keeps every value where no product overflows: drifts within 2 kg a day, known to 300 g.
  private mutating func bound() {
    level = min(max(level, 1 << 8), 500_000 << 8)
    drift = drift.clamped(to: 2_000 << 8)
    driftVariance = min(driftVariance, 90_000 << 8)
    levelVariance = min(max(levelVariance, 1), Self.greatestVariance)
    covariance = covariance.clamped(to: 1 << 31)
    measureWidth()
  }
}

extension Weighing {
  /// The weight in units of 2^-8 g.
  var scaledWeight: Int64 { Int64(min(max(weight, 1), 500_000)) << 8 }
}

/// The weights of people of whom nothing is known.
enum UnknownBody {
  /// The mean of adults in units of 2^-8 g: 74 kg.
  private static let mean: Int64 = 74_000 << 8
  /// The variance of adults: 18 kg.
  static let variance: Int64 = 324_000_000 << 8
  /// log2(7/8) in units of 2^-16: the share of adults.
  private static let adults: Int64 = -12_625
  /// The weights of children in g, all as probable.
  private static let childWeights: ClosedRange<Int64> = 8_000...58_000
  /// log2(1/8 / 50 000) in units of 2^-16: one in eight is a child, spread over their weights.
  private static let childDensity: Int64 = -1_219_601
  /// log2 of the density of anything that a scale shows, in units of 2^-16.
  private static let leastDensity: Int64 = -30 << 16

  /// log2 of the density of a weight in 2^-8 g, per g, in units of 2^-16.
  static func density(_ weight: Int64) -> Int64 {
    var result = normalDensity(weight - mean, variance) + adults
    if childWeights.contains(weight >> 8) { result = Logarithm.sum(result, childDensity) }
    return max(result, leastDensity)
  }

  /// log2 of the density of a weighing with what was measured beside the weight.
  static func density(of weighing: Weighing) -> Int64 {
    density(weighing.scaledWeight) + Witnesses().density(of: weighing)
  }
}
