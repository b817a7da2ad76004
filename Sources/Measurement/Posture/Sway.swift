import FixedPoint
public import Motion

/// The sway of a person who stands still, from the acceleration of the lower back.
///
/// The measures of Mancini et al. 2012 (ISway, J Neuroeng Rehabil 9:59, table 2), in units of
/// acceleration: low-passed at 3.5 Hz and levelled by gravity. Validated on synthetic movement
/// only: each figure within 2 % of its definition. A sensor's noise of 2 mg adds up to 2 % to the
/// root mean square, 10 % to range and path, and 25 % to the jerk of a steady person.
public struct Sway: Hashable, Sendable {
  /// The sway along one level direction.
  public struct Direction: Hashable, Sendable {
    /// Root mean square of the acceleration about its mean, in micrometres per square second.
    public var rms: Int64
    /// The largest acceleration less the smallest, in micrometres per square second.
    public var range: Int64
    /// The acceleration's path length, Σ|Δa|, in micrometres per square second.
    public var path: Int64
    /// The mean speed, |∫a|, in micrometres a second.
    ///
    /// Less the line of best fit to ∫a, the integral of a constant error of the sensor.
    public var meanVelocity: Int64
    /// The mean frequency of the acceleration, in thousandths of a hertz.
    ///
    /// The path a second over 4√2 rms, which is the frequency of a sine (Prieto et al. 1996, IEEE
    /// Trans Biomed Eng 43:956).
    public var meanFrequency: Int64
    /// The smoothness: half the integral of the squared rate of change of acceleration, in square
    /// millimetres over s⁵.
    public var jerk: Int64
  }

  /// To the front and to the back.
  public var anteroposterior: Direction
  /// To the left and to the right.
  public var mediolateral: Direction
  /// The area of the ellipse in which 95 % of the accelerations lie, in square millimetres over s⁴.
  ///
  /// 5.991 π √det of their covariance, 5.991 being the 95th percentile of χ² with two degrees of
  /// freedom.
  public var ellipseArea: Int64
  /// The measured time in microseconds, 25 000 000...30 000 000; path and jerk grow with it.
  public var duration: Int64
  /// The quality of the samples.
  public var quality: SignalQuality

  /// The jerk of both directions together, in square millimetres over s⁵ (Mancini's JERK).
  public var jerk: Int64 { anteroposterior.jerk + mediolateral.jerk }
}

/// Why the sway of a standing person was not measured.
public enum SwayRefusal: Error, Hashable, Sendable {
  /// The stream is unusable.
  case stream(SignalQuality.Refusal)
  /// The sensor sent nothing for this many milliseconds.
  case dropout(milliseconds: Int64)
  /// The recording lasts only this many seconds.
  case tooShort(seconds: Int64)
  /// The axis for front and back is within 30° of the vertical.
  case axisUpright(Axis)
  /// The person leant beyond the limits of stability.
  case moved

  /// A short name for scripts: the case's, or that of the stream's refusal.
  public var code: String {
    switch self {
    case .stream(let refusal): refusal.rawValue
    case .dropout: "dropout"
    case .tooShort: "tooShort"
    case .axisUpright: "axisUpright"
    case .moved: "moved"
    }
  }
}

extension Sway {
  /// The longest measured time in microseconds: 30 s are usual.
  public static let longest: Int64 = 30_000_000
  /// The shortest measured time in microseconds.
  public static let shortest: Int64 = 25_000_000
  /// The longest gap in microseconds within a recording: half a period of a sway of 1 Hz.
  public static let longestSilence: Int64 = 500_000
  /// The largest range of the acceleration without a step, in micrometres per square second:
  /// gravity at the limits of stability, 12.5° to front and back and 16° to either side (Nashner
  /// 1997).
  private static let furthest: (anteroposterior: Int64, mediolateral: Int64) = (
    2_122_000, 2_703_000
  )

  /// Measures the sway in a recording of one sensor on the lower back of a person who stands still.
  ///
  /// Of a longer recording the middle 30 s count. `axis` is the sensor's axis that points to the
  /// front or to the back; the sensor may be rotated about that axis and may lean. Throws if the
  /// figures would not be those of standing. Cost: about 30 multiplications a sample.
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
    // Per sample in square millimetres with 8 fractional bits: below 2^31 for accepted recordings.
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

extension Sway.Direction {
  /// The figures of accelerations in micrometres per square second, 50 a second, mean 0.
  init(_ course: [Int64]) {
    let steps = zip(course, course.dropFirst()).map { $1 - $0 }
    let path = steps.reduce(0) { $0 + abs($1) }
    let rms = Self.rootMeanSquare(course)
    let duration = Int64(steps.count) * UniformForce.cell
    // 10^9 µs·mHz; √2 is 1 414 214 / 10^6.
    let frequency = path.scaled(by: 1_000_000_000, over: duration)
      .scaled(by: 1_000_000, over: 4 * 1_414_214 * rms)
    // Over 2·0.02 s, and 10^6 µm² to the mm²: the sum of squares over 40 000.
    let squares = steps.reduce(UInt128(0)) { $0 + UInt128($1.magnitude * $1.magnitude) }
    self.init(
      rms: rms, range: (course.max() ?? 0) - (course.min() ?? 0), path: path,
      meanVelocity: Self.meanSpeed(course), meanFrequency: rms > 0 ? frequency : 0,
      jerk: Int64(clamping: squares / 40_000))
  }

