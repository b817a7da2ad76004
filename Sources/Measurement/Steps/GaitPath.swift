/// The score of each period in a frame: its step and stride correlation less the prior's penalty.
struct GaitEvidence: Sendable {
  private let stepWeight: Int16
  private let strideWeight: Int16
  private let halfWeight: Int16
  /// The constant part of the scores: prior and threshold.
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

  /// The score of each period in 1/2048; positive scores favour walking.
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

/// The most likely sequence of walking and rest, and of the period while walking.
///
/// A Viterbi search over 42 periods and rest. Frames score each period; starts, ends and changes of
/// the period have costs. Totals are integers in 1/2048 relative to rest's, clamped between the
/// cost of a start and that of an end, so that they fit 16 bits. No back pointers are stored: the
/// totals of the previous frame determine where a path came from.
struct GaitPath: Sendable {
  /// Frames stored: 10 s, the furthest back that a start can be found.
  static let memory = 32
  /// The index of the state "rest".
  static let rest = GaitLags.count
  /// Padding on either side of the periods, which no path enters.
  private static let margin = 2

  private let entry: Int16
  private let exit: Int16
  private let change: Int16
  /// The totals after each stored frame, by its number modulo `memory`, and the highest of each.
  private var totals = [InlineArray<52, Int16>](
    repeating: InlineArray(repeating: -20_000), count: 32)
  private var tops = InlineArray<32, Int16>(repeating: -20_000)
  /// Frames added.
  private(set) var count = 0

  init(tuning: GaitTuning) {
    entry = Int16(clamping: tuning.entry)
    exit = Int16(clamping: tuning.exit)
    change = Int16(clamping: tuning.change)
  }

  /// Takes the next frame's scores.
  mutating func add(_ scores: InlineArray<48, Int16>) {
    let previous = totals[(count &- 1) & 31]
    let before = previous.span
    let scores = scores.span
    let gain = max(0, tops[(count &- 1) & 31] &- exit)
    let far = change &+ change
    let fresh = 0 &- entry
    let near = change
    var after = InlineArray<52, Int16>(repeating: -20_000)
    for state in 0..<GaitLags.padded {
      let beside = max(before[state + 1], before[state + 3]) &- near
      let further = max(before[state], before[state + 4]) &- far
      let reached = max(max(before[state + 2], fresh), max(beside, further))
      after[state + 2] = reached &+ scores[state] &- gain
    }
    tops[count & 31] = Self.top(after.span)
    totals[count & 31] = after
    count &+= 1
  }

  /// The state in which the best path ends.
  var last: Int { best(at: count, above: 0) }

  /// The state from which the best path came to `state` at a stored frame.
  func origin(of state: Int, at number: Int) -> Int {
    guard state != Self.rest else { return best(at: number, above: exit) }
    let place = (number &- 1) & 31
    var origin = state
    var top = totals[place][state + Self.margin]
    for distance in 1...Self.margin {
      for other in [state - distance, state + distance] {
        let total = totals[place][other + Self.margin] &- Int16(distance) &* change
        if total > top { (origin, top) = (other, total) }
      }
    }
    return 0 &- entry > top ? Self.rest : origin
  }

  private static func top(_ totals: Span<Int16>) -> Int16 {
    var top = totals[margin]
    for state in 1..<GaitLags.padded { top = max(top, totals[state + margin]) }
    return top
  }

  /// The state with the highest total before a frame; rest if that is not above `limit`.
  private func best(at number: Int, above limit: Int16) -> Int {
    let place = (number &- 1) & 31
    let top = tops[place]
    guard top > limit else { return Self.rest }
    var state = 0
    while state < GaitLags.count - 1, totals[place][state + Self.margin] < top { state += 1 }
    return state
  }
}
