import FixedPoint
public import Motion

/// Estimates the direction of up for a body-worn sensor, one inclination a sample.
///
/// With angular rates the specific force is low-passed in the room's frame, which fast movement
/// does not disturb (at 100 Hz or more; 0.73° root mean square on the BROAD recordings). Without
/// them it is low-passed at 2 Hz in the sensor's frame, which is accurate only for slow movement:
/// see `quality`. Causal, integers only; a gap of more than a second restarts it.
public struct InclinationFilter: Hashable, Sendable {
  /// The direction in which the filter processes a recording.
  enum Pass: Hashable, Sendable {
    /// A live stream, sample by sample.
    case live
    /// The first and the second pass over a complete recording; time runs backwards in the second.
    case forwards, backwards
  }

  private let usesGyroscope: Bool
  private let pass: Pass
  private var monitor = StreamMonitor()
  private var steadiness = Steadiness()
  private var tracker = GravityTracker()
  private var tilt = TiltFilter()
  private var smoother = TiltSmoother()
  /// The gyroscope's bias from rests, and in a live stream from movement, too.
  private var resting: GyroscopeBias
  private var turning = TurningBias()
  /// The last angular rate, or `nil` without one.
  private var lastRate: WideVector?
  private var hasLackedRate = false
  private var up = Vector3(x: 0, y: 0, z: 1 << 30)

  /// Makes a filter; without `usesGyroscope` it ignores angular rates.
  public init(usesGyroscope: Bool = true) {
    self.init(usesGyroscope: usesGyroscope, pass: .live, bias: .zero)
  }

  init(usesGyroscope: Bool, pass: Pass, bias: WideVector) {
    self.usesGyroscope = usesGyroscope
    self.pass = pass
    resting = GyroscopeBias(bias: bias)
  }

  /// The quality of the inclinations so far.
  public var quality: InclinationQuality {
    var quality = InclinationQuality()
    quality.signal = monitor.quality
    quality.usesGyroscope = usesGyroscope && !hasLackedRate && monitor.quality.samples > 0
    quality.unsteadiness = steadiness.thousandths
    return quality
  }

  /// Takes the next sample and returns its inclination.
  ///
  /// A sample whose time is not after the last changes nothing and repeats the last direction, and
  /// so does free fall; before the first direction up is z. Cost: about 100 multiplications, one
  /// division and two square roots.
  public mutating func add(_ sample: MotionSample) -> Inclination {
    guard let unit = advance(sample)?.unit else { return Inclination(time: sample.time, up: up) }
    up = unit
    return Inclination(time: sample.time, up: unit)
  }

  /// The filtered force after the next sample in micro-g with 8 fractional bits, or `nil` if the
  /// sample is ignored.
  mutating func advance(_ sample: MotionSample) -> WideVector? {
    let arrival = monitor.judge(sample)
    if arrival == .outOfOrder { return nil }
    steadiness.add(sample.acceleration)
    if usesGyroscope, let rate = sample.angularRate {
      return advanceTracker(sample.acceleration, rate: WideVector(rate), arrival)
    }
    return advanceTilt(sample.acceleration, arrival)
  }

  private mutating func advanceTilt(
    _ acceleration: Vector3, _ arrival: StreamMonitor.Arrival
  ) -> WideVector {
    hasLackedRate = true
    if case .next(let interval) = arrival, lastRate == nil {
      pass == .live
        ? tilt.add(acceleration, interval: interval)
        : smoother.add(acceleration, interval: interval)
    } else {
      tilt.start(acceleration)
      smoother.start(acceleration)
    }
    lastRate = nil
    return pass == .live ? tilt.force.map { $0 &<< 8 } : smoother.force
  }

