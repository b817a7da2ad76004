import FixedPoint

/// The running estimate of one person's weight and impedance.
///
/// A local linear trend (level and drift) as a Kalman filter in integers; Harvey, "Forecasting,
/// Structural Time Series Models and the Kalman Filter" (1989), 2.3. The drift decays towards zero,
/// so that the uncertainty after a long absence stays bounded. Levels count 2^-8 g, drifts 2^-8 g a
/// day, variances 2^-8 of the squared unit. Every value is bounded such that no product overflows.
struct Estimate: Hashable, Sendable {
  private(set) var level: Int64
  private(set) var drift: Int64 = 0
  /// Variance of the level, covariance with the drift, variance of the drift.
  private(set) var levelVariance: Int64
  private var covariance: Int64 = 0
  private var driftVariance = Self.stationaryDriftVariance
  /// The day-to-day variance of the weight.
  private(set) var spread: Int64
  private var witnesses = Witnesses()

  /// Makes an estimate from an expectation in g and its standard deviation.
  init(level: Int, deviation: Int) {
    self.level = Int64(level) << 8
    levelVariance = Int64(deviation) * Int64(deviation) << 8
    spread = 0
    spread = ofBody(360_000 << 8)
  }

  /// A variance as it is for this body: below 50 kg everything is proportionally smaller.
  private func ofBody(_ variance: Int64) -> Int64 {
    let share = min(max((level >> 8) * 64 / 50_000, 16), 64)
    return variance / 4_096 * share * share
  }

  // MARK: - Constants

  /// The drift of a person is within ±0.5 kg a week, mostly within half of that: 36 g a day.
  private static let stationaryDriftVariance: Int64 = 36 * 36 << 8
  /// The change of the level beside the drift: 60 g a day.
  private static let levelNoise: Int64 = 3_600 << 8
  /// Clothes, a meal: one weighing in 32 deviates by 2 kg more.
  private static let outlierVariance: Int64 = 4_000_000 << 8
  /// The variance of a sudden change: 6 kg.
  private static let jumpVariance: Int64 = 36_000_000 << 8
  private static let greatestVariance: Int64 = 900_000_000 << 8
  /// The drift's time constant in minutes: 60 days.
  private static let driftMinutes: Int64 = 60 * 1_440

  // MARK: - Time

  /// Advances the estimate by `minutes`, at least zero.
  mutating func advance(by minutes: Int64) {
    guard minutes > 0 else { return }
    let minutes = min(minutes, 10 * 365 * 1_440)
    // e^-t/τ in 2^-20 and the time that the drift acts, in 2^-20 days.
    let decay =
      BinaryLogarithm.power(minus: minutes * 94_548 / Self.driftMinutes).roundedShift(right: 10)
    let acting = 60 * ((1 << 20) - decay)
    level += (drift * acting).roundedShift(right: 20)
    let gained = (driftVariance * acting).roundedShift(right: 20)
    levelVariance += (2 * covariance * acting).roundedShift(right: 20)
    levelVariance += (gained * acting).roundedShift(right: 20) + Self.levelNoise * minutes / 1_440
    levelVariance = min(max(levelVariance, 1), Self.greatestVariance)
    covariance = ((covariance + gained) * decay).roundedShift(right: 20)
    drift = (drift * decay).roundedShift(right: 20)
    let left = (decay * decay) >> 20
    driftVariance =
      (driftVariance * left + Self.stationaryDriftVariance * ((1 << 20) - left))
      .roundedShift(right: 20)
    witnesses.advance(by: minutes)
  }

  /// Widens the estimate by a sudden change of about 6 kg, as after a birth or an operation.
  mutating func loosen() {
    levelVariance = min(levelVariance + ofBody(Self.jumpVariance), Self.greatestVariance)
    driftVariance = Self.stationaryDriftVariance
    covariance = 0
  }

  // MARK: - Evidence

  /// log2 of a weighing's density, per g and per hundredth of the other values, in units of 2^-16.
  func density(of weighing: Weighing) -> Int64 {
    let weight = weighing.scaledWeight - level
    let variance = levelVariance + spread
    return witnesses.density(of: weighing)
      + BinaryLogarithm.sum(
        regularShare + normalDensity(weight, variance),
        outlierShare + normalDensity(weight, variance + ofBody(Self.outlierVariance)))
  }

  /// Learns a weighing of this person.
  mutating func learn(_ weighing: Weighing) {
    let innovation = weighing.scaledWeight - level
    let regular = levelVariance + spread
    let isOutlier =
      regularShare + normalDensity(innovation, regular)
      < outlierShare + normalDensity(innovation, regular + ofBody(Self.outlierVariance))
    let total = isOutlier ? regular + ofBody(Self.outlierVariance) : regular
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
    bound()
    witnesses.learn(weighing)
  }

  /// Moves the day-to-day variance a fortieth of the way to what one weighing shows.
  private mutating func learnSpread(_ innovation: Int64, _ total: Int64) {
    let square = min((innovation * innovation) >> 8, 9 * total)
    // Between 0.3 and 1.5 kg: outside of it a scale, not a person, is being described.
    spread = min(
      max(spread + (square - total) / 40, ofBody(90_000 << 8)), ofBody(2_250_000 << 8))
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
    return (level * level) >> 8 <= (levelVariance + other.levelVariance) / 4 + 10_000 << 8
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

  /// Keeps every value where no product overflows: drifts within 2 kg a day, known to 300 g.
  private mutating func bound() {
    drift = drift.clamped(to: 2_000 << 8)
    driftVariance = min(driftVariance, 90_000 << 8)
    levelVariance = min(levelVariance, Self.greatestVariance)
    covariance = covariance.clamped(to: 1 << 31)
  }
}

extension Weighing {
  /// The weight in units of 2^-8 g.
  var scaledWeight: Int64 { Int64(min(max(weight, 1), 500_000)) << 8 }
}

/// The weights of people of whom nothing is known.
private enum UnknownPerson {
  /// The mean of adults in units of 2^-8 g: 74 kg.
  static let mean: Int64 = 74_000 << 8
  /// The variance of adults: 18 kg.
  static let variance: Int64 = 324_000_000 << 8
  /// log2(7/8) in units of 2^-16: the share of adults.
  static let adults: Int64 = -12_625
  /// The weights of children in g, all as probable.
  static let childWeights = 8_000...58_000
  /// log2(1/8 / 50 000) in units of 2^-16: one in eight is a child, spread over their weights.
  static let childDensity: Int64 = -1_219_601
}

/// log2 of the density of a person of whom nothing is known, in units of 2^-16.
func unknownDensity(of weighing: Weighing) -> Int64 {
  let adult = normalDensity(weighing.scaledWeight - UnknownPerson.mean, UnknownPerson.variance)
  var result = adult + UnknownPerson.adults
  if UnknownPerson.childWeights.contains(weighing.weight) {
    result = BinaryLogarithm.sum(result, UnknownPerson.childDensity)
  }
  return result + Witnesses().density(of: weighing)
}
