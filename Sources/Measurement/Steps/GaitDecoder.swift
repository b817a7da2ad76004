/// Turns frames into steps: finds the walking frames and counts their steps once they are settled.
struct GaitDecoder: Sendable {
  /// Frames of look-ahead before a frame is settled: 3.2 s.
  private static let lookahead = 10
  /// Frames that are settled together, so that the path is traced back a quarter as often.
  static let batch = 4

  private let tuning: GaitTuning
  private let evidence: GaitEvidence
  private var path: GaitPath
  private var frames = [GaitFrame](repeating: GaitFrame(centre: 0), count: 32)
  private var open: BoutCount?
  /// The number of settled frames: counted, or classified as rest.
  private var settled = 0
  /// The first frame that is not part of a bout yet.
  private var uncounted = 0

  init(tuning: GaitTuning) {
    self.tuning = tuning
    evidence = GaitEvidence(tuning: tuning)
    path = GaitPath(tuning: tuning)
  }

  /// The credited part of the current bout.
  var bout: WalkingBout? { open?.bout }
  /// The current step period in 1/64 sample; `nil` outside of a bout.
  var period: Int32? { open?.bout == nil ? nil : open?.period }

  /// Takes the next frame and logs the steps that are settled; `start` is the stretch's first time.
  mutating func add(
    from correlation: inout GaitCorrelation, start: Int64, to log: inout StepLog
  ) {
    let number = path.count & 31
    correlation.describe(in: &frames[number])
    path.add(evidence.scores(of: frames[number].correlations.span))
    if path.count - settled == Self.lookahead + Self.batch {
      settle(through: path.count - 1 - Self.lookahead, start: start, to: &log)
    }
  }

  /// Settles all remaining frames at the end of a stretch.
  mutating func finish(start: Int64, to log: inout StepLog) {
    settle(through: path.count - 1, start: start, to: &log)
    close(to: &log)
  }

  private mutating func settle(through last: Int, start: Int64, to log: inout StepLog) {
    guard settled <= last else { return }
    var states = InlineArray<32, UInt8>(repeating: UInt8(GaitPath.rest))
    let first = trace(into: &states)
    for number in first...last {
      let state = Int(states[number & 31])
      if state == GaitPath.rest {
        close(to: &log)
      } else {
        count(number, state: state, start: start)
        // Steps of earlier frames are credited with the first settled frame of their walk.
        if number >= settled { open?.credit(to: &log) }
        uncounted = number + 1
      }
    }
    settled = last + 1
  }

  /// Follows the best path back to the first frame that is not settled; returns the last frame
  /// reached.
  ///
  /// If the path shows a new walk that began earlier, it follows the path to that walk's first
  /// frame.
  private func trace(into states: inout InlineArray<32, UInt8>) -> Int {
    var number = path.count - 1
    var state = path.last
    let oldest = max(0, path.count - GaitPath.memory + 1)
    while true {
      states[number & 31] = UInt8(truncatingIfNeeded: state)
      if number <= settled {
        let goesOn = open == nil && state != GaitPath.rest && number > max(uncounted, oldest)
        guard goesOn else { return number }
      }
      let origin = path.origin(of: state, at: number)
      if number <= settled, origin == GaitPath.rest { return number }
      state = origin
      number -= 1
    }
  }

  private mutating func count(_ number: Int, state: Int, start: Int64) {
    if open == nil { open = BoutCount(tuning: tuning) }
    let place = number & 31
    let centre = frames[place].centre
    if frames[place].isMoving, centre >= 0 {
      open?.add(period: frames[place].period(state), around: start &+ centre)
    }
  }

  private mutating func close(to log: inout StepLog) {
    if let bout = open?.bout { log.bouts.append(bout) }
    open = nil
  }
}

/// Counts the steps of one walking bout by integrating its cadence.
///
/// The first steps are held back until there are enough for a bout; they are then credited with the
/// times at which they were taken.
struct BoutCount: Sendable {
  /// Microseconds after which a held-back step is dropped: twice the longest time of a shortest
  /// bout.
  private static let patience: Int64 = 22_000_000
  /// Microseconds between frames.
  private static let span = Int64(GaitFrame.hop) * UniformMagnitude.cell

  /// Steps not credited yet.
  private(set) var waiting: [Step] = []
  /// The credited part of the bout.
  private(set) var bout: WalkingBout?
  /// The current step period in 1/64 sample.
  private(set) var period: Int32?
  /// Steps taken beyond the last whole one, in 2^-20 of one.
  private var phase: Int64
  private let shortestBout: Int

  init(tuning: GaitTuning) {
    shortestBout = tuning.shortestBout
    phase = Int64(tuning.boutBonus) << 10
  }

  /// Adds the steps of a frame with this period (1/64 sample), around `time` microseconds.
  mutating func add(period: Int32, around time: Int64) {
    if bout == nil { waiting.removeAll { time &- $0.time > Self.patience } }
    self.period = period
    let advance = (Int64(GaitFrame.hop) << 26) / Int64(period)
    let length = Int64(period) * UniformMagnitude.cell / 64
    var whole = (1 << 20) - phase
    while whole <= advance {
      // The position in the frame at which the count passed the next whole step.
      let offset = whole * Self.span / advance - Self.span / 2
      waiting.append(Step(time: time &+ offset, period: length))
      whole += 1 << 20
    }
    phase = (1 << 20) - whole + advance
  }

  /// Moves the held-back steps to the log once the bout is long enough.
  mutating func credit(to log: inout StepLog) {
    guard let first = waiting.first, let last = waiting.last,
      bout != nil || waiting.count >= shortestBout
    else { return }
    let begin = bout?.begin ?? first.time &- first.period / 2
    bout = WalkingBout(
      begin: begin, end: last.time &+ last.period / 2, steps: (bout?.steps ?? 0) + waiting.count)
    log.steps += waiting
    waiting.removeAll(keepingCapacity: true)
  }
}
