import FixedPoint
public import Motion

/// The direction of up in a sensor's frame at one moment.
@frozen
public struct Inclination: Hashable, Sendable {
  /// The sample's time in microseconds.
  public var time: Int64
  /// The unit vector that points up, along the sensor's axes, in Q30 (1 is 2^30).
  public var up: Vector3

  /// Makes an inclination of a time and a direction.
  @inlinable
  public init(time: Int64, up: Vector3) {
    self.time = time
    self.up = up
  }

  /// The angle between the sensor's z axis and up, in thousandths of a degree, 0...180 000.
  ///
  /// An arc tangent of two components: an arc cosine of one is imprecise near 0° and 180°.
  public var angle: Int32 {
    let x = Int64(up.x)
    let y = Int64(up.y)
    let level = UInt64(x * x) + UInt64(y * y)
    let microdegrees = CORDIC.atan2(y: Int64(level.integerSquareRoot), x: Int64(up.z))
    return Int32(truncatingIfNeeded: microdegrees.roundedDivision(by: 1_000))
  }

  /// The angle between this direction and another one, in thousandths of a degree, 0...180 000.
  ///
  /// It is how far a limb has turned if it turned about a horizontal axis.
  public func angle(to other: Inclination) -> Int32 {
    func part(_ a: Int32, _ b: Int32, _ c: Int32, _ d: Int32) -> Int64 {
      (Int64(a) * Int64(b) - Int64(c) * Int64(d)) >> 30
    }
    let (u, v) = (up, other.up)
    let across = [
      part(u.y, v.z, u.z, v.y), part(u.z, v.x, u.x, v.z), part(u.x, v.y, u.y, v.x),
    ]
    let square = across.reduce(0 as UInt64) { $0 &+ $1.magnitude &* $1.magnitude }
    let products = [
      Int64(u.x) * Int64(v.x), Int64(u.y) * Int64(v.y), Int64(u.z) * Int64(v.z),
    ]
    let along = products.reduce(0) { $0 + ($1 >> 30) }
    let microdegrees = CORDIC.atan2(y: Int64(square.integerSquareRoot), x: along)
    return Int32(truncatingIfNeeded: microdegrees.roundedDivision(by: 1_000))
  }

  /// The components of `up` as floats, each in -1...1.
  public var components: (x: Double, y: Double, z: Double) {
    (Double(up.x) / 0x1p30, Double(up.y) / 0x1p30, Double(up.z) / 0x1p30)
  }
}

/// The quality of a series of inclinations.
public struct InclinationQuality: Hashable, Sendable {
  /// The quality of the stream: samples, gaps, losses, rate.
  public internal(set) var signal = SignalQuality()
  /// Whether every sample had an angular rate that was used.
  public internal(set) var usesGyroscope = false
  /// Root mean square of |a| / 1 g - 1 in thousandths; `nil` before the first sample.
  public internal(set) var unsteadiness: Int?

  /// Whether the inclinations are reliable.
  ///
  /// With a gyroscope it is the stream's verdict. Without one the sensor must be moved slowly: an
  /// unsteadiness below 50 thousandths is good (1.0° error on average), to 100 low (1.6°), and
  /// above refused.
  public var verdict: SignalQuality.Verdict {
    guard !usesGyroscope, let unsteadiness else { return signal.verdict }
    switch signal.verdict {
    case .refused(let reason): return .refused(reason)
    case .low: return unsteadiness > Steadiness.refused ? .refused(.shaken) : .low
    case .good:
      return unsteadiness > Steadiness.refused
        ? .refused(.shaken) : unsteadiness >= Steadiness.good ? .low : .good
    }
  }
}

/// The unsteadiness of a sensor: the root mean square of |a| / 1 g - 1.
///
/// An accelerometer alone shows gravity only while other accelerations are small. The limits follow
/// from the errors on the BROAD recordings: below 0.05 they average 1.0°, to 0.10 1.6°, above 7°
/// and more.
struct Steadiness: Hashable, Sendable {
  /// Below this, in thousandths, an accelerometer alone is accurate.
  static let good = 50
  /// Above this, in thousandths, it is refused.
  static let refused = 100

  private var sum: UInt64 = 0
  private var count: UInt64 = 0

  /// Takes the next sample.
  mutating func add(_ acceleration: Vector3) {
    let excess = Int64(min(acceleration.length, 8_000_000)) - 1_000_000
    // Squares in units of (64 µg)²: below 2^34, which leaves room for 10^9 samples.
    sum &+= UInt64(bitPattern: excess &* excess) &>> 12
    count += 1
  }

  /// The root mean square in thousandths, rounded to nearest; `nil` before the first sample.
  var thousandths: Int? {
    guard count > 0 else { return nil }
    let root = (sum / count).integerSquareRoot
    return Int((root * 64 + 500) / 1_000)
  }
}
