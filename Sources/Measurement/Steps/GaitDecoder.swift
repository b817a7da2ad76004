/// Turns frames into steps: finds the walking among them and counts it once it is sure.
struct GaitDecoder: Sendable {
  private let tuning: GaitTuning
  private var path: GaitPath
  private var frames: [GaitFrame] = []
  private var bout: Bout?
  /// How many frames came, and how many are settled: counted or known to be rest.
  private var count = 0
  private var settled = 0
  /// The first frame that no bout has counted yet.
  private var uncounted = 0

  init(tuning: GaitTuning) {
    self.tuning = tuning
    path = GaitPath(tuning: tuning)
  }

  /// Takes the next frame and returns the steps that became sure; `start` is the stretch's time.
  mutating func add(_ frame: GaitFrame, start: Int64) -> [Step] {
    remember(frame)
    path.add(frame.scores)
    guard count > GaitPath.lookahead else { return [] }
    return settle(through: count - 1 - GaitPath.lookahead, start: start)
  }

  /// Settles every frame that came, with nothing more to look ahead to.
  mutating func finish(start: Int64) -> [Step] {
    guard count > 0 else { return [] }
    return settle(through: count - 1, start: start)
  }

  private mutating func remember(_ frame: GaitFrame) {
    if frames.count < GaitPath.memory {
      frames.append(frame)
    } else {
      frames[count % GaitPath.memory] = frame
    }
    count += 1
  }

  private mutating func settle(through last: Int, start: Int64) -> [Step] {
    guard settled <= last else { return [] }
    let states = path.bestPath()
    var steps: [Step] = []
    for number in settled...last {
      if states[count - 1 - number] == GaitPath.rest {
        bout = nil
        continue
      }
      let first = bout == nil ? beginning(before: number, states) : number
      for counted in first...number {
        add(counted, state: Int(states[count - 1 - counted]), start: start)
      }
      steps += bout?.credit() ?? []
      uncounted = number + 1
    }
    settled = last + 1
    return steps
  }

  /// The earliest frame from which the best path walks up to `number` without a break.
  private func beginning(before number: Int, _ states: [UInt8]) -> Int {
    var first = number
    while first > uncounted, count - first < states.count,
      states[count - first] != GaitPath.rest
    {
      first -= 1
    }
    return first
  }

  private mutating func add(_ number: Int, state: Int, start: Int64) {
    var current = bout ?? Bout(tuning: tuning)
    let frame = frames[number % GaitPath.memory]
    if frame.isMoving {
      let middle = Int64(frame.centre) * UniformMagnitude.cell + UniformMagnitude.cell / 2
      current.add(period: frame.periods[state], around: start &+ middle)
    }
    bout = current
  }
}
