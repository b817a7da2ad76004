import FixedPoint
import Motion

/// Steps and how far the trunk rises in them, sample by sample.
///
/// The vertical is the slow part of the acceleration; the trunk's height is the acceleration along
/// it, integrated twice. A step runs from one lowest point to the next. All arithmetic is in
/// integers, at 25 Hz from samples of any rate.
struct TrunkPendulum: Sendable {
  /// One step.
  struct Step: Hashable, Sendable {
    /// From one lowest point to the next, in microseconds on the samples' clock.
    var range: Range<Int64>
    /// How far the trunk rose in it, in micrometres.
    var rise: Int64
    /// How fast the trunk turned about the vertical in it and the step before, in thousandths of a
    /// degree a second; `nil` without a gyroscope.
    var turning: Int64?
  }

  /// Microseconds between two samples beyond which a new stretch begins: three samples at 12.5 Hz.
  private static let longestInterval: Int64 = 250_000

  /// The steps that ended, oldest first.
  private(set) var steps: [Step] = []
  private var stretch: Stretch?

  /// Makes one that has seen nothing.
  init() {}

  /// Takes the next sample; one whose time is not after the last is ignored.
  mutating func add(_ sample: MotionSample) {
    guard let last = stretch?.last else {
      stretch = Stretch(sample)
      return
    }
    guard sample.time > last else { return }
    let (interval, overflow) = sample.time.subtractingReportingOverflow(last)
    guard !overflow, interval <= Self.longestInterval else {
      stretch = Stretch(sample)
      return
    }
    stretch?.add(sample, interval: interval, to: &steps)
  }

  /// Removes the steps that ended before a time.
  mutating func forget(before time: Int64) {
    steps.removeAll { $0.range.upperBound < time }
  }
}

/// A stretch of samples without a hole.
private struct Stretch: Sendable {
  /// The cells of a step: 0.3 s, below which a lowest point is one of the same step, to 1.5 s.
  private static let lengths = 8...37
  /// The least rise of a step in micrometres.
  private static let leastRise: Int64 = 5_000
  /// The units of a height in a metre: micro-g over a cell twice.
  private static let metre: Int64 = 63_732_268

  /// The last sample's time, and the first's.
  private(set) var last: Int64
  private let start: Int64
  private let hasRate: Bool
  private var cells: MotionCells
  private var vertical: Vertical?
  /// Cells so far.
  private var count = 0
  /// The heights of the newest cell and of the one before.
  private var newest: Moment?
  private var previous: Moment?
  /// The lowest points at which the open step and the one before it began, and the highest since.
  private var low: Moment?
  private var lowBefore: Moment?
  private var top: Int64 = 0

  /// The height and the heading at one cell.
  private struct Moment {
    var cell: Int
    var height: Int64
    /// The sum of the rates about the vertical, in thousandths of a degree a second over a cell.
    var heading: Int64
  }

  init(_ sample: MotionSample) {
    last = sample.time
    start = sample.time
    hasRate = sample.angularRate != nil
    cells = MotionCells(sample)
  }

  mutating func add(
    _ sample: MotionSample, interval: Int64, to steps: inout [TrunkPendulum.Step]
  ) {
    last = sample.time
    cells.add(sample, interval: interval)
    while let mean = cells.next() { take(mean, to: &steps) }
  }

  private mutating func take(_ mean: MotionCells.Mean, to steps: inout [TrunkPendulum.Step]) {
    // In place: the filters are not copied for each cell.
    guard let (height, rate) = vertical?.add(mean) else {
      vertical = Vertical(mean.force)
      return
    }
    count += 1
    let moment = Moment(cell: count, height: height, heading: (newest?.heading ?? 0) &+ rate)
    if let newest, let previous {
      top = max(top, newest.height)
      if newest.height < previous.height, newest.height <= height {
        end(at: newest, steps: &steps)
      }
    }
    (previous, newest) = (newest, moment)
  }

  /// Ends the open step at a lowest point and begins the next.
  private mutating func end(at point: Moment, steps: inout [TrunkPendulum.Step]) {
    guard let low else { return begin(at: point, after: nil) }
    let cells = point.cell - low.cell
    guard cells >= Self.lengths.lowerBound else {
      if point.height < low.height { begin(at: point, after: lowBefore) }
      return
    }
    guard cells <= Self.lengths.upperBound else { return begin(at: point, after: nil) }
    let rise = (top - min(low.height, point.height)) * 1_000_000 / Self.metre
    if rise >= Self.leastRise {
      let first = lowBefore ?? low
      let turning = (point.heading &- first.heading) / Int64(point.cell - first.cell)
      steps.append(
        TrunkPendulum.Step(
          range: time(of: low)..<time(of: point), rise: rise, turning: hasRate ? turning : nil))
    }
    begin(at: point, after: low)
  }

  private mutating func begin(at point: Moment, after before: Moment?) {
    low = point
    lowBefore = before
    top = point.height
  }

  /// The middle of a cell; the first cell served to find the vertical.
  private func time(of moment: Moment) -> Int64 {
    start &+ Int64(moment.cell) &* MotionCells.length &+ MotionCells.length / 2
  }
}

/// The vertical of a moving sensor, and its movement along it.
struct Vertical: Sendable {
  /// Butterworth sections for 25 Hz, as `BiquadCoefficients` designs them: a low-pass at 0.3 Hz for
  /// the vertical, high-passes at 0.3 Hz for the velocity and at 0.5 Hz for the height.
  ///
  /// A slow step, one a second, loses 3 % of its rise.
  static let slow = BiquadCoefficients(
    b0: 1_448_168, b1: 2_896_336, a1: -2_033_091_648, a2: 965_142_496)
  static let velocity = BiquadCoefficients(
    b0: 1_017_993_992, b1: -2_035_987_984, a1: -2_033_091_648, a2: 965_142_496)
  static let height = BiquadCoefficients(
    b0: 982_440_638, b1: -1_964_881_276, a1: -1_957_103_775, a2: 898_916_953)

  private var x: Biquad
  private var y: Biquad
  private var z: Biquad
  private var velocity: IntegratingHighPass
  private var height: IntegratingHighPass

  /// Begins at rest under a force in micro-g.
  init(_ force: WideVector) {
    func settled(_ value: Int64) -> Biquad {
      var filter = Biquad(Self.slow)
      filter.settle(at: Int32(clamping: value))
      return filter
    }
    (x, y, z) = (settled(force.x), settled(force.y), settled(force.z))
    velocity = IntegratingHighPass(Self.velocity, at: Int64(force.length))
    height = IntegratingHighPass(Self.height)
  }

  /// Takes the next cell; returns the height in micro-g over a cell twice, and the rate about the
  /// vertical in thousandths of a degree a second.
  mutating func add(_ mean: MotionCells.Mean) -> (height: Int64, rate: Int64) {
    let gravity = WideVector(
      x: Int64(x.filter(Int32(clamping: mean.force.x))),
      y: Int64(y.filter(Int32(clamping: mean.force.y))),
      z: Int64(z.filter(Int32(clamping: mean.force.z))))
    let length = Int64(max(1, gravity.length))
    // Three products of 2^26 and 2^26 fit.
    let along = mean.force.dot(gravity) / length
    let speed = velocity.filter(along)
    return (height.filter(speed), mean.rate.dot(gravity) / length)
  }
}
