import FixedPoint
import Motion

/// The steps of a recording, and where it was silent.
struct WalkCourse: Hashable, Sendable {
  /// Every step, in order.
  let steps: [Step]
  /// The silences longer than a second, from the sample before to the sample after.
  let silences: [Range<Int64>]
  /// The last sample's time.
  let end: Int64
  /// What the samples were worth.
  let quality: SignalQuality

  /// Counts the steps of a recording of one sensor, worn anywhere.
  init(_ samples: [MotionSample]) throws(WalkRefusal) {
    var counter = StepCounter()
    var steps = counter.add(contentsOf: samples)
    steps += counter.finish()
    var silences: [Range<Int64>] = []
    var end = samples.first?.time ?? 0
    for sample in samples where sample.time > end {
      let (silence, overflow) = sample.time.subtractingReportingOverflow(end)
      if overflow || silence > StreamMonitor.longestInterval { silences.append(end..<sample.time) }
      end = sample.time
    }
    self.steps = steps.sorted { $0.time < $1.time }
    self.silences = silences
    self.end = end
    quality = counter.quality
    if case .refused(let refusal) = quality.verdict { throw .stream(refusal) }
  }

  /// The steps from `start` on and before `end`.
  func steps(in range: Range<Int64>) -> [Step] {
    steps.filter { range.contains($0.time) }
  }

  /// Refuses silences that make up more than a twentieth of `range`, as steps are lost in them.
  func refuseSilence(in range: Range<Int64>) throws(WalkRefusal) {
    var lost: UInt64 = 0
    for silence in silences {
      let part = silence.clamped(to: range)
      lost += UInt64(bitPattern: part.upperBound &- part.lowerBound)
    }
    if lost > UInt64(bitPattern: range.upperBound &- range.lowerBound) / 20 {
      throw .dropout(milliseconds: Int64(lost / 1_000))
    }
  }

  /// When the walking began and ended: half a step before the first and after the last.
  func walking() throws(WalkRefusal) -> Range<Int64> {
    guard let first = steps.first, let last = steps.last else { throw .noWalk }
    let (start, end) = (first.time &- first.period / 2, last.time &+ last.period / 2)
    guard start < end else { throw .noWalk }
    return start..<end
  }
}
