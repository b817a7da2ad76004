/// A stretch of walking being counted: its cadence integrated into steps with times.
///
/// The first steps wait until there are enough of them to be a walk, and are then credited with the
/// times at which they were taken.
struct BoutCount: Sendable {
  /// Microseconds that a step may wait for others: twice what the shortest bout takes at most.
  static let patience: Int64 = 22_000_000
  /// Microseconds that a frame stands for.
  private static let span = Int64(GaitFrame.hop) * UniformMagnitude.cell

  /// Steps that wait, or that were never enough.
  private(set) var waiting: [Step] = []
  /// The bout as far as it is sure.
  private(set) var bout: WalkingBout?
  /// The present step period in 1/64 sample.
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
      // Where in the frame the count passed the next whole step.
      let offset = whole * Self.span / advance - Self.span / 2
      waiting.append(Step(time: time &+ offset, period: length))
      whole += 1 << 20
    }
    phase = (1 << 20) - whole + advance
  }

  /// Moves the steps that are sure by now to the log.
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