  private static func rootMeanSquare(_ course: [Int64]) -> Int64 {
    let squares = course.reduce(UInt128(0)) { $0 + UInt128($1.magnitude * $1.magnitude) }
    let mean = squares / UInt128(max(course.count, 1))
    return Int64(UInt64(clamping: mean).integerSquareRoot)
  }

  /// The mean magnitude of the integral, less its best straight line, in micrometres a second.
  private static func meanSpeed(_ course: [Int64]) -> Int64 {
    let count = Int64(course.count)
    guard count > 1 else { return 0 }
    // In units of 20 ms · µm/s²; 1 500 of them at 32 g stay below 2^40.
    var speed: Int64 = 0
    let speeds = course.map { value in
      speed += value
      return speed
    }
    // Doubled times about their middle are integers and add up to zero.
    let times = (0..<count).map { 2 * $0 - (count - 1) }
    let moment = zip(times, speeds).reduce(0) { $0 + $1.0 * $1.1 }
    let inertia = times.reduce(0) { $0 + $1 * $1 }
    let mean = speeds.reduce(0, +).roundedDivision(by: count)
    let total = zip(times, speeds).reduce(0) { sum, point in
      sum + abs(point.1 - mean - moment.scaled(by: point.0, over: inertia))
    }
    return (total / 50).roundedDivision(by: count)
  }
}

/// The level part of the lower back's acceleration, to the front and to the side.
private struct SwayTrace: Hashable, Sendable {
  /// The cutoff of Mancini's low-pass in micro-hertz, 3.5 Hz.
  static let cutoff: Int64 = 3_500_000
  /// cos 30° in Q30: an axis nearer to the vertical does not define the front.
  static let steepest: Int64 = 929_887_697

  /// Anteroposterior acceleration in micrometres per square second, 50 a second, mean 0.
  let anteroposterior: [Int64]
  /// Mediolateral acceleration likewise.
  let mediolateral: [Int64]

  /// Resolves forces (micro-g, 50 a second) along level directions (Moe-Nilssen 1998).
  ///
  /// Up is the mean force; the front is the level part of `axis`. `nil` if that is too short.
  init?(_ forces: [WideVector], axis: Axis) {
    let sum = forces.reduce(WideVector.zero, +)
    guard let up = sum.unit.map(WideVector.init) else { return nil }
    let along = Self.dot(up, axis.direction, shift: 30)
    guard abs(along) <= Self.steepest,
      let front = (axis.direction - up.map { ($0 * along).roundedShift(right: 30) }).unit
        .map(WideVector.init),
      let side = up.cross(front, shift: 30).unit.map(WideVector.init)
    else { return nil }
    anteroposterior = Self.course(forces, along: front)
    mediolateral = Self.course(forces, along: side)
  }

  /// The smoothed acceleration along a direction, less its mean.
  private static func course(_ forces: [WideVector], along direction: WideVector) -> [Int64] {
    // Micro-g with 6 fractional bits: the filter's rounding is below the noise of any sensor.
    let smooth = zeroPhase(forces.map { Int32(clamping: dot($0, direction, shift: 24)) })
    // 9.80665 µm/s² a micro-g.
    let accelerations = smooth.map { (Int64($0) * 980_665).roundedDivision(by: 6_400_000) }
    let count = Int64(max(accelerations.count, 1))
    let mean = accelerations.reduce(0, +).roundedDivision(by: count)
    return accelerations.map { $0 - mean }
  }

  /// A second-order Butterworth forwards and backwards: fourth order, no lag.
  private static func zeroPhase(_ values: [Int32]) -> [Int32] {
    let rate = 1_000_000_000_000 / UniformForce.cell
    guard let design = BiquadCoefficients.lowPass(cutoff: cutoff, rate: rate) else { return values }
    func filtered(_ values: some Sequence<Int32>) -> [Int32] {
      var filter = Biquad(design)
      var isSettled = false
      return values.map { value in
        if !isSettled { filter.settle(at: value) }
        isSettled = true
        return filter.filter(value)
      }
    }
    return filtered(filtered(values).reversed()).reversed()
  }

  private static func dot(_ a: WideVector, _ b: WideVector, shift: Int) -> Int64 {
    (a.x * b.x + a.y * b.y + a.z * b.z).roundedShift(right: shift)
  }
}
