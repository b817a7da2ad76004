import FixedPoint

/// The score of each period in a frame: its step and stride correlation less the penalties of its
/// period and of an amplitude that does not go with it.
struct GaitEvidence: Sendable {
  /// Levels of amplitude, a quarter of an octave each, from a thousandth of g.
  private static let levels = 48

  /// The weights in 1/8192.
  private let stepWeight: Int16
  private let strideWeight: Int16
  private let halfWeight: Int16
  private let contradictionWeight: Int16
  private let contradiction: SIMD8<Int16>
  private let likeness: SIMD8<Int16>
  private let weakRegularity: UInt32
  private let strongRegularity: UInt32
  private let noise: UInt32
  private let tremor: UInt32
  /// The threshold and the penalties of the states in eights, by the level of amplitude.
  private var steady = [UInt32](repeating: 0, count: GaitLags.count)
  private var handicaps = [SIMD8<Int16>](repeating: .zero, count: levels * GaitLags.count / 8)
  /// The weights of regularity in 1/2^13, likewise: of a movement too weak for its period, and of
  /// one too strong.
  private var weak = [SIMD8<Int16>](repeating: .zero, count: levels * GaitLags.count / 8)
  private var strong = [SIMD8<Int16>](repeating: .zero, count: levels * GaitLags.count / 8)

  init(tuning: GaitTuning) {
    stepWeight = Int16(clamping: tuning.stepWeight * 2)
    strideWeight = Int16(clamping: tuning.strideWeight * 2)
    halfWeight = Int16(clamping: tuning.halfWeight * 2)
    contradictionWeight = Int16(clamping: tuning.contradictionWeight * 2)
    contradiction = SIMD8(repeating: Int16(clamping: tuning.contradiction))
    likeness = SIMD8(repeating: Int16(clamping: tuning.likeness))
    weakRegularity = UInt32(clamping: tuning.weakRegularity)
    strongRegularity = UInt32(clamping: tuning.strongRegularity)
    tremor = UInt32(clamping: tuning.tremor)
    noise = UInt32(clamping: tuning.amplitudeFloor * tuning.amplitudeFloor)
    for state in 0..<GaitLags.count {
      // The law relative to a step of 0.7 s, 35 half samples: its power is twice the exponent.
      let octaves = (Self.log(35) - Self.log(GaitLags.period(state))) * tuning.lawExponent / 10
      let share = tuning.lawAmplitude * tuning.steadyShare / 100
      let ratio = Int(BinaryLogarithm.power(minus: Int64(512 - 2 * octaves) * 1_024))
      steady[state] = UInt32(clamping: (share * share * ratio) >> 22)
      let law = Self.law(ofPeriod: GaitLags.period(state), tuning)
      let far = Self.law(
        ofPeriod: GaitLags.period(state), below: tuning.weakReach, above: tuning.strongReach, tuning
      )
      let prior = Self.prior(ofPeriod: GaitLags.period(state), tuning)
      for level in 0..<Self.levels {
        let penalty = (tuning.threshold + prior) / 2 + Self.penalty(ofLevel: level, law, tuning)
        let place = (level * GaitLags.count + state) / 8
        handicaps[place][state & 7] = Int16(min(8_000, penalty))
        let amplitude = level * 16 + 8
        weak[place][state & 7] = Self.weight(far.lowerBound - amplitude, tuning)
        strong[place][state & 7] = Self.weight(amplitude - far.upperBound, tuning)
      }
    }
  }

  /// The mean square, in thousandths of g squared, from which on a state is walking in any window:
  /// a share of the law's amplitude.
  func steadyPower(_ state: Int) -> UInt32 { steady[state] }

  /// The penalty of a period in half samples, in 1/4096.
  private static func prior(ofPeriod period: Int, _ tuning: GaitTuning) -> Int {
    // (p - u)² / (p·u) is ln²(p / u) to within 9 % over the range, and needs no logarithm.
    let distance = min(period, 2 * tuning.usualPeriod) - tuning.usualPeriod
    return tuning.priorWeight * distance * distance
      / (min(period, 2 * tuning.usualPeriod) * tuning.usualPeriod)
  }

  /// The usual amplitudes for a period in half samples, in 1/64 octave above a thousandth of g.
  private static func law(ofPeriod period: Int, _ tuning: GaitTuning) -> ClosedRange<Int> {
    law(ofPeriod: period, below: tuning.lawTolerance, above: tuning.lawTolerance, tuning)
  }

