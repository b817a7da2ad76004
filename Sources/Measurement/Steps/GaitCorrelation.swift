/// The features of the signal around one moment.
struct GaitFrame: Sendable {
  /// Samples from one frame to the next: 0.32 s or 0.64 s, shorter than any change of gait.
  static let hop = 8
  /// Correlations of 1.
  static let one: Int32 = 4_096

  /// The moment, in microseconds since the stretch began.
  var centre: Int64
  /// How alike the signal is to itself after each lag of 1 to 56 samples, in 1/4096; then zeros.
  var correlations = InlineArray<64, Int16>(repeating: 0)
  /// How the body moves here, beside its movement in the window on average.
  var movement = Movement.still
  /// The samples of this frame's hop in which steps are counted, 0...8: fewer in a long hole.
  var counted: Int32 = 8
  /// The mean square over the window, and over a second around the moment, in thousandths of g
  /// squared.
  var power: UInt32 = 0
  var localPower: UInt32 = 0

  /// The correlation at a lag of 1 to 56 samples.
  subscript(lag: Int) -> Int32 { Int32(correlations[lag - 1]) }

  /// The step period of a stride lag made finer, in 1/64 sample: the top of the parabola through
  /// the stride's correlation and its neighbours.
  func period(_ lag: Int) -> Int32 {
    let before = self[lag - 1]
    let stride = self[lag]
    let after = self[lag + 1]
    let curvature = 2 * stride - before - after
    guard curvature > 0, stride >= before, stride >= after else { return Int32(lag) * 32 }
    return Int32(lag) * 32 + 16 * (after - before) / curvature
  }
}

/// The autocorrelation of the band signal at each lag, centred on a moment.
///
/// Products of the signal with itself a lag later are summed over blocks of one hop, and the blocks
/// over a sliding window: each block is added once and subtracted once, which is exact for
/// integers. Lags are computed eight at a time. Each eight have one centre, within two samples of
/// every other's, so a change of gait shows in all of them at the same time. All sums fit 32 bits.
struct GaitCorrelation: Sendable {
  /// Groups of eight lags with one centre: 1 to 56 samples in all.
  private static let groups = 7
  /// The index in `history` at which a frame's central block begins, half the longest lag from its
  /// end.
  private static let middle = 26

  private let tuning: GaitTuning
  /// The window in blocks.
  private let window: Int
  /// Microseconds in a sample.
  private let cell: Int64
  /// The newest values; between frames the last hop is being filled.
  private var history = InlineArray<64, Int16>(repeating: 0)
  /// The running sum of squares after each sample, by its number modulo 256, wrapping.
  private var squares = [UInt32](repeating: 0, count: 256)
  /// The blocks' sums of products, group after group, by the block's number modulo 16.
  private var blocks = [InlineArray<7, SIMD8<Int32>>](
    repeating: InlineArray(repeating: .zero), count: 16)
  private var sums = InlineArray<7, SIMD8<Int32>>(repeating: .zero)
  /// Samples without a value, and those of them in which no steps are counted.
  private var missing = SampleMask()
  private var uncounted = SampleMask()
  /// The newest of both, until the block is complete.
  private var newest: (missing: UInt64, uncounted: UInt64) = (0, 0)
  /// Samples since the stretch began.
  private(set) var count = 0

  init(tuning: GaitTuning, scale: GaitScale = .quick) {
    self.tuning = tuning
    window = scale == .quick ? tuning.window : tuning.slowWindow
    cell = scale.cell
  }

  /// Samples from a frame's moment to the newest sample that it needs.
  var delay: Int { Self.delay(window: window) }

  /// Half a hop and half the longest lag to the newest block's end, then half the window.
  static func delay(window: Int) -> Int {
    63 - middle - GaitFrame.hop / 2 + (window - 1) * GaitFrame.hop / 2
  }

  /// Takes the next value of the band; returns `true` after every eighth, when a frame is due.
  @inline(__always)
  mutating func add(_ filtered: Int16, _ presence: Presence = .present) -> Bool {
    let place = count & 7
    let value = presence == .present ? filtered : 0
    history[56 + place] = value
    newest.missing = newest.missing &<< 1 | (presence == .present ? 0 : 1)
    newest.uncounted = newest.uncounted &<< 1 | (presence == .lost ? 1 : 0)
    let square = UInt32(truncatingIfNeeded: Int32(value) &* Int32(value))
    squares[count & 255] = squares[(count &- 1) & 255] &+ square
    count &+= 1
    guard place == 7 else { return false }
    slide()
    return true
  }

