import FixedPoint
public import Motion

extension Sway {
  /// Microseconds that are measured at most, and at least: 30 s are usual.
  public static let longest: Int64 = 30_000_000
  /// See `longest`.
  public static let shortest: Int64 = 25_000_000
  /// The longest silence in microseconds within a recording: no sway of 1 Hz hides in it.
  public static let longestSilence: Int64 = 500_000
  /// How far acceleration can range without a step, in micrometres per square second: gravity along
  /// the 12.5° to front and back and the 16° to either side that people can lean (Nashner 1997).
  static let furthest: (anteroposterior: Int64, mediolateral: Int64) = (2_122_000, 2_703_000)

  /// Measures the sway in a recording of one sensor on the lower back of somebody who stands still.
  ///
  /// Of a longer recording the middle 30 s count. `axis` is the sensor's axis that points to the
  /// front or to the back; how it is turned about that axis does not matter, nor that it leans.
  /// Throws where the figures would not be those of standing. Cost: some 30 multiplications a sample.
  public static func measure(
    _ samples: [MotionSample], axis: Axis = .z
  ) throws(SwayRefusal) -> Sway {
    var monitor = StreamMonitor()
    let ordered = samples.filter { monitor.judge($0) != .outOfOrder }
    let quality = monitor.quality
    if case .refused(let refusal) = quality.verdict { throw .stream(refusal) }
    try refuseSilence(ordered)
    guard quality.duration >= shortest else {
      throw .tooShort(seconds: quality.duration / 1_000_000)
    }
    let cells = UniformForce.cells(ordered)
    let count = min(cells.count, Int(longest / UniformForce.cell))
    let first = (cells.count - count) / 2
    guard let trace = SwayTrace(Array(cells[first..<first + count]), axis: axis) else {
      throw .axisUpright(axis)
    }
    let sway = Sway(
      anteroposterior: Direction(trace.anteroposterior),
      mediolateral: Direction(trace.mediolateral), ellipseArea: ellipseArea(trace),
      duration: Int64(count) * UniformForce.cell, quality: quality)
    guard sway.anteroposterior.range <= furthest.anteroposterior,
      sway.mediolateral.range <= furthest.mediolateral
    else { throw .moved }
    return sway
  }

  private static func refuseSilence(_ samples: [MotionSample]) throws(SwayRefusal) {
    for (earlier, later) in zip(samples, samples.dropFirst()) {
      let (silence, overflow) = later.time.subtractingReportingOverflow(earlier.time)
      if overflow || silence > longestSilence {
        throw .dropout(milliseconds: overflow ? .max : silence / 1_000)
      }
    }
  }

  /// 5.991 π √(σ²σ² - cov²) in square millimetres over s⁴.
  private static func ellipseArea(_ trace: SwayTrace) -> Int64 {
    var (front, side, both): (Int128, Int128, Int128) = (0, 0, 0)
    for (a, b) in zip(trace.anteroposterior, trace.mediolateral) {
      front += Int128(a) * Int128(a)
      side += Int128(b) * Int128(b)
      both += Int128(a) * Int128(b)
    }
    // Per sample in square millimetres with 8 fractional bits: below 2^31 for what is not refused.
    let count = Int128(max(trace.mediolateral.count, 1))
    let (variances, covariance) = (
      [front, side].map { UInt64(clamping: $0 * 256 / count / 1_000_000) },
      UInt64(clamping: both.magnitude * 256 / UInt128(count) / 1_000_000)
    )
    let bounded = variances.map { min($0, 1 << 31) }
    let product = bounded[0] * bounded[1]
    let square = min(covariance, 1 << 31) * min(covariance, 1 << 31)
    let root = (product > square ? product - square : 0).integerSquareRoot
    // 5.991 · π = 18.8213.
    return Int64(root) * 188_213 / 256 / 10_000
  }
}