  /// The amplitudes for a period up to a distance below and above the law in 1/64 octave.
  private static func law(
    ofPeriod period: Int, below: Int, above: Int, _ tuning: GaitTuning
  ) -> ClosedRange<Int> {
    let law = log(tuning.lawAmplitude) + (log(35) - log(period)) * tuning.lawExponent / 10
    let least = max(law - below, log(tuning.slowLeast))
    return least...max(law + above, log(tuning.slowMost), least)
  }

  /// The weight of regularity in 1/2^13, half an octave beyond the reach at the full.
  private static func weight(_ beyond: Int, _ tuning: GaitTuning) -> Int16 {
    let weight = max(0, min(beyond, 32)) * tuning.regularityWeight / 32
    return Int16(clamping: weight * 512)
  }

  /// The penalty of an amplitude, in 1/2048.
  private static func penalty(
    ofLevel level: Int, _ law: ClosedRange<Int>, _ tuning: GaitTuning
  ) -> Int {
    let amplitude = level * 16 + 8
    let strong = max(0, amplitude - law.upperBound)
    let weak = max(0, law.lowerBound - amplitude)
    return min(strong * strong * tuning.strongWeight / 4_096, tuning.strongMost)
      + min(weak * weak * tuning.weakWeight / 4_096, tuning.weakMost)
  }

  /// The binary logarithm in 1/64.
  private static func log(_ value: Int) -> Int {
    Int(BinaryLogarithm.log2(UInt64(max(1, value)))) / 1_024
  }

  /// The index of the handicaps for a mean square in thousandths of g squared.
  @inline(__always)
  private static func place(of power: UInt32) -> Int {
    let value = power | 1
    let exponent = 31 - value.leadingZeroBitCount
    // The square root of two in 1/2^31: the next half octave of the mean square.
    let half = value &<< UInt32(31 - exponent) >= 3_037_000_500 ? 1 : 0
    return min(levels - 1, 2 * exponent + half) * (GaitLags.count / 8)
  }

  /// Whether a frame of the quick scale shows a rhythm of four to six a second, which is no step's.
  func isTremor(_ likeness: Span<Int16>, power: UInt32) -> Bool {
    let limit = diluted(tremor, power)[0]
    return (4...6).contains { lag in
      let value = likeness[lag - 1]
      return value > limit && value >= likeness[lag - 2] && value >= likeness[lag]
    }
  }

  /// Writes the scores of the quick periods in 1/2048 from the correlations of a frame and its mean
  /// square; positive scores favour walking.
  func score(
    _ likeness: Span<Int16>, power: UInt32, in scores: inout GaitScores
  ) {
    let place = Self.place(of: power)
    let limit = diluted(strongRegularity, power)
    var regularity = SIMD8<Int16>(repeating: 0)
    for eight in 0..<GaitLags.quickCount / 8 {
      let first = 6 + 4 * eight
      let below = likeness.four(first)
      let between = (below &+ likeness.four(first + 1)) &>> 1
      let step = SIMD8(even: below, odd: between)
      let stride = likeness.eight(GaitLags.shortestStride - 1 + 8 * eight)
      // Half of a sprint's step is too short to be correlated.
      let half =
        eight > 0 ? SIMD8(likeness[2 * eight + 2], and: likeness[2 * eight + 3]) : .zero
      let regular = pointwiseMin(step, stride)
      regularity = pointwiseMax(regularity, regular)
      scores[eight] =
        score(
          step: pointwiseMax(step, .zero), stride: stride, half: half,
          contrary: contrary(step: step, half: half))
        &- handicaps[place + eight]
        &- Self.penalty(regular, beyond: limit, strong[place + eight])
    }
    demand(regularity, power: power, of: 0..<GaitLags.quickCount / 8, at: place, in: &scores)
  }

  /// Writes the scores of the slow periods from the correlations of the slow scale and its mean
  /// square.
  ///
  /// `most` is the larger mean square of both scales: a quick walk's strides are no slow walk's
  /// steps.
  func score(
    slow likeness: Span<Int16>, power: UInt32, most: UInt32, in scores: inout GaitScores
  ) {
    let place = Self.place(of: most)
    let limit = diluted(strongRegularity, power)
    var regularity = SIMD8<Int16>(repeating: 0)
    for eight in 0..<GaitLags.slowCount / 8 {
      let first = 12 + 4 * eight
      let above = likeness.four(first + 1)
      let between = (above &+ likeness.four(first)) &>> 1
      let step = SIMD8(even: between, odd: above)
      let stride = likeness.eight(GaitLags.shortestSlowStride - 1 + 8 * eight)
      let half = SIMD8(likeness[2 * eight + 6], and: likeness[2 * eight + 7])
      let third = SIMD8(likeness[(26 + 8 * eight) / 6], and: likeness[(30 + 8 * eight) / 6])
      let regular = pointwiseMin(step, stride)
      regularity = pointwiseMax(regularity, regular)
      let index = GaitLags.quickCount / 8 + eight
      scores[index] =
        score(
          step: step, stride: stride, half: half,
          contrary: contrary(step: step, half: half) &+ Self.excess(third, contradiction))
        &- handicaps[place + index]
        &- Self.penalty(regular, beyond: limit, strong[place + index])
    }
    demand(
      regularity, power: power, of: GaitLags.quickCount / 8..<GaitLags.count / 8, at: place,
      in: &scores)
  }

