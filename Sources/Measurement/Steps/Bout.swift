/// A stretch of walking being counted: its cadence integrated into steps with times.
///
/// The first steps wait until there are enough of them to be a walk, and are then credited with the
/// times at which they were taken.
struct Bout: Sendable {
  /// Microseconds that a step may wait for others: twice what the shortest bout takes at most.
  static let patience: Int64 = 22_000_000

  /// Steps that wait, or that were never enough.
  private(set) var waiting: [Step] = []
  private var isConfirmed = false
  /// Steps taken, in 2^-20 of one.
  private var phase: Int64
  private var counted: Int64 = 0
  private let tuning: GaitTuning

  init(tuning: GaitTuning) {
    self.tuning = tuning
    phase = tuning.boutBonus << 10
  }

  /// Adds the steps of a frame with this period (1/64 sample), around `time` microseconds.
  mutating func add(period: Int32, around time: Int64) {
    if !isConfirmed { waiting.removeAll { time &- $0.time > Self.patience } }
    let advance = (Int64(GaitFrame.hop) << 26) / Int64(period)
    let length = Int64(period) * UniformMagnitude.cell / 64
    let before = phase
    phase += advance
    while (counted + 1) << 20 <= phase {
      counted += 1
      // Where in the frame's 0.2 s the count passed the next whole step.
      let passed =
        ((counted << 20) - before) * Int64(GaitFrame.hop) * UniformMagnitude.cell / advance
      let offset = passed - Int64(GaitFrame.hop) * UniformMagnitude.cell / 2
      waiting.append(Step(time: time &+ offset, period: length))
    }
  }

  /// The steps that are sure by now, each once.
  mutating func credit() -> [Step] {
    if waiting.isEmpty || !(isConfirmed || waiting.count >= tuning.shortestBout) { return [] }
    isConfirmed = true
    defer { waiting.removeAll(keepingCapacity: true) }
    return waiting
  }
}
