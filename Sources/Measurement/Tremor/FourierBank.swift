import FixedPoint

/// The spectrum of four seconds of movement at every quarter of a hertz.
///
/// What a bank of Goertzel filters yields, except that each sample is taken at its own time and for
/// as long as it stands for, so that jitter and a lost sample leave the frequencies where they are.
/// A Hann window keeps a strong tone out of bins that are not its own.
struct FourierBank: Hashable, Sendable {
  /// Microseconds of a window; a bin is as many whole turns in it as its number says.
  static let length: Int64 = 4_000_000
  /// The bins that are kept: 1 Hz to 20 Hz.
  static let bins = 4...80
  /// Micro-g that count as the most on one axis: 16 g.
  static let limit: Int64 = 16_000_000

  /// The power of each bin of `bins`, the axes added up, in square micro-g: a tone's bins add up to
  /// its mean square, wherever it lies between them.
  let powers: [Int64]

  /// Takes the spectrum of one window of samples, less their mean.
  ///
  /// Each has a time in microseconds from the window's beginning, 0..<`length`, and a weight: how
  /// many microseconds it stands for, at most 2^17.
  init(_ samples: [(time: Int64, weight: Int64, force: WideVector)]) {
    let forces = samples.map { $0.force.map { $0.clamped(to: Self.limit) } }
    let weight = samples.reduce(0) { $0 + $1.weight }
    var sum = WideVector.zero
    for (sample, force) in zip(samples, forces) { sum = sum + force.map { $0 * sample.weight } }
    let mean = sum.map { $0.roundedDivision(by: weight) }
    var sums = [Bin](repeating: Bin(), count: Self.bins.upperBound + 1)
    for (sample, force) in zip(samples, forces) {
      let turn = UInt32(truncatingIfNeeded: (sample.time << 32) / Self.length)
      let base = UnitCircle.point(turn: turn)
      // (1 - cos) / 2 in Q30; below 2^25 · 2^17 the product with Q20 stays below 2^63.
      let window = ((1 << 30) - base.cosine) >> 1
      let value = (force - mean).map { (($0 * window) >> 30) * sample.weight }
      var (cosine, sine): (Int64, Int64) = (1 << 30, 0)
      for bin in sums.indices {
        sums[bin].add(value, cosine: cosine >> 10, sine: sine >> 10)
        (cosine, sine) = (
          (cosine * base.cosine - sine * base.sine).roundedShift(right: 30),
          (cosine * base.sine + sine * base.cosine).roundedShift(right: 30)
        )
      }
    }
    powers = Self.bins.map { sums[$0].power }
  }

  /// A bin's sums over the axes, in micro-g microseconds.
  private struct Bin {
    private var real = WideVector.zero
    private var imaginary = WideVector.zero

    mutating func add(_ value: WideVector, cosine: Int64, sine: Int64) {
      real = real + value.map { ($0 * cosine) >> 20 }
      imaginary = imaginary + value.map { ($0 * sine) >> 20 }
    }

    /// 16/3 of the squared mean: 2 for the other half of the spectrum, 8/3 for the Hann window.
    var power: Int64 {
      // Over the window's length with 4 fractional bits: below 2^29, so that six squares fit.
      (real.squaredMean + imaginary.squaredMean) / 48
    }
  }
}

extension WideVector {
  /// The squared length of a window's sum over the window's length, with 8 fractional bits.
  fileprivate var squaredMean: Int64 {
    let mean = map { ($0 * 16 / FourierBank.length).clamped(to: 1 << 29) }
    return mean.x * mean.x + mean.y * mean.y + mean.z * mean.z
  }
}
