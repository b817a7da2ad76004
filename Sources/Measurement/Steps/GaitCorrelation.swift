/// What the signal looks like around one moment, three times a second.
struct GaitFrame: Sendable {
  /// Samples from one frame to the next: 0.32 s, shorter than any change of gait.
  static let hop = 8
  /// Correlations of 1.
  static let one: Int32 = 4_096

  /// The moment, in microseconds since the stretch began.
  var centre: Int64
  /// How alike the signal is to itself after each lag of 1 to 56 samples, in 1/4096; then zeros.
  var correlations = InlineArray<64, Int16>(repeating: 0)
  /// Whether the body moves here as it does in the window on average.
  var isMoving = false

  /// The correlation at a lag of 1 to 56 samples.
  subscript(lag: Int) -> Int32 { Int32(correlations[lag - 1]) }

  /// The step period of a state made finer, in 1/64 sample: the top of the parabola through the
  /// stride's correlation and its neighbours.
  func period(_ state: Int) -> Int32 {
    let lag = GaitLags.stride(state)
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
  /// The newest values; between frames the last hop is being filled.
  private var history = InlineArray<64, Int16>(repeating: 0)
  /// The running sum of squares after each sample, by its number modulo 256, wrapping.
  private var squares = [UInt32](repeating: 0, count: 256)
  /// The blocks' sums of products, group after group, by the block's number modulo 16.
  private var blocks = [InlineArray<7, SIMD8<Int32>>](
    repeating: InlineArray(repeating: .zero), count: 16)
  private var sums = InlineArray<7, SIMD8<Int32>>(repeating: .zero)
  /// Samples since the stretch began.
  private(set) var count = 0

  init(tuning: GaitTuning) {
    self.tuning = tuning
  }

  /// Samples from a frame's moment to the newest sample that it needs.
  var delay: Int { Self.delay(window: tuning.window) }

  /// Half a hop and half the longest lag to the newest block's end, then half the window.
  static func delay(window: Int) -> Int {
    63 - middle - GaitFrame.hop / 2 + (window - 1) * GaitFrame.hop / 2
  }

  /// Takes the next value of the band; returns `true` after every eighth, when a frame is due.
  @inline(__always)
  mutating func add(_ value: Int16) -> Bool {
    let place = count & 7
    history[56 + place] = value
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
    for group in 0..<Self.groups {
      sums[group] &-= blocks[(number &- tuning.window) & 15][group]
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
    let length = tuning.window * GaitFrame.hop
    let floor = UInt32(truncatingIfNeeded: tuning.amplitudeFloor * tuning.amplitudeFloor * length)
    frame.centre = Int64(count - delay) * UniformMagnitude.cell
    frame.isMoving = isMoving
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
  private var isMoving: Bool {
    let length = tuning.window * GaitFrame.hop
    let local = energy(before: delay - tuning.localHalf, length: 2 * tuning.localHalf + 1)
    let whole = energy(before: delay - length / 2, length: length)
    return local > 0
      && Int(local) * length * 10_000
        >= Int(whole) * (2 * tuning.localHalf + 1) * tuning.localShare * tuning.localShare
  }
}
