/// Three components along a sensor's own axes.
@frozen
public struct Vector3: Hashable, Sendable {
  /// The component along the sensor's x axis.
  public var x: Int32
  /// The component along the sensor's y axis.
  public var y: Int32
  /// The component along the sensor's z axis.
  public var z: Int32

  /// Makes a vector of its three components.
  @inlinable
  public init(x: Int32, y: Int32, z: Int32) {
    self.x = x
    self.y = y
    self.z = z
  }
}

/// One reading of a body-worn accelerometer, with the angular rate where the sensor has a gyroscope.
///
/// Everything is an integer, so that a recording gives the same measurement on every machine.
@frozen
public struct MotionSample: Hashable, Sendable {
  /// Microseconds since an origin that the stream keeps throughout; never decreasing in a sound
  /// stream, but a measurement must bear one that is not.
  public var time: Int64
  /// Specific force in micro-g (1 g = 1 000 000), gravity included: a sensor lying flat reads
  /// about (0, 0, 1 000 000).
  public var acceleration: Vector3
  /// Angular rate in thousandths of a degree a second, `nil` where there is no gyroscope.
  public var angularRate: Vector3?

  /// Makes a sample.
  @inlinable
  public init(time: Int64, acceleration: Vector3, angularRate: Vector3? = nil) {
    self.time = time
    self.acceleration = acceleration
    self.angularRate = angularRate
  }
}