  /// Adds the newest block to the sums, subtracts the oldest, and makes room for the next.
  private mutating func slide() {
    let number = count / GaitFrame.hop
    missing.append(newest.missing & 255)
    uncounted.append(newest.uncounted & 255)
    for group in 0..<Self.groups {
      sums[group] &-= blocks[(number &- window) & 15][group]
    }
    var block = InlineArray<7, SIMD8<Int32>>(repeating: .zero)
    for group in 0..<Self.groups {
      block[group] = Self.products(of: group, in: history.span)
      sums[group] &+= block[group]
    }
    blocks[number & 15] = block
    for index in 0..<56 { history[index] = history[index + 8] }
  }

  /// The newest block's sums of products for the lags 8·group + 1...8.
  ///
  /// They are centred half their lag before the middle.
  @inline(__always)
  private static func products(of group: Int, in history: Span<Int16>) -> SIMD8<Int32> {
    let first = middle - 4 * group - 2
    var sums = SIMD8<Int32>.zero
    for sample in first..<first + GaitFrame.hop {
      let partner = sample + 8 * group + 1
      let partners = SIMD8<Int16>(
        history[partner], history[partner + 1], history[partner + 2], history[partner + 3],
        history[partner + 4], history[partner + 5], history[partner + 6], history[partner + 7])
      sums &+= SIMD8(repeating: Int32(history[sample])) &* SIMD8(truncatingIfNeeded: partners)
    }
    return sums
  }

  /// The sum of squares over `length` samples that end `before` samples before the newest.
  @inline(__always)
  private func energy(before: Int, length: Int) -> UInt32 {
    let last = count &- 1 &- before
    return squares[last & 255] &- squares[(last &- length) & 255]
  }

  /// Writes the correlations of the frame that is due.
  mutating func describe(in frame: inout GaitFrame) {
    let length = window * GaitFrame.hop
    let floor = UInt32(truncatingIfNeeded: tuning.amplitudeFloor * tuning.amplitudeFloor * length)
    frame.centre = Int64(count - delay) * cell
    frame.movement = movement
    frame.counted = 8 - Int32(uncounted.count(from: delay - GaitFrame.hop / 2, length: 8))
    let whole = energy(before: delay - length / 2, length: length)
    let present = length - missing.count(from: delay - length / 2, length: length)
    frame.power = whole / UInt32(truncatingIfNeeded: max(present, length / 4))
    let short = 2 * tuning.localHalf + 1
    frame.localPower =
      energy(before: delay - tuning.localHalf, length: short)
      / UInt32(truncatingIfNeeded: short)
    guard missing.isEmpty else { return describeWithHoles(in: &frame) }
    for group in 0..<Self.groups {
      let half = 4 * group + 2
      let end = 63 - Self.middle - 7
      let early = energy(before: end + half, length: length)
      let late = energy(before: end - half, length: length)
      // Twice the products over the sum of both energies is one for equal signals. All are scaled
      // to 14 bits, so that the quotient is a 16-bit product with a reciprocal.
      let mean = early / 2 &+ late / 2 &+ floor
      let shift = Int32(max(0, 18 &- mean.leadingZeroBitCount))
      let scale = min(
        Int32.max >> 16, (1 << 28) / Int32(truncatingIfNeeded: max(1, mean &>> shift)))
      let quotients = Self.products(of: sums[group] &>> SIMD8(repeating: shift), and: scale)
      for lane in 0..<8 { frame.correlations[8 * group + lane] = quotients[lane] }
    }
  }

  /// Writes the correlations of a frame with missing samples: means over the pairs of which both
  /// samples are present, relative to the mean square of the present ones.
  private func describeWithHoles(in frame: inout GaitFrame) {
    let length = window * GaitFrame.hop
    let floor = tuning.amplitudeFloor * tuning.amplitudeFloor
    for group in 0..<Self.groups {
      let begin = 63 - Self.middle - 5 + 4 * group
      let end = 63 - Self.middle - 9 - 4 * group
      let earlyMissing = missing.slice(from: begin, length: length)
      let early =
        Int(energy(before: begin, length: length))
        / max(length / 4, length - earlyMissing.nonzeroBitCount)
      let late =
        Int(energy(before: end, length: length))
        / max(length / 4, length - missing.count(from: end, length: length))
      let mean = (early + late) / 2 + floor
      for lane in 0..<8 {
        let partners = missing.slice(from: begin - 8 * group - lane - 1, length: length)
        let pairs = max(length / 4, length - (earlyMissing | partners).nonzeroBitCount)
        let sum = Int(sums[group][lane]) * Int(GaitFrame.one) / (pairs * max(1, mean))
        frame.correlations[8 * group + lane] = Int16(
          truncatingIfNeeded: max(-5_000, min(5_000, sum)))
      }
    }
  }

