import FixedPoint

/// The running estimates of what a scale measures beside one person's weight.
struct Witnesses: Hashable, Sendable {
  private var impedance = Trait(.impedance)
  private var bodyFat = Trait(.bodyFat)
  private var heartRate = Trait(.heartRate)

  /// Advances the estimates by one day.
  mutating func advance() {
    impedance.advance()
    bodyFat.advance()
    heartRate.advance()
  }

  /// log2 of the density of the values beside a weight, in units of 2^-16.
  ///
  /// Body fat follows from the impedance, and says nothing more beside it.
  func density(of weighing: Weighing) -> Int64 {
    var result: Int64 = 0
    if let value = weighing.impedance {
      result += impedance.density(of: value)
    } else if let value = weighing.bodyFat {
      result += bodyFat.density(of: value)
    }
    if let value = weighing.heartRate { result += heartRate.density(of: value) }
    return result
  }

  mutating func learn(_ weighing: Weighing) {
    if let value = weighing.impedance { impedance.learn(value) }
    if let value = weighing.bodyFat { bodyFat.learn(value) }
    if let value = weighing.heartRate { heartRate.learn(value) }
  }

  /// The first value that does not fit.
  func contradiction(in weighing: Weighing) -> Verdict.Witness? {
    if let value = weighing.impedance, let expected = impedance.contradicted(by: value) {
      return Verdict.Witness(kind: .impedance, measured: value, expected: expected)
    }
    if weighing.impedance == nil, let value = weighing.bodyFat,
      let expected = bodyFat.contradicted(by: value)
    {
      return Verdict.Witness(kind: .bodyFat, measured: value, expected: expected)
    }
    if let value = weighing.heartRate, let expected = heartRate.contradicted(by: value) {
      return Verdict.Witness(kind: .heartRate, measured: value, expected: expected)
    }
    return nil
  }

  /// Whether two estimates differ by no more than their own uncertainty.
  func isSimilar(to other: Self) -> Bool {
    impedance.isSimilar(to: other.impedance) && bodyFat.isSimilar(to: other.bodyFat)
      && heartRate.isSimilar(to: other.heartRate)
  }

  /// The moments of the mixture of two estimates; `share` is the other's in units of 2^-20.
  mutating func merge(_ other: Self, share: Int64) {
    impedance.merge(other.impedance, share: share)
    bodyFat.merge(other.bodyFat, share: share)
    heartRate.merge(other.heartRate, share: share)
  }
}

/// The running estimate of what a scale measures beside the weight: a second witness.
///
/// A level with its variance as a Kalman filter in integers. Levels count 2^-8 of a hundredth of
/// the kind's unit, variances 2^-8 of its square.
struct Trait: Hashable, Sendable {
  private let kind: Kind
  private var level: Int64
  private var variance: Int64

  /// Starts from what is usual among people.
  init(_ kind: Kind) {
    self.kind = kind
    level = kind.usual
    variance = kind.variety
  }

  /// How a value differs between people and between one person's days.
  enum Kind: Hashable, Sendable {
    /// In Ω: people differ by 80, days by 13; wet or cold feet by 50; it drifts by 1 a day.
    case impedance
    /// In percent: people differ by 9, days by 0.8; it drifts by 0.05 a day.
    case bodyFat
    /// Per minute: people differ by 12, days by 7; it drifts by 0.3 a day.
    case heartRate

    fileprivate var usual: Int64 {
      switch self {
      case .impedance: 50_000 << 8
      case .bodyFat: 2_800 << 8
      case .heartRate: 7_200 << 8
      }
    }
    fileprivate var variety: Int64 { square(8_000, 900, 1_200) }
    fileprivate var spread: Int64 { square(1_300, 80, 700) }
    fileprivate var outlier: Int64 { square(5_000, 300, 2_000) }
    fileprivate var noise: Int64 { square(100, 5, 30) }

    private func square(_ impedance: Int64, _ bodyFat: Int64, _ heartRate: Int64) -> Int64 {
      switch self {
      case .impedance: impedance * impedance << 8
      case .bodyFat: bodyFat * bodyFat << 8
      case .heartRate: heartRate * heartRate << 8
      }
    }
  }

  /// Widens the estimate by one day, up to what is usual among people.
  mutating func advance() { variance = min(variance + kind.noise, kind.variety) }

  /// log2 of the density of a value in hundredths, in units of 2^-16.
  func density(of value: Int) -> Int64 {
    let deviation = Self.scaled(value) - level
    return Logarithm.sum(regular(deviation), odd(deviation))
  }

  /// Learns a value in hundredths.
  mutating func learn(_ value: Int) {
    let deviation = Self.scaled(value) - level
    let isOdd = regular(deviation) < odd(deviation)
    let total = variance + kind.spread + (isOdd ? kind.outlier : 0)
    level += deviation.scaled(by: variance, over: total)
    variance -= variance.scaled(by: variance, over: total)
  }

  /// The estimate in hundredths, if a value is more than three standard deviations away.
  func contradicted(by value: Int) -> Int? {
    let deviation = Self.scaled(value) - level
    return (deviation * deviation) >> 8 > 9 * (variance + kind.spread) ? Int(level >> 8) : nil
  }

  /// Whether two estimates differ by no more than their own uncertainty.
  func isSimilar(to other: Self) -> Bool {
    let deviation = level - other.level
    return (deviation * deviation) >> 8 <= (variance + other.variance + kind.spread / 8) / 4
  }

  /// The moments of the mixture of two estimates; `share` is the other's in units of 2^-20.
  mutating func merge(_ other: Self, share: Int64) {
    let apart = (share * ((1 << 20) - share)) >> 20
    let deviation = other.level - level
    level += (deviation * share).roundedShift(right: 20)
    variance +=
      ((other.variance - variance) * share).roundedShift(right: 20)
      + ((((deviation * deviation) >> 8) * apart) >> 20)
  }

  /// A value of 0...5 000 in hundredths, clamped.
  private static func scaled(_ value: Int) -> Int64 { Int64(min(max(value, 0), 500_000)) << 8 }

  private func regular(_ deviation: Int64) -> Int64 {
    regularShare + normalDensity(deviation, variance + kind.spread)
  }

  private func odd(_ deviation: Int64) -> Int64 {
    outlierShare + normalDensity(deviation, variance + kind.spread + kind.outlier)
  }
}

/// log2(31/32) and log2(1/32) in units of 2^-16: one measurement in 32 is an outlier.
let regularShare: Int64 = -3_002
let outlierShare: Int64 = -5 << 16
