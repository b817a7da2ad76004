import FixedPoint
import Motion

/// Force and angular rate of a stretch of samples without gaps, resampled to cells of 20 ms.
///
/// A cell holds the mean of its samples; cells without samples are interpolated linearly. Cells
/// begin at whole multiples of 20 ms on the samples' clock, so that they do not depend on the start
/// of the recording.
struct ResampledMotion: Hashable, Sendable {
  /// Microseconds in a cell: a tenth of the fastest event of interest.
  static let cell: Int64 = 20_000
  /// The clamps in micro-g and thousandths of a degree a second: the widest ranges sold.
  static let strongest: Int64 = 32_000_000
  static let fastest: Int64 = Rotation.fastest
  /// The longest gap in microseconds that is interpolated: a step.
  static let longestSilence: Int64 = 500_000

  /// A gap longer than `longestSilence`, and its empty cells.
  struct Silence: Hashable, Sendable {
    let cells: Range<Int>
    let duration: Int64
  }

  /// The time at which the first cell begins, in microseconds.
  let start: Int64
  /// Specific force in micro-g, one a cell.
  private(set) var forces: [WideVector] = []
  /// Angular rate in thousandths of a degree a second, one a cell; all zero without a gyroscope.
  private(set) var rates: [WideVector] = []
  /// Whether every sample had an angular rate.
  private(set) var hasRates = true
  /// The gaps within the stretch.
  private(set) var silences: [Silence] = []
  private var open = Cell()
  private var last: Int64

  private struct Cell: Hashable, Sendable {
    var index = 0
    var count: Int64 = 0
    var force = WideVector.zero
    var rate = WideVector.zero
  }

  /// Starts a stretch with its first sample.
  init(_ sample: MotionSample) {
    let rest = sample.time % Self.cell
    // Wraps, because the first time of a malformed file can be at the end of the range.
    start = sample.time &- (rest < 0 ? rest + Self.cell : rest)
    last = sample.time
    add(sample)
  }

  /// Takes the next sample, whose time is after the last by at most a second.
  mutating func add(_ sample: MotionSample) {
    let index = Int((sample.time &- start) / Self.cell)
    if index > open.index {
      close()
      noteSilence(before: sample.time, endingAt: index)
      open = Cell(index: index)
    }
    last = sample.time
    open.count += 1
    open.force = open.force + WideVector(sample.acceleration).map { $0.clamped(to: Self.strongest) }
    if let rate = sample.angularRate {
      open.rate = open.rate + WideVector(rate).map { $0.clamped(to: Self.fastest) }
    } else {
      hasRates = false
    }
  }

  /// Closes the last cell; call it once at the end of the stretch.
  mutating func close() {
    let count = open.count
    let force = open.force.map { $0.roundedDivision(by: count) }
    let rate = open.rate.map { $0.roundedDivision(by: count) }
    forces.lead(to: force, at: open.index)
    rates.lead(to: rate, at: open.index)
  }

  /// The time of a cell's middle, in microseconds.
  func time(of index: Int) -> Int64 {
    start &+ Int64(index) &* Self.cell &+ Self.cell / 2
  }

  private mutating func noteSilence(before time: Int64, endingAt index: Int) {
    let duration = time &- last
    guard duration > Self.longestSilence else { return }
    silences.append(Silence(cells: open.index..<index, duration: duration))
  }
}

extension [WideVector] {
  /// Appends `value` as element `index`, with linear interpolation from the last element.
  fileprivate mutating func lead(to value: WideVector, at index: Int) {
    if let from = last {
      let steps = Int64(index - count + 1)
      let way = value - from
      for step in 1..<Swift.max(steps, 1) {
        append(from + way.map { ($0 * step).roundedDivision(by: steps) })
      }
    }
    append(value)
  }
}
