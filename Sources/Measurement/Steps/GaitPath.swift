/// The likeliest course of walking and not walking, and of the period while walking.
///
/// A Viterbi search over 42 periods and "not walking". Frames score each period; starting, stopping
/// and changing the period cost. Totals are integers in 1/2048, relative to that of not walking, which
/// holds them within 16 bits: nobody is worse off than by starting anew, or better than by an end.
/// No pointers are kept: the totals before say by themselves where a path came from.
struct GaitPath: Sendable {
  /// Frames that it remembers: 10 s, as far back as a start may still be found.
  static let memory = 32
  /// The number of "not walking" among the states.
  static let rest = GaitLags.count
  /// Places beside the periods on either side, which no path takes.
  private static let margin = 2

  private let entry: Int16
  private let exit: Int16
  private let change: Int16
  /// The totals after each remembered frame, by its number modulo `memory`, and the highest of each.
  private var totals = [InlineArray<52, Int16>](
    repeating: InlineArray(repeating: -20_000), count: 32)
  private var tops = InlineArray<32, Int16>(repeating: -20_000)
  /// Frames taken.
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

  /// The state from which the best path came to `state` at a remembered frame.
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

  /// The state with the highest total before a frame; rest where that is not above `limit`.
  private func best(at number: Int, above limit: Int16) -> Int {
    let place = (number &- 1) & 31
    let top = tops[place]
    guard top > limit else { return Self.rest }
    var state = 0
    while state < GaitLags.count - 1, totals[place][state + Self.margin] < top { state += 1 }
    return state
  }
}
