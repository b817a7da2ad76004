/// Turns frames into steps: finds the walking frames and counts their steps once they are settled.
///
/// Each frame of the quick scale is joined with the frame of the slow scale around the same moment.
/// As that needs a longer window, quick frames wait for it.
struct GaitDecoder: Sendable {
  /// Frames of look-ahead before a frame is settled: 2.6 s.
  private static let lookahead = 8
  /// Frames that are settled together, so that the path is traced back a sixth as often.
  static let batch = 6

  private let tuning: GaitTuning
  private let evidence: GaitEvidence
  private var path: GaitPath
  /// The frames of both scales, by their numbers modulo 64 and 32.
  private var quick = [GaitFrame](repeating: GaitFrame(centre: 0), count: 64)
  private var slow = [GaitFrame](repeating: GaitFrame(centre: 0), count: 32)
  private var quickCount = 0
  private var slowCount = 0
  private var scores = GaitScores(repeating: .zero)
  /// Quick frames from the newest to the first of the two around the newest slow frame's moment.
  private let shift: Int
  private var open: BoutCount?
  /// The number of settled frames: counted, or classified as rest.
  private var settled = 0
  /// The first frame that is not part of a bout yet.
  private var uncounted = 0

  init(tuning: GaitTuning, evidence: GaitEvidence) {
    self.tuning = tuning
    self.evidence = evidence
    path = GaitPath(tuning: tuning)
    let delay = 2 * GaitCorrelation.delay(window: tuning.slowWindow)
    shift =
      (delay - GaitCorrelation.delay(window: tuning.window) + GaitFrame.hop / 2) / GaitFrame.hop
  }

  /// The credited part of the current bout.
  var bout: WalkingBout? { open?.bout }
  /// The current step period in 1/64 sample; `nil` outside of a bout.
  var period: Int32? { open?.bout == nil ? nil : open?.period }

  /// Takes the next frame of the quick scale.
  mutating func add(quick correlation: inout GaitCorrelation) {
    correlation.describe(in: &quick[quickCount & 63])
    quickCount += 1
  }

  /// Takes the next frame of the slow scale and logs the steps that are settled; `start` is the
  /// stretch's first time.
  mutating func add(
    slow correlation: inout GaitCorrelation, start: Int64, to log: inout StepLog
  ) {
    correlation.describe(in: &slow[slowCount & 31])
    slowCount += 1
    let end = min(quickCount, 2 * slowCount + 1 - shift)
    guard path.count < end else { return }
    let latest = (slowCount - 1) & 31
    evidence.score(
      slow: slow[latest].correlations.span, power: slow[latest].power,
      most: max(slow[latest].power, quick[path.count & 63].power), in: &scores)
    while path.count < end {
      let place = path.count & 63
      let power = quick[place].power
      evidence.score(quick[place].correlations.span, power: power, in: &scores)
      let isTremor = evidence.isTremor(quick[place].correlations.span, power: power)
      path.add(isTremor ? .rest : scores)
    }
    if path.count - settled >= Self.lookahead + Self.batch {
      settle(through: path.count - 1 - Self.lookahead, start: start, to: &log)
    }
  }

  /// The slow frame around the moment of a quick frame.
  private func slowPlace(_ number: Int) -> Int { ((number - 1 + shift) / 2) & 31 }

  /// Settles all remaining frames at the end of a stretch.
  mutating func finish(start: Int64, to log: inout StepLog) {
    settle(through: path.count - 1, start: start, to: &log)
    close(to: &log)
  }

  private mutating func settle(through last: Int, start: Int64, to log: inout StepLog) {
    guard settled <= last else { return }
    var states = InlineArray<64, UInt8>(repeating: UInt8(GaitPath.rest))
    let first = trace(into: &states)
    for number in first...last {
      let state = Int(states[number & 63])
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
  private func trace(into states: inout InlineArray<64, UInt8>) -> Int {
    var number = path.count - 1
    var state = path.last
    let oldest = max(0, path.count - GaitPath.memory + 1)
    while true {
      states[number & 63] = UInt8(truncatingIfNeeded: state)
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
    let frame = quick[number & 63]
    guard frame.centre >= 0 else { return }
    let period: Int32
    var movement = frame.movement
    if state < GaitLags.quickCount {
      if frame.localPower >= evidence.steadyPower(state) { movement = .steady }
      period = frame.period(GaitLags.stride(state))
    } else {
      let frame = slow[slowPlace(number)]
      movement = frame.movement
      period = 2 * frame.period(GaitLags.slowStride(state))
    }
    open?.add(
      period: period, counted: frame.counted, around: start &+ frame.centre, movement: movement)
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
  /// Microseconds after which a held-back step is dropped: longer than the slowest of the shortest
  /// bouts takes.
  private static let patience: Int64 = 18_000_000
  /// Microseconds between frames.
  private static let span = Int64(GaitFrame.hop) * UniformMagnitude.cell

  /// Steps not credited yet.
  private(set) var waiting: [Step] = []
  /// The credited part of the bout.
  private(set) var bout: WalkingBout?
  /// The current step period in 1/64 sample.
  private(set) var period: Int32?
  /// Slack frames since the last steady one.
  private var slack: [(period: Int32, counted: Int32, time: Int64)] = []
  /// Steps taken beyond the last whole one, in 2^-20 of one.
  private var phase: Int64
  private let shortestBout: Int

  init(tuning: GaitTuning) {
    shortestBout = tuning.shortestBout
    phase = Int64(tuning.boutBonus) << 10
  }

  /// Adds the steps of a frame with this period (1/64 sample), around `time` microseconds.
  ///
  /// Those of a slack frame wait for a steady one: they are taken if the walk goes on.
  mutating func add(
    period: Int32, counted: Int32 = 8, around time: Int64, movement: Movement = .steady
  ) {
    switch movement {
    case .still: slack.removeAll(keepingCapacity: true)
    case .slack:
      // Without a first step there is none to go on from.
      if self.period != nil { slack.append((period, counted, time)) }
    case .steady:
      for frame in slack { take(period: frame.period, counted: frame.counted, around: frame.time) }
      slack.removeAll(keepingCapacity: true)
      take(period: period, counted: counted, around: time)
    }
  }

  private mutating func take(period: Int32, counted: Int32, around time: Int64) {
    if bout == nil { waiting.removeAll { time &- $0.time > Self.patience } }
    self.period = period
    let advance = (Int64(counted) << 26) / Int64(period)
    guard advance > 0 else { return }
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
