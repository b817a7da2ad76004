import FixedPoint
public import Motion

extension AccelerometerCalibration {
  /// The largest offset in micro-g and the largest deviation of a scale from one in thousandths that
  /// are believed: data sheets of cheap sensors promise half of it.
  static let largestOffset: Int64 = 150_000
  static let largestDeviation: Int64 = 150

  /// Finds a calibration from one stillness with the sensor lying flat on one of its sides.
  ///
  /// Two axes must read nothing and the third 1 g: that gives the offset of each. The scale stays one,
  /// since the third axis cannot tell it from its offset. A surface that is not level is mistaken for
  /// an offset. Takes the samples of a second or more.
  public static func atRest(
    _ samples: [MotionSample]
  ) throws(CalibrationRefusal) -> AccelerometerCalibration {
    let stillness = try Stillness(samples)
    let (axis, isUp) = try stillness.vertical()
    let gravity: Int64 = isUp ? 1_000_000 : -1_000_000
    let mean = stillness.mean
    return try plausible(
      offset: WideVector(
        x: mean.x - (axis == 0 ? gravity : 0), y: mean.y - (axis == 1 ? gravity : 0),
        z: mean.z - (axis == 2 ? gravity : 0)),
      scale: WideVector(Self().scale))
  }

  /// Finds a calibration from one stillness in any position: one scale for all axes, so that the force
  /// is 1 g.
  ///
  /// Inclinations stay as they are; what it mends is `InclinationQuality.unsteadiness`.
  public static func scaledAtRest(
    _ samples: [MotionSample]
  ) throws(CalibrationRefusal) -> AccelerometerCalibration {
    let mean = try Stillness(samples).mean
    let length = Int64(
      Vector3(x: Int32(clamping: mean.x), y: Int32(clamping: mean.y), z: Int32(clamping: mean.z))
        .length)
    let scale = (1_000_000 << 24 as Int64).roundedDivision(by: length)
    return try plausible(offset: .zero, scale: WideVector(x: scale, y: scale, z: scale))
  }

  /// Finds offset and scale of each axis from a stillness on each of the sensor's six sides.
  ///
  /// The recordings come in any order and each is a second or longer; where a side comes twice, the
  /// last counts. Up and down an axis reads offset ± 1 g / scale. A side that is askew by 3° costs
  /// 0.14 % of the scale, and by 10°, the most that is taken, 1.5 %.
  public static func sixPositions(
    _ recordings: [[MotionSample]]
  ) throws(CalibrationRefusal) -> AccelerometerCalibration {
    var ups: [Int: Int64] = [:]
    var downs: [Int: Int64] = [:]
    for samples in recordings {
      let stillness = try Stillness(samples)
      let (axis, isUp) = try stillness.vertical()
      let reading = [stillness.mean.x, stillness.mean.y, stillness.mean.z][axis]
      if isUp { ups[axis] = reading } else { downs[axis] = reading }
    }
    var offsets: [Int64] = []
    var scales: [Int64] = []
    for (axis, name) in ["x", "y", "z"].enumerated() {
      guard let up = ups[axis] else { throw .missing(axis: name, isUp: true) }
      guard let down = downs[axis] else { throw .missing(axis: name, isUp: false) }
      offsets.append((up + down).roundedDivision(by: 2))
      scales.append((2_000_000 << 24 as Int64).roundedDivision(by: up - down))
    }
    return try plausible(
      offset: WideVector(x: offsets[0], y: offsets[1], z: offsets[2]),
      scale: WideVector(x: scales[0], y: scales[1], z: scales[2]))
  }

  private static func plausible(
    offset: WideVector, scale: WideVector
  ) throws(CalibrationRefusal) -> AccelerometerCalibration {
    let one = Int64(unitScale)
    let deviation = (scale - WideVector(x: one, y: one, z: one)).peak
    guard offset.peak <= largestOffset, deviation <= one * largestDeviation / 1_000 else {
      throw .implausible
    }
    return AccelerometerCalibration(
      offset: Vector3(
        x: Int32(clamping: offset.x), y: Int32(clamping: offset.y), z: Int32(clamping: offset.z)),
      scale: Vector3(
        x: Int32(clamping: scale.x), y: Int32(clamping: scale.y), z: Int32(clamping: scale.z)))
  }
}
