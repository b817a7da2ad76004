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

  /// A specific force given in g, rounded to micro-g.
  ///
  /// - Returns: `nil` for a component that is not a number, or beyond ±2147 g.
  public init?(g x: Double, _ y: Double, _ z: Double) {
    func microG(_ g: Double) -> Int32? { Int32(exactly: (g * 1_000_000).rounded()) }
    guard let x = microG(x), let y = microG(y), let z = microG(z) else { return nil }
    self.init(x: x, y: y, z: z)
  }
}

/// One reading of a body-worn accelerometer, with the angular rate if the sensor has a gyroscope.
///
/// Everything is an integer, so that a recording gives the same measurement on every machine.
@frozen
public struct MotionSample: Hashable, Sendable {
  /// Microseconds since an origin that is the same for the whole stream.
  ///
  /// Times should not decrease; every measurement tolerates a stream in which they do.
  public var time: Int64
  /// Specific force in micro-g (1 g = 1 000 000), gravity included: a sensor lying flat reads
  /// about (0, 0, 1 000 000).
  public var acceleration: Vector3
  /// Angular rate in thousandths of a degree a second, `nil` without a gyroscope.
  public var angularRate: Vector3?

  /// Makes a sample.
  @inlinable
  public init(time: Int64, acceleration: Vector3, angularRate: Vector3? = nil) {
    self.time = time
    self.acceleration = acceleration
    self.angularRate = angularRate
  }

  /// The same reading at another time.
  @inlinable
  public func at(_ time: Int64) -> MotionSample {
    MotionSample(time: time, acceleration: acceleration, angularRate: angularRate)
  }
}
