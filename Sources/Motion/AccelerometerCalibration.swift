/// The correction of one accelerometer: an offset and a scale on each axis.
///
/// A cheap sensor is off by some 40 mg at rest, which is 1.3° of inclination. A calibration belongs
/// to the one sensor that it was determined for.
/// True force = (reading − offset) · scale.
public struct AccelerometerCalibration: Hashable, Sendable {
  /// The scale of one: 2^24, so that a step is 6·10^-8.
  public static let unitScale: Int32 = 1 << 24

  /// The reading of each axis without a force along it, in micro-g.
  public var offset: Vector3
  /// The factor of each axis, in units of 2^-24.
  public var scale: Vector3

  /// Makes a calibration of an offset in micro-g and a scale in units of 2^-24; the default changes
  /// nothing.
  public init(
    offset: Vector3 = Vector3(x: 0, y: 0, z: 0),
    scale: Vector3 = Vector3(x: unitScale, y: unitScale, z: unitScale)
  ) {
    self.offset = offset
    self.scale = scale
  }

  /// The true force for a reading, both in micro-g.
  ///
  /// Clamped to `Int32`, with an error of at most half a micro-g. Cost: three multiplications.
  public func apply(_ reading: Vector3) -> Vector3 {
    Vector3(
      x: Self.corrected(reading.x, offset.x, scale.x),
      y: Self.corrected(reading.y, offset.y, scale.y),
      z: Self.corrected(reading.z, offset.z, scale.z))
  }

  /// The sample with its true force; the angular rate stays.
  public func apply(_ sample: MotionSample) -> MotionSample {
    MotionSample(
      time: sample.time, acceleration: apply(sample.acceleration), angularRate: sample.angularRate)
  }

  private static func corrected(_ reading: Int32, _ offset: Int32, _ scale: Int32) -> Int32 {
    // The difference has 33 bits; clamped to ±2^31, its product with the scale stays below 2^62, so
    // that half a unit can be added before the shift.
    let limit: Int64 = 1 << 31
    let difference = min(max(Int64(reading) - Int64(offset), -limit), limit)
    return Int32(clamping: (difference * Int64(scale) + (1 << 23)) >> 24)
  }
}