  /// The upper half of the products with a 15-bit scale; the sums are clamped to 16 bits.
  @inline(__always)
  private static func products(of sums: SIMD8<Int32>, and scale: Int32) -> SIMD8<Int16> {
    let least = SIMD8<Int32>(repeating: -32_768)
    let most = SIMD8<Int32>(repeating: 32_767)
    let above = sums.replacing(with: least, where: sums .< least)
    let held = SIMD8<Int16>(truncatingIfNeeded: above.replacing(with: most, where: above .> most))
    let factor = SIMD8<Int16>(repeating: Int16(truncatingIfNeeded: scale))
    let products =
      SIMD8<Int32>(truncatingIfNeeded: held) &* SIMD8<Int32>(truncatingIfNeeded: factor)
    return SIMD8(truncatingIfNeeded: products &>> 16)
  }

  /// Compares the mean squares of a short window and the long one.
  @inline(__always)
  private var movement: Movement {
    let length = window * GaitFrame.hop
    let short = 2 * tuning.localHalf + 1
    let local = Int(energy(before: delay - tuning.localHalf, length: short))
    let whole = Int(energy(before: delay - length / 2, length: length))
    let here = short - missing.count(from: delay - tuning.localHalf, length: short)
    let all = length - missing.count(from: delay - length / 2, length: length)
    guard here >= short * 3 / 4 else { return .steady }
    let (own, mean) = (local * all * 10_000, whole * here)
    guard own > 0, own >= mean * tuning.turnShare * tuning.turnShare else { return .still }
    return own >= mean * tuning.localShare * tuning.localShare ? .steady : .slack
  }
}

/// How the body moves around one moment of a walk.
enum Movement: UInt8, Sendable {
  /// Hardly: before the first step, after the last, or in a stop.
  case still
  /// Less than in the steps around: in a turn, a hesitation, or as a walk begins and ends.
  case slack
  /// As in the steps around.
  case steady
}

/// The time scale of a correlation: one of two, an octave apart.
enum GaitScale: Hashable, Sendable {
  /// 25 Hz: steps 0.28 s to 1.1 s apart.
  case quick
  /// 12.5 Hz: steps 1.1 s to 2 s apart.
  case slow

  /// Microseconds in a sample.
  var cell: Int64 { self == .quick ? UniformMagnitude.cell : 2 * UniformMagnitude.cell }
}

/// Whether a sample was measured.
enum Presence: UInt8, Comparable, Sendable {
  /// Measured.
  case present
  /// In a hole in which steps are counted at the walk's cadence.
  case bridged
  /// In a hole in which no steps are counted.
  case lost

  static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
}

/// One bit for each of the latest 256 samples.
struct SampleMask: Sendable {
  /// The newest sample is the lowest bit of the first word.
  private var low: UInt128 = 0
  private var high: UInt128 = 0
  /// Whether no bit is set.
  private(set) var isEmpty = true

  /// Appends eight samples, the newest in the lowest bit.
  @inline(__always)
  mutating func append(_ eight: UInt64) {
    if isEmpty, eight == 0 { return }
    high = high &<< 8 | low &>> 120
    low = low &<< 8 | UInt128(eight)
    isEmpty = low == 0 && high == 0
  }

  /// The bits of up to 128 samples, the newest of them `age` (0...127) samples before the newest.
  func slice(from age: Int, length: Int) -> UInt128 {
    let both = age == 0 ? low : low &>> UInt128(age) | high &<< UInt128(128 - age)
    return length >= 128 ? both : both & ((1 &<< UInt128(length)) &- 1)
  }

  /// The number of bits set in a slice.
  @inline(__always)
  func count(from age: Int, length: Int) -> Int {
    isEmpty ? 0 : slice(from: age, length: length).nonzeroBitCount
  }
}
