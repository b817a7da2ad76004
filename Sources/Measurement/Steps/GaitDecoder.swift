/// Turns frames into steps: finds the walking among them and counts it once it is sure.
struct GaitDecoder: Sendable {
  /// Frames that are looked ahead before one is settled: 3.2 s.
  static let lookahead = 10
  /// Frames that are settled at once, so that the path is traced back a quarter as often.
  static let batch = 4

  private let tuning: GaitTuning
  private let evidence: GaitEvidence
  private var path: GaitPath
  private var frames = [GaitFrame](repeating: GaitFrame(centre: 0), count: 32)
  private var open: BoutCount?
  /// How many frames are settled: counted or known to be rest.
  private var settled = 0
  /// The first frame that no bout has counted yet.
  private var uncounted = 0

  init(tuning: GaitTuning) {
    self.tuning = tuning
    evidence = GaitEvidence(tuning: tuning)
    path = GaitPath(tuning: tuning)
  }

  /// The bout that is going on, as far as it is sure.
  var bout: WalkingBout? { open?.bout }
  /// The present step period in 1/64 sample while a bout is going on.
  var period: Int32? { open?.bout == nil ? nil : open?.period }

  /// Takes the next frame and logs what became sure; `start` is the stretch's time.
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

  /// Settles every frame that came, with nothing more to look ahead to.
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
        // Steps before the settled ones wait for it: the walk they belong to reaches it.
        if number >= settled { open?.credit(to: &log) }
        uncounted = number + 1
      }
    }
    settled = last + 1
  }

  /// Follows the best path back to the first frame that is not settled, and returns where it stopped.
  ///
  /// If a walk is found to go on there that was not known, it goes on to that walk's first frame.
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