  /// The weighted sum for eight periods in 1/2048; four periods have the same half, to a quarter of
  /// a sample and a half.
  @inline(__always)
  private func score(
    step: SIMD8<Int16>, stride: SIMD8<Int16>, half: SIMD8<Int16>, contrary: SIMD8<Int16>
  ) -> SIMD8<Int16> {
    Self.product(step, stepWeight) &+ Self.product(stride, strideWeight)
      &- Self.product(pointwiseMax(half, .zero), halfWeight)
      &- Self.product(contrary, contradictionWeight)
  }

  /// How far the correlations contradict the periods.
  @inline(__always)
  private func contrary(step: SIMD8<Int16>, half: SIMD8<Int16>) -> SIMD8<Int16> {
    Self.excess(.zero &- step, contradiction) &+ Self.excess(half, contradiction)
      &+ Self.excess(step, likeness)
  }

  /// Penalises the periods for which the movement is much too weak, unless it is as irregular as
  /// people are.
  @inline(__always)
  private func demand(
    _ regularity: SIMD8<Int16>, power: UInt32, of eights: Range<Int>, at place: Int,
    in scores: inout GaitScores
  ) {
    let most = SIMD8(repeating: regularity.max())
    let limit = diluted(weakRegularity, power)
    guard most[0] > limit[0] else { return }
    for eight in eights {
      scores[eight] &-= Self.penalty(most, beyond: limit, weak[place + eight])
    }
  }

  /// A limit of correlation as the floor of the amplitude dilutes it.
  @inline(__always)
  private func diluted(_ limit: UInt32, _ power: UInt32) -> SIMD8<Int16> {
    let share = UInt64(limit) &* UInt64(power) / max(1, UInt64(power &+ noise))
    return SIMD8(repeating: Int16(truncatingIfNeeded: share))
  }

  /// The excess over a limit.
  @inline(__always)
  private static func excess(_ values: SIMD8<Int16>, _ limit: SIMD8<Int16>) -> SIMD8<Int16> {
    pointwiseMax(values &- limit, .zero)
  }

  /// The penalty in 1/2048 of regularity beyond a limit; of a fifth more at most, so that totals
  /// fit.
  @inline(__always)
  private static func penalty(
    _ regularity: SIMD8<Int16>, beyond limit: SIMD8<Int16>, _ weights: SIMD8<Int16>
  ) -> SIMD8<Int16> {
    let excess = pointwiseMin(excess(regularity, limit), SIMD8(repeating: 800)) &<< 3
    let product =
      SIMD8<Int32>(truncatingIfNeeded: excess) &* SIMD8<Int32>(truncatingIfNeeded: weights)
    return SIMD8(truncatingIfNeeded: product &>> 16)
  }

  /// Correlations are below 2^13: four times one fits.
  @inline(__always)
  private static func product(_ values: SIMD8<Int16>, _ weight: Int16) -> SIMD8<Int16> {
    let product =
      SIMD8<Int32>(truncatingIfNeeded: values &<< 2)
      &* SIMD8<Int32>(truncatingIfNeeded: SIMD8(repeating: weight))
    return SIMD8(truncatingIfNeeded: product &>> 16)
  }
}

/// The scores of all periods, in eights.
typealias GaitScores = InlineArray<8, SIMD8<Int16>>

extension GaitScores {
  /// The scores of what is no walk.
  static let rest = Self(repeating: SIMD8(repeating: -1_000))
}

/// The most likely sequence of walking and rest, and of the period while walking.
///
/// A Viterbi search over 64 periods and rest. Frames score each period; starts, ends and changes of
/// the period have costs. Totals are integers in 1/2048 relative to rest's, clamped between the
/// cost of a start and that of an end, so that they fit 16 bits. No back pointers are stored: the
/// totals of the previous frame determine where a path came from.
struct GaitPath: Sendable {
  /// The furthest back that a start can be found, in frames: 15 s.
  ///
  /// A walk whose rhythm is faint, as a swinging arm's at 12.5 Hz, is recognised that late.
  static let memory = 48
  /// Frames stored.
  private static let stored = 64
  /// The index of the state "rest".
  static let rest = GaitLags.count
  /// Padding on either side of the periods, which no path enters.
  private static let margin = 2

