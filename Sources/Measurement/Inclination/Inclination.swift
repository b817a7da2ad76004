import FixedPoint
public import Motion

/// Which way is up for a sensor at one moment.
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
  /// An arc tangent of two components: an arc cosine of one would be blind near 0° and 180°.
  public var angle: Int32 {
    let x = Int64(up.x)
    let y = Int64(up.y)
    let level = UInt64(x * x) + UInt64(y * y)
    let microdegrees = CORDIC.atan2(y: Int64(level.integerSquareRoot), x: Int64(up.z))
    return Int32(truncatingIfNeeded: microdegrees.roundedDivision(by: 1_000))
  }

  /// The components of `up` as floats, each in -1...1.
  public var components: (x: Double, y: Double, z: Double) {
    (Double(up.x) / 0x1p30, Double(up.y) / 0x1p30, Double(up.z) / 0x1p30)
  }
}
