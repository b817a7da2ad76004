import FixedPoint
import Motion

/// The mean spectrum of a recording over half-overlapping windows (Welch 1967).
struct TremorSpectrum: Hashable, Sendable {
  /// The shortest gap in microseconds: a period of 12 Hz is 83 ms.
  static let hole: Int64 = 100_000
  /// The fewest windows of a spectrum: two that overlap by half, 6 s.
  static let leastWindows = 2

  /// The mean power of each of the bank's bins, in square micro-g; empty without windows.
  let powers: [Int64]
  /// The number of windows.
  let windows: Int

  /// Takes the spectrum of samples whose times rise.
  init(_ samples: [MotionSample]) {
    var sums = [UInt128](repeating: 0, count: FourierBank.bins.count)
    var windows = 0
    for stretch in Self.stretches(samples) {
      for window in Self.windows(stretch) {
        windows += 1
        for (bin, power) in FourierBank(window).powers.enumerated() {
          sums[bin] += UInt128(power.magnitude)
        }
      }
    }
    self.windows = windows
    powers = windows == 0 ? [] : sums.map { Int64($0 / UInt128(windows)) }
  }

  /// The power between two bins, both included.
  func power(_ range: ClosedRange<Int>) -> Int64 {
    range.clamped(to: FourierBank.bins).reduce(0) { $0 + self[$1] }
  }

  /// The power of one bin; zero outside of the bank.
  subscript(bin: Int) -> Int64 {
    let index = bin - FourierBank.bins.lowerBound
    return powers.indices.contains(index) ? powers[index] : 0
  }

  /// The stretches of samples between gaps.
  private static func stretches(_ samples: [MotionSample]) -> [ArraySlice<MotionSample>] {
    var result: [ArraySlice<MotionSample>] = []
    var first = samples.startIndex
    for index in samples.indices.dropFirst() {
      let (pause, overflow) = samples[index].time
        .subtractingReportingOverflow(samples[index - 1].time)
      guard overflow || pause > hole else { continue }
      result.append(samples[first..<index])
      first = index
    }
    return result + [samples[first...]]
  }

  /// The windows of a stretch without gaps; times count from each window's start.
  private static func windows(
    _ stretch: ArraySlice<MotionSample>
  ) -> [[(time: Int64, weight: Int64, force: WideVector)]] {
    guard let origin = stretch.first?.time, let end = stretch.last?.time else { return [] }
    var result: [[(time: Int64, weight: Int64, force: WideVector)]] = []
    var begin: Int64 = 0
    var first = stretch.startIndex
    // The last sample of six seconds is one interval before their end.
    while begin + FourierBank.length <= end - origin + hole {
      var window: [(time: Int64, weight: Int64, force: WideVector)] = []
      for index in first..<stretch.endIndex {
        let time = stretch[index].time - origin - begin
        if time < 0 {
          first = index
          continue
        }
        if time >= FourierBank.length { break }
        // Half of the time between both neighbours.
        let before = stretch[max(index - 1, stretch.startIndex)].time
        let after = stretch[min(index + 1, stretch.endIndex - 1)].time
        window.append((time, (after - before) / 2, WideVector(stretch[index].acceleration)))
      }
      result.append(window)
      begin += FourierBank.length / 2
    }
    return result
  }
}

/// The spectrum of four seconds of movement at every quarter of a hertz.
///
/// The result of a bank of Goertzel filters, except that each sample counts at its own time and
/// with its own interval, so that jitter and lost samples do not shift frequencies. A Hann window
/// limits the leakage of a strong tone into other bins.
struct FourierBank: Hashable, Sendable {
  /// Microseconds in a window; bin n has n periods in it.
  static let length: Int64 = 4_000_000
  /// The computed bins: 1 Hz to 20 Hz.
  static let bins = 4...80
  /// The clamp on each axis in micro-g: 16 g.
  static let limit: Int64 = 16_000_000

  /// The power of each bin of `bins`, summed over the axes, in square micro-g: a tone's bins add up
  /// to its mean square at any frequency between them.
  let powers: [Int64]

  /// Takes the spectrum of one window of samples, less their mean.
  ///
  /// Each has a time in microseconds from the window's start, 0..<`length`, and a weight: its
  /// interval in microseconds, at most 2^17.
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
