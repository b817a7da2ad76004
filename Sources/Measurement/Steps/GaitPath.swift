/// The likeliest course of walking and not walking, and of the period while walking.
///
/// A Viterbi search over 42 periods and "not walking". Frames score each period; starting, stopping
/// and changing the period cost. Costs are integers in 1/4096. A frame costs some 200 additions.
struct GaitPath: Sendable {
  /// Frames that the search looks ahead before it settles one: 3 s.
  static let lookahead = 15
  /// Frames that it remembers: 10 s, as far back as a start may still be found.
  static let memory = 50

  private let tuning: GaitTuning
  private var walking = InlineArray<42, Int32>(repeating: -(1 << 24))
  private var resting: Int32 = 0
  /// For each remembered frame and state, the state before; the last is "not walking".
  private var origins: [UInt8]
  private var count = 0

  /// The number of "not walking" among the states.
  static let rest: UInt8 = 42

  init(tuning: GaitTuning) {
    self.tuning = tuning
    origins = [UInt8](repeating: Self.rest, count: Self.memory * 43)
  }

  /// Takes the next frame's scores.
  mutating func add(_ scores: InlineArray<42, Int32>) {
    let row = (count % Self.memory) * 43
    count += 1
    var best = resting
    origins[row + 42] = Self.rest
    for state in walking.indices where walking[state] - tuning.exit > best {
      best = walking[state] - tuning.exit
      origins[row + 42] = UInt8(truncatingIfNeeded: state)
    }
    spread(row: row)
    let entered = resting - tuning.entry
    for state in walking.indices {
      if entered > walking[state] {
        walking[state] = entered
        origins[row + state] = Self.rest
      }
      walking[state] += scores[state]
    }
    resting = best
    level()
  }

  /// Lets every period be reached from every other at a cost that grows with the distance.
  private mutating func spread(row: Int) {
    for state in walking.indices { origins[row + state] = UInt8(truncatingIfNeeded: state) }
    for state in 1..<42 where walking[state - 1] - tuning.change > walking[state] {
      walking[state] = walking[state - 1] - tuning.change
      origins[row + state] = origins[row + state - 1]
    }
    for state in (0..<41).reversed() where walking[state + 1] - tuning.change > walking[state] {
      walking[state] = walking[state + 1] - tuning.change
      origins[row + state] = origins[row + state + 1]
    }
  }

  /// Keeps the best total at zero, and the others from falling out of range.
  private mutating func level() {
    var top = resting
    for state in walking.indices { top = max(top, walking[state]) }
    resting -= top
    for state in walking.indices { walking[state] = max(walking[state] - top, -(1 << 24)) }
  }

  /// The states on the best path, the newest frame's first, as far as they are remembered.
  func bestPath() -> [UInt8] {
    var state = Self.rest
    var top = resting
    for index in walking.indices where walking[index] > top {
      top = walking[index]
      state = UInt8(truncatingIfNeeded: index)
    }
    var path: [UInt8] = []
    path.reserveCapacity(Self.memory)
    for back in 0..<min(count, Self.memory) {
      path.append(state)
      state = origins[((count - 1 - back) % Self.memory) * 43 + Int(state)]
    }
    return path
  }
}
