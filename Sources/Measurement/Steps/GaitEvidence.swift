/// What a frame says for each period: its step and stride correlation, less what its rarity costs.
struct GaitEvidence: Sendable {
  private let stepWeight: Int16
  private let strideWeight: Int16
  private let halfWeight: Int16
  /// The prior and the threshold together, which no signal changes.
  private var handicaps = InlineArray<48, Int16>(repeating: 8_000)

  init(tuning: GaitTuning) {
    stepWeight = Int16(clamping: tuning.stepWeight)
    strideWeight = Int16(clamping: tuning.strideWeight)
    halfWeight = Int16(clamping: tuning.halfWeight)
    for index in 0..<GaitLags.count {
      // (p - u)² / (p·u) is ln²(p / u) to within 9 % over the range, and needs no logarithm.
      let period = GaitLags.stride(index)
      let distance = period - tuning.usualPeriod
      let prior = tuning.priorWeight * distance * distance / (period * tuning.usualPeriod)
      handicaps[index] = Int16(clamping: (tuning.threshold + prior) / 2)
    }
  }

  /// The score of each period in 1/2048, above zero where it speaks for walking.
  func scores(of likeness: Span<Int16>) -> InlineArray<48, Int16> {
    var scores = InlineArray<48, Int16>(repeating: 0)
    var steps = InlineArray<48, Int16>(repeating: 0)
    for pair in 0..<24 {
      let lower = likeness[6 + pair]
      // Correlations are below 2^13: the sum of two fits.
      let between = (lower &+ likeness[7 + pair]) &>> 1
      steps[2 * pair] = lower
      steps[2 * pair + 1] = between
    }
    var halves = InlineArray<48, Int16>(repeating: 0)
    for four in 3..<12 {
      // Four periods have the same half, to a quarter of a sample and a half.
      let half = max(0, likeness[four + 3])
      for state in 4 * four..<4 * four + 4 { halves[state] = half }
    }
    let half = halves.span
    let step = steps.span
    let handicap = handicaps.span
    for state in 0..<48 {
      let both =
        Int32(step[state]) &* Int32(stepWeight) &- Int32(half[state]) &* Int32(halfWeight)
        &+ Int32(likeness[GaitLags.shortestStride - 1 + state]) &* Int32(strideWeight)
      scores[state] = Int16(truncatingIfNeeded: both &>> 13) &- handicap[state]
    }
    return scores
  }
}
