import FixedPoint

/// Follows which way is up for a body-worn sensor, one inclination a sample.
///
/// With angular rates the specific force is low-passed in the room's frame, which fast movement does
/// not disturb (at 100 Hz or more; 0.8° root mean square on the BROAD recordings). Without them it is
/// low-passed at 2 Hz in the sensor's, right only while the movement is slow: see `quality`.
/// Causal, integers only; a silence of more than a second starts afresh.
public struct InclinationFilter: Hashable, Sendable {
  private let usesGyroscope: Bool
  /// Whether time runs backwards, as in the second pass over a recording.
  private let isReversed: Bool
  private var monitor = StreamMonitor()
  private var steadiness = Steadiness()
  private var tracker = GravityTracker()
  private var tilt = TiltFilter()
  private(set) var bias: GyroscopeBias
  /// The last angular rate, or `nil` while there is none and the accelerometer stands alone.
  private var lastRate: WideVector?
  private var hasLackedRate = false
  private var up = Vector3(x: 0, y: 0, z: 1 << 30)

  /// Makes a filter that has seen nothing; without `usesGyroscope` angular rates are passed over.
  public init(usesGyroscope: Bool = true) {
    self.init(usesGyroscope: usesGyroscope, isReversed: false, bias: .zero)
  }

  init(usesGyroscope: Bool, isReversed: Bool, bias: WideVector) {
    self.usesGyroscope = usesGyroscope
    self.isReversed = isReversed
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
  /// so does free fall; before anything is known, up is z.
  public mutating func add(_ sample: MotionSample) -> Inclination {
    if let force = advance(sample), let unit = force.unit { up = unit }
    return Inclination(time: sample.time, up: up)
  }

  /// The filtered force after the next sample in micro-g, or `nil` where the sample is ignored.
  mutating func advance(_ sample: MotionSample) -> WideVector? {
    let arrival = monitor.judge(sample)
    if arrival == .outOfOrder { return nil }
    steadiness.add(sample.acceleration)
    guard usesGyroscope, let rate = sample.angularRate else {
      return advanceTilt(sample.acceleration, arrival)
    }
    return advanceTracker(sample.acceleration, rate: WideVector(rate), arrival)
  }

  private mutating func advanceTilt(
    _ acceleration: Vector3, _ arrival: StreamMonitor.Arrival
  ) -> WideVector {
    hasLackedRate = true
    if case .next(let interval) = arrival, lastRate == nil {
      tilt.add(acceleration, interval: interval)
    } else {
      tilt.start(acceleration)
    }
    lastRate = nil
    return tilt.force
  }

  private mutating func advanceTracker(
    _ acceleration: Vector3, rate: WideVector, _ arrival: StreamMonitor.Arrival
  ) -> WideVector {
    defer { lastRate = rate }
    guard case .next(let interval) = arrival, interval <= Rotation.longestInterval,
      let lastRate
    else {
      tracker.start(acceleration)
      return tracker.microg
    }
    bias.add(rate: rate, acceleration: acceleration, interval: interval)
    // A gyroscope filters before it samples: what it reads at a moment is what it did until then.
    let turn = Rotation(rate: (isReversed ? lastRate : rate) - bias.bias, interval: interval)
    tracker.add(acceleration, turn: turn, interval: interval)
    return tracker.microg
  }
}