  private let entry: Int16
  private let exit: Int16
  private let change: Int16
  /// The totals after the latest frame.
  private var latest = InlineArray<68, Int16>(repeating: -20_000)
  /// The totals after each stored frame in eights, by its number modulo `stored`, and the highest
  /// of each.
  private var totals = [SIMD8<Int16>](
    repeating: SIMD8(repeating: -20_000), count: stored * GaitLags.count / 8)
  private var tops = InlineArray<64, Int16>(repeating: -20_000)
  /// Frames added.
  private(set) var count = 0

  init(tuning: GaitTuning) {
    entry = Int16(clamping: tuning.entry)
    exit = Int16(clamping: tuning.exit)
    change = Int16(clamping: tuning.change)
  }

  /// Takes the next frame's scores.
  mutating func add(_ scores: GaitScores) {
    let previous = latest
    let before = previous.span
    let row = (count & 63) * (GaitLags.count / 8)
    let gain = SIMD8(repeating: max(0, tops[(count &- 1) & 63] &- exit))
    let near = SIMD8(repeating: change)
    let far = SIMD8(repeating: change &+ change)
    let fresh = SIMD8(repeating: 0 &- entry)
    var highest = SIMD8<Int16>(repeating: -20_000)
    for eight in 0..<GaitLags.count / 8 {
      let place = 8 * eight
      let beside = pointwiseMax(before.eight(place + 1), before.eight(place + 3)) &- near
      let further = pointwiseMax(before.eight(place), before.eight(place + 4)) &- far
      let kept = pointwiseMax(before.eight(place + 2), fresh)
      let reached = pointwiseMax(kept, pointwiseMax(beside, further)) &+ scores[eight] &- gain
      highest = pointwiseMax(highest, reached)
      for lane in 0..<8 { latest[place + Self.margin + lane] = reached[lane] }
      totals[row + eight] = reached
    }
    tops[count & 63] = highest.max()
    count &+= 1
  }

  /// The state in which the best path ends.
  var last: Int { best(at: count, above: 0) }

  /// The state from which the best path came to `state` at a stored frame.
  func origin(of state: Int, at number: Int) -> Int {
    guard state != Self.rest else { return best(at: number, above: exit) }
    var origin = state
    var top = total(of: state, at: number)
    for offset in -Self.margin...Self.margin
    where (0..<GaitLags.count).contains(state + offset) {
      let cost = Int16(truncatingIfNeeded: offset.magnitude) &* change
      let other = total(of: state + offset, at: number) &- cost
      // Of equal totals the nearest wins, then the shorter period.
      if other > top { (origin, top) = (state + offset, other) }
    }
    return 0 &- entry > top ? Self.rest : origin
  }

  /// The state with the highest total before a frame; rest if that is not above `limit`.
  private func best(at number: Int, above limit: Int16) -> Int {
    let top = tops[(number &- 1) & 63]
    guard top > limit else { return Self.rest }
    var state = 0
    while state < GaitLags.count - 1, total(of: state, at: number) < top { state += 1 }
    return state
  }

  /// The total of a state before a frame.
  private func total(of state: Int, at number: Int) -> Int16 {
    totals[((number &- 1) & 63) * (GaitLags.count / 8) + state / 8][state & 7]
  }
}

extension SIMD8<Int16> {
  /// Four times one value, then four times another.
  fileprivate init(_ low: Int16, and high: Int16) {
    self.init(lowHalf: SIMD4(repeating: low), highHalf: SIMD4(repeating: high))
  }

  /// Interleaves two vectors.
  fileprivate init(even: SIMD4<Int16>, odd: SIMD4<Int16>) {
    self.init(even[0], odd[0], even[1], odd[1], even[2], odd[2], even[3], odd[3])
  }
}

extension Span<Int16> {
  /// Four values from a place on.
  @inline(__always)
  fileprivate func four(_ at: Int) -> SIMD4<Int16> {
    SIMD4(self[at], self[at + 1], self[at + 2], self[at + 3])
  }

  /// Eight values from a place on.
  @inline(__always)
  fileprivate func eight(_ at: Int) -> SIMD8<Int16> {
    SIMD8(lowHalf: four(at), highHalf: four(at + 4))
  }
}
