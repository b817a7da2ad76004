import FixedPoint
import Motion

/// Force and angular rate of an unbroken stretch of samples in even cells of 20 ms.
///
/// A cell holds the mean of its samples, so that a fast sensor is averaged; a cell without any lies on
/// the straight line between its neighbours. Cells begin at whole multiples of 20 ms of the samples'
/// own time, so that what was recorded before a task cannot move them.
struct EvenCourse: Hashable, Sendable {
  /// Microseconds a cell lasts: a tenth of the quickest thing looked for.
  static let cell: Int64 = 20_000
  /// Micro-g and thousandths of a degree a second that count as the most: the widest ranges sold.
  static let strongest: Int64 = 32_000_000
  static let fastest: Int64 = Rotation.fastest
  /// The longest silence in microseconds over which a line is still what the thigh did: a step.
  static let longestSilence: Int64 = 500_000

  /// A silence longer than `longestSilence` and the cells that it left empty.
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
  /// The silences within the stretch.
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
    // Wrapping, because a hostile first time may lie at the very end of the range.
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

  /// Closes the last cell; to be called once, when the stretch is over.
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
  /// Appends `value` as element `index`, and a straight line from the last element to it.
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
