import FixedPoint

/// How well the band signal repeats itself after each lag, around a moment in its middle.
///
/// Products of the signal with itself a lag later are summed over a window; as every product enters
/// and leaves once, integers need no renewal and a sample costs 100 multiplications. All lags share
/// one centre, so a change of gait shows in all of them at once.
struct GaitCorrelation: Sendable {
  private let tuning: GaitTuning
  /// The last 256 values, and the running sum of their squares, by sample number modulo 256.
  private var values = [Int32](repeating: 0, count: 256)
  private var energies = [Int64](repeating: 0, count: 256)
  private var energy: Int64 = 0
  private var products = InlineArray<50, Int64>(repeating: 0)
  /// Samples taken since the stretch began.
  private(set) var count = 0

  init(tuning: GaitTuning) {
    self.tuning = tuning
  }

  /// Samples from a frame's centre to the newest sample that it needs.
  var delay: Int { tuning.halfWindow + 28 }

  /// Takes the next value of the band, and returns a frame after every fifth.
  mutating func add(_ value: Int32) -> GaitFrame? {
    let bounded = Int64(value).clamped(to: 1 << 20)
    energy &+= bounded * bounded
    values[count & 255] = Int32(truncatingIfNeeded: bounded)
    energies[count & 255] = energy
    count += 1
    let centre = count - 1 - delay
    slide(to: centre)
    guard count % GaitFrame.hop == 0, centre >= 0 else { return nil }
    return frame(at: centre)
  }

  /// Lets the products at the window's new end in and those that left it out.
  private mutating func slide(to centre: Int) {
    let new = centre + tuning.halfWindow
    let old = centre - tuning.halfWindow - 1
    for index in 0..<GaitLags.correlated {
      let lag = GaitLags.shortest + index
      let half = lag / 2
      let entering = Int64(value(new &- half)) &* Int64(value(new &- half &+ lag))
      let leaving = Int64(value(old &- half)) &* Int64(value(old &- half &+ lag))
      products[index] &+= entering &- leaving
    }
  }

  private func value(_ number: Int) -> Int32 { values[number & 255] }

  /// The sum of squares after sample `first`, up to and with `last`.
  private func energy(after first: Int, through last: Int) -> Int64 {
    energies[last & 255] &- energies[first & 255]
  }

  private func frame(at centre: Int) -> GaitFrame {
    let half = tuning.halfWindow
    let samples = Int64(2 * half + 1)
    let floor = tuning.amplitudeFloor * tuning.amplitudeFloor * samples
    var correlations = InlineArray<50, Int32>(repeating: 0)
    for index in correlations.indices {
      let lag = GaitLags.shortest + index
      let first = centre - half - 1 - lag / 2
      let last = centre + half - lag / 2
      let both =
        energy(after: first, through: last) + energy(after: first + lag, through: last + lag)
      // Twice the products over the sum of both energies: one where they are alike.
      correlations[index] = Int32(clamping: products[index] * 8_192 / (both + 2 * floor))
    }
    var frame = GaitFrame(
      centre: centre, scores: InlineArray(repeating: 0), periods: InlineArray(repeating: 0),
      isMoving: isMoving(at: centre))
    for index in frame.scores.indices {
      let doubled = GaitLags.stride(index)
      let middle = doubled - GaitLags.shortest
      let lower = doubled / 2 - GaitLags.shortest
      let step = (correlations[lower] + correlations[lower + doubled % 2]) / 2
      let stride = correlations[middle]
      frame.scores[index] = score(Int32(doubled), step: step, stride: stride)
      frame.periods[index] = period(
        Int32(doubled), stride: stride, before: correlations[middle - 1],
        after: correlations[middle + 1])
    }
    return frame
  }

  /// Step and stride correlation of a period in half samples, weighed, less what its rarity costs.
  private func score(_ period: Int32, step: Int32, stride: Int32) -> Int32 {
    // (p - u)² / (p·u) is ln²(p / u) to within 9 % over the range, and needs no logarithm.
    let distance = period - tuning.usualPeriod
    let prior = tuning.priorWeight * distance * distance / (period * tuning.usualPeriod)
    return (step * tuning.stepWeight + stride * tuning.strideWeight) / 4_096 - prior
      - tuning.threshold
  }

  /// A period in half samples made finer, in 1/64 sample: the top of the parabola through the
  /// stride's correlation and its neighbours.
  private func period(_ period: Int32, stride: Int32, before: Int32, after: Int32) -> Int32 {
    let curvature = 2 * stride - before - after
    guard curvature > 0, stride >= before, stride >= after else { return period * 32 }
    return period * 32 + 16 * (after - before) / curvature
  }

  /// Compares the root mean squares of a short window and the long one.
  private func isMoving(at centre: Int) -> Bool {
    let half = tuning.halfWindow
    let local = energy(after: centre - tuning.localHalf - 1, through: centre + tuning.localHalf)
    let whole = energy(after: centre - half - 1, through: centre + half)
    let localMean = local / Int64(2 * tuning.localHalf + 1)
    let wholeMean = whole / Int64(2 * half + 1)
    return localMean > 0
      && localMean * 10_000 >= wholeMean * tuning.localShare * tuning.localShare
  }
}
