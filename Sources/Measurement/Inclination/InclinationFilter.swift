import FixedPoint
public import Motion

/// Follows which way is up for a body-worn sensor, one inclination a sample.
///
/// With angular rates the specific force is low-passed in the room's frame, which fast movement does
/// not disturb (at 100 Hz or more; 0.73° root mean square on the BROAD recordings). Without them it is
/// low-passed at 2 Hz in the sensor's, right only while the movement is slow: see `quality`.
/// Causal, integers only; a silence of more than a second starts afresh.
public struct InclinationFilter: Hashable, Sendable {
  /// Which way through a recording the filter goes.
  enum Pass: Hashable, Sendable {
    /// Sample by sample, as they come.
    case live
    /// The first and the second pass over a recording that is complete; time runs backwards in the
    /// second.
    case forwards, backwards
  }

  private let usesGyroscope: Bool
  private let pass: Pass
  private var monitor = StreamMonitor()
  private var steadiness = Steadiness()
  private var tracker = GravityTracker()
  private var tilt = TiltFilter()
  private var smoother = TiltSmoother()
  private(set) var bias: GyroscopeBias
  /// The last angular rate, or `nil` while there is none and the accelerometer stands alone.
  private var lastRate: WideVector?
  private var hasLackedRate = false
  private var up = Vector3(x: 0, y: 0, z: 1 << 30)

  /// Makes a filter that has seen nothing; without `usesGyroscope` angular rates are passed over.
  public init(usesGyroscope: Bool = true) {
    self.init(usesGyroscope: usesGyroscope, pass: .live, bias: .zero)
  }

  init(usesGyroscope: Bool, pass: Pass, bias: WideVector) {
    self.usesGyroscope = usesGyroscope
    self.pass = pass
    self.bias = GyroscopeBias(bias: bias)
  }

  /// What the inclinations so far were worth.
  public var quality: InclinationQuality {
    var quality = InclinationQuality()
    quality.signal = monitor.quality
    quality.usesGyroscope = usesGyroscope && !hasLackedRate && monitor.quality.samples > 0
    quality.unsteadiness = steadiness.thousandths
    return quality
  }

  /// Takes the next sample and returns the inclination then.
  ///
  /// A sample whose time is not after the last changes nothing and repeats the last direction, and
  /// so does free fall; before anything is known, up is z. Cost: some 100 multiplications, one
  /// division and two square roots.
  public mutating func add(_ sample: MotionSample) -> Inclination {
    guard let unit = advance(sample)?.unit else { return Inclination(time: sample.time, up: up) }
    up = unit
    return Inclination(time: sample.time, up: unit)
  }

  /// The filtered force after the next sample in micro-g with 8 fractional bits, or `nil` where the
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
    else { return tracker.start(acceleration) }
    bias.add(rate: rate, acceleration: acceleration, interval: interval)
    // A gyroscope filters before it samples: what it reads at a moment is what it did until then.
    let read = (pass == .backwards ? lastRate : rate).map { $0 &<< Int64(Rotation.rateBits) }
    let turn = Rotation(rate: read - bias.bias, interval: interval)
    return tracker.add(acceleration, turn: turn, interval: interval)
  }
}
