import FixedPoint

/// How well the band signal repeats itself after each lag, around a moment in its middle.
///
/// Products of the signal with itself a lag later are summed over a window; as every product enters
/// and leaves once, integers need no renewal and a sample costs 98 multiplications. All lags share
/// one centre, so a change of gait shows in all of them at once.
struct GaitCorrelation: Sendable {
  private let tuning: GaitTuning
  /// The last 256 values, and the running sum of their squares, by sample number modulo 256.
  private var values = [Int32](repeating: 0, count: 256)
  private var energies = [Int64](repeating: 0, count: 256)
  private var energy: Int64 = 0
  private var products = [Int64](repeating: 0, count: GaitLags.correlated)
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
      let entering = Int64(value(new - half)) * Int64(value(new - half + lag))
      let leaving = Int64(value(old - half)) * Int64(value(old - half + lag))
      products[index] += entering - leaving
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
    var correlations = InlineArray<49, Int32>(repeating: 0)
    for index in correlations.indices {
      let lag = GaitLags.shortest + index
      let first = centre - half - 1 - lag / 2
      let last = centre + half - lag / 2
      let early = root(energy(after: first, through: last))
      let late = root(energy(after: first + lag, through: last + lag))
      correlations[index] = Int32(clamping: products[index] * 4_096 / (early * late + floor))
    }
    var frame = GaitFrame(
      centre: centre, scores: InlineArray(repeating: 0), periods: InlineArray(repeating: 0),
      isMoving: isMoving(at: centre))
    for index in frame.scores.indices {
      frame.scores[index] = score(index, correlations)
      frame.periods[index] = period(index, correlations)
    }
    return frame
  }

  private func root(_ square: Int64) -> Int64 {
    Int64(UInt64(max(square, 0)).integerSquareRoot)
  }

  /// Step and stride correlation, weighed, less what an unusual period costs.
  private func score(_ index: Int, _ correlations: InlineArray<49, Int32>) -> Int32 {
    let doubled = GaitLags.stride(index)
    let lower = doubled / 2 - GaitLags.shortest
    let step = (correlations[lower] + correlations[lower + doubled % 2]) / 2
    let stride = correlations[doubled - GaitLags.shortest]
    // (p - u)² / (p·u) is ln²(p / u) to within 9 % over the range, and needs no logarithm.
    let distance = Int32(doubled) - tuning.usualPeriod
    let prior =
      tuning.priorWeight * distance * distance / (Int32(doubled) * tuning.usualPeriod)
    return (step * tuning.stepWeight + stride * tuning.strideWeight) / 4_096 - prior
      - tuning.threshold
  }

  /// Half the stride lag, moved to the top of the parabola through its neighbours.
  private func period(_ index: Int, _ correlations: InlineArray<49, Int32>) -> Int32 {
    let middle = GaitLags.stride(index) - GaitLags.shortest
    let plain = Int32(GaitLags.stride(index)) * 32
    guard middle + 1 < GaitLags.correlated else { return plain }
    let before = correlations[middle - 1]
    let here = correlations[middle]
    let after = correlations[middle + 1]
    let curvature = 2 * here - before - after
    guard curvature > 0, here >= before, here >= after else { return plain }
    return plain + 16 * (after - before) / curvature
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