  private mutating func advanceTracker(
    _ acceleration: Vector3, rate: WideVector, _ arrival: StreamMonitor.Arrival
  ) -> WideVector {
    defer { lastRate = rate }
    guard case .next(let interval) = arrival, interval <= Rotation.longestInterval,
      let lastRate
    else {
      turning.restart()
      return tracker.start(acceleration)
    }
    let isResting = resting.add(rate: rate, acceleration: acceleration, interval: interval)
    // A gyroscope filters before it samples: a reading is the rate of the interval before it.
    let read = (pass == .backwards ? lastRate : rate).map { $0 &<< Int64(Rotation.rateBits) }
    if isResting, pass == .live { turning.rest(at: resting.bias) }
    let corrected = read - (pass == .live ? turning.bias : resting.bias)
    let turn = Rotation(rate: corrected, interval: interval)
    let force = tracker.add(acceleration, turn: turn, interval: interval)
    if pass == .live, tracker.isSettled {
      turning.add(
        rate: corrected, interval: interval, force: tracker.force, isResting: isResting)
    }
    return force
  }
}

extension InclinationFilter {
  /// The inclinations of a complete recording, filtered forwards and backwards.
  ///
  /// The two passes have no lag, and the gyroscope's bias is estimated over the whole recording.
  /// One inclination a sample, in order. Cost: three passes over the samples.
  public static func smooth(
    _ samples: [MotionSample], usesGyroscope: Bool = true
  ) -> (inclinations: [Inclination], quality: InclinationQuality) {
    var learning = InclinationFilter(usesGyroscope: usesGyroscope)
    for sample in samples { _ = learning.advance(sample) }
    // A task is too short to learn it from its movement as well as two passes cancel it.
    let bias = learning.resting.bias
    var forwards = InclinationFilter(usesGyroscope: usesGyroscope, pass: .forwards, bias: bias)
    var backwards = InclinationFilter(
      usesGyroscope: usesGyroscope, pass: .backwards, bias: .zero - bias)
    // Samples that the first pass ignored have no force; the second pass skips them.
    let once = samples.map { forwards.advance($0) }
    var twice: [WideVector?] = zip(samples, once).reversed().map { sample, force in
      guard let force else { return nil }
      return backwards.advance(sample.reversed(with: force))
    }
    twice.reverse()
    return (inclinations(samples, twice), learning.quality)
  }

  /// One inclination a sample; samples without a force repeat the previous direction.
  private static func inclinations(
    _ samples: [MotionSample], _ forces: [WideVector?]
  ) -> [Inclination] {
    var up = Vector3(x: 0, y: 0, z: 1 << 30)
    return zip(samples, forces).map { sample, force in
      up = force?.unit ?? up
      return Inclination(time: sample.time, up: up)
    }
  }
}

extension MotionSample {
  /// The sample with time and rotation reversed, and with another force.
  fileprivate func reversed(with force: WideVector) -> Self {
    let microg = force.map { $0.roundedShift(right: 8) }
    return Self(
      time: ~time,
      acceleration: Vector3(
        x: Int32(clamping: microg.x), y: Int32(clamping: microg.y), z: Int32(clamping: microg.z)),
      angularRate: angularRate.map {
        Vector3(x: 0 &- $0.x, y: 0 &- $0.y, z: 0 &- $0.z)
      })
  }
}

/// Estimates gravity from an accelerometer alone in a complete recording: a first-order low-pass at
/// 2.5 Hz, run forwards and then backwards.
///
/// A limb's turning points are corners in its movement, and a steep filter rounds them off; the
/// gentle slope of this one, run both ways, keeps them and has no lag. Its corner frequency is
/// above slow limb movement and below the tremor of a working muscle (from 6 Hz). Each interval has
/// its own weight, so uneven sampling needs no redesign. Force in micro-g with 8 fractional bits.
struct TiltSmoother: Hashable, Sendable {
  /// The time constant 1 / (2π · 2.5 Hz) in microseconds.
  static let timeConstant: Int64 = 63_662

  /// The filtered force.
  private(set) var force = WideVector.zero

  /// Starts in the steady state of the first sample's force.
  mutating func start(_ acceleration: Vector3) {
    force = WideVector(acceleration).map { $0 &<< 8 }
  }

  /// Takes the next force, `interval` microseconds after the last (1...1 000 000).
  mutating func add(_ acceleration: Vector3, interval: Int64) {
    // The weight in Q20; its product with a force of 32 bits and 8 fractional bits fits 64 bits.
    let weight = (interval &<< 20) / (interval &+ Self.timeConstant)
    let error = WideVector(acceleration).map { $0 &<< 8 } - force
    force = force + error.map { ($0 &* weight).roundedShift(right: 20) }
  }
}
