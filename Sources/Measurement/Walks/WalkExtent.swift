import FixedPoint
import Motion

/// When a person at whose trunk a sensor is worn begins to walk and stands again.
///
/// The trunk moves before the first step is whole and is still once the last foot stands. Movement is
/// all that is quicker than half a hertz, on three axes, over half a second.
struct WalkExtent: Hashable, Sendable {
  /// The share of the walk's median movement in percent, from which on the person walks.
  ///
  /// From 35 to 45 the error is the same.
  private static let share = 35
  /// Cells around a moment: half a second.
  private static let reach = 6
  /// The farthest beyond the steps in microseconds: a foot put right later is no walk.
  private static let farthest: UInt64 = 1_000_000

  /// The movement around each cell in micro-g, root mean square.
  private let movement: [UInt64]
  /// The middle of each cell, in microseconds; a hole leaves cells out.
  private let times: [Int64]

  /// Takes a recording.
  init(_ samples: [MotionSample]) {
    var squares: [UInt64] = []
    var times: [Int64] = []
    var stretch: Stretch?
    for sample in samples {
      guard let last = stretch?.last else {
        stretch = Stretch(sample)
        continue
      }
      guard sample.time > last else { continue }
      let (interval, overflow) = sample.time.subtractingReportingOverflow(last)
      guard !overflow, interval <= StreamMonitor.longestInterval else {
        stretch = Stretch(sample)
        continue
      }
      stretch?.add(sample, interval: interval) { time, square in
        times.append(time)
        squares.append(square)
      }
    }
    self.times = times
    movement = squares.indices.map { index in
      let around = squares[max(0, index - Self.reach)...min(squares.count - 1, index + Self.reach)]
      return (around.reduce(0, &+) / UInt64(around.count)).integerSquareRoot
    }
  }

  /// The range of the walk whose steps are in `steps`; `steps` itself if nothing was recorded there.
  func range(around steps: Range<Int64>) -> Range<Int64> {
    let inside = times.indices.filter { steps.contains(times[$0]) }
    let sorted = inside.map { movement[$0] }.sorted()
    guard let first = inside.first, let last = inside.last else { return steps }
    let threshold = sorted[sorted.count / 2] * UInt64(Self.share) / 100
    let begin = edge(from: first, step: -1, above: threshold, within: last)
    let end = edge(from: last, step: 1, above: threshold, within: first)
    guard begin < end else { return steps }
    return times[begin]..<times[end]
  }

  /// The outermost cell with enough movement on the way out from `start`, or else the nearest on the
  /// way in.
  private func edge(from start: Int, step: Int, above threshold: UInt64, within other: Int) -> Int {
    var found: Int?
    var index = start
    while movement.indices.contains(index) {
      let distance = times[index].subtractingReportingOverflow(times[start])
      guard !distance.overflow, distance.partialValue.magnitude <= Self.farthest else { break }
      if movement[index] >= threshold { found = index }
      index += step
    }
    if let found { return found }
    index = start
    while index != other, movement[index] < threshold { index -= step }
    return index
  }

  /// A stretch of samples without a gap.
  private struct Stretch {
    private(set) var last: Int64
    private var cells: MotionCells
    private var filters: [Biquad] = []
    private var time: Int64

    init(_ sample: MotionSample) {
      last = sample.time
      time = sample.time &- MotionCells.length / 2
      cells = MotionCells(sample)
      let force = sample.acceleration
      filters = [force.x, force.y, force.z].map {
        var filter = Biquad(Vertical.height)
        filter.settle(at: $0)
        return filter
      }
    }

    mutating func add(
      _ sample: MotionSample, interval: Int64, _ take: (Int64, UInt64) -> Void
    ) {
      last = sample.time
      cells.add(sample, interval: interval)
      while let mean = cells.next() {
        time = time &+ MotionCells.length
        var square: UInt64 = 0
        for (axis, force) in [mean.force.x, mean.force.y, mean.force.z].enumerated() {
          let moved = Int64(filters[axis].filter(Int32(clamping: force)))
          square &+= UInt64(moved * moved)
        }
        take(time, square)
      }
    }
  }
}
