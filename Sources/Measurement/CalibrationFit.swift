import FixedPoint
public import Motion

/// A calibration found in recordings, and its fit to them.
public struct CalibrationFit: Hashable, Sendable {
  /// The calibration.
  public var calibration: AccelerometerCalibration
  /// The number of rests used: 1 for an offset alone, 6 or more for a scale as well.
  public var positions: Int
  /// The largest difference of a position's force from 1 g, in micro-g.
  public var errorBefore: Int64
  /// The same with the calibration applied.
  public var errorAfter: Int64
  /// Root mean square of the readings about each position's mean, in micro-g.
  public var noise: Int64

  /// Finds a calibration in recordings of one sensor.
  ///
  /// It uses every stretch of a second or more in which the sensor lay still on one of its sides,
  /// in one recording or in several. One side gives the offset, as
  /// `AccelerometerCalibration.atRest(_:)` does; all six give the scale as well, as
  /// `AccelerometerCalibration.sixPositions(_:)` does. Stretches with a tilt are ignored. Throws
  /// if there is no side, or if some of the six are missing.
  public static func find(
    in recordings: [[MotionSample]]
  ) throws(CalibrationRefusal) -> CalibrationFit {
    let stretches = recordings.flatMap { StillStretches($0).stretches }
    guard !stretches.isEmpty else {
      for samples in recordings { _ = try Stillness(samples) }
      throw .tooShort
    }
    let positions = stretches.compactMap(Position.init)
    guard let longest = positions.max(by: { $0.samples.count < $1.samples.count }) else {
      throw .slanted
    }
    let isOneSide = positions.allSatisfy { $0.side == longest.side }
    let used = isOneSide ? [longest] : positions
    let calibration =
      isOneSide
      ? try AccelerometerCalibration.atRest(longest.samples)
      : try AccelerometerCalibration.sixPositions(positions.map(\.samples))
    return CalibrationFit(calibration, of: used)
  }

  private init(_ calibration: AccelerometerCalibration, of used: [Position]) {
    self.calibration = calibration
    positions = used.count
    errorBefore = used.map { Self.error($0.mean) }.max() ?? 0
    errorAfter = used.map { Self.error(calibration.apply($0.mean)) }.max() ?? 0
    let squares = used.reduce(UInt128(0)) { $0 + $1.squaredDeviations }
    let count = used.reduce(0) { $0 + $1.samples.count }
    noise = Int64(UInt64(clamping: squares / UInt128(max(count, 1))).integerSquareRoot)
  }

  /// The difference of a force from 1 g, in micro-g.
  private static func error(_ force: Vector3) -> Int64 { abs(Int64(force.length) - 1_000_000) }

  /// A stretch in which the sensor lay on one of its sides.
  private struct Position {
    let samples: [MotionSample]
    let side: Side
    private let center: WideVector

    /// The axis that is upright, 0 to 2, and which way it points.
    struct Side: Hashable {
      let axis: Int
      let isUp: Bool
    }

    init?(_ samples: [MotionSample]) {
      guard let stillness = try? Stillness(samples), let (axis, isUp) = try? stillness.vertical()
      else { return nil }
      self.samples = samples
      side = Side(axis: axis, isUp: isUp)
      center = stillness.mean
    }

    var mean: Vector3 {
      Vector3(
        x: Int32(clamping: center.x), y: Int32(clamping: center.y), z: Int32(clamping: center.z))
    }

    var squaredDeviations: UInt128 {
      samples.reduce(0) { sum, sample in
        let difference = WideVector(sample.acceleration) - center
        let square = [difference.x, difference.y, difference.z].reduce(0) { $0 + $1 * $1 }
        return sum + UInt128(square.magnitude)
      }
    }
  }
}

/// Why an accelerometer was not calibrated.
public enum CalibrationRefusal: Error, Hashable, Sendable {
  /// A position was held for less than a second, or has fewer than ten samples.
  case tooShort
  /// The sensor moved in a position.
  case moved
  /// No axis pointed up or down in a position to within 10°.
  case slanted
  /// A position is missing: no recording has this axis (`x`, `y`, `z`) pointing up, or down.
  case missing(axis: String, isUp: Bool)
  /// The calibration is beyond the error of any working sensor.
  case implausible
}

extension AccelerometerCalibration {
  /// The largest plausible offset in micro-g and deviation of a scale from one in thousandths: data
  /// sheets of cheap sensors specify half of it.
  static let largestOffset: Int64 = 150_000
  private static let largestDeviation: Int64 = 150

  /// Finds a calibration from one rest with the sensor lying flat on one of its sides.
  ///
  /// Two axes must read zero and the third 1 g, which gives the offset of each. The scale stays
  /// one, as the third axis does not separate it from the offset. A tilt of the surface adds to the
  /// offset. Takes the samples of a second or more.
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

  /// Finds a calibration from one rest in any position: one scale for all axes, so that the force
  /// is 1 g.
  ///
  /// It does not change inclinations, only `InclinationQuality.unsteadiness`.
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

  /// Finds offset and scale of each axis from a rest on each of the sensor's six sides.
  ///
  /// The recordings are in any order, a second or longer each; of two of the same side the last
  /// counts. Up and down an axis reads offset ± 1 g / scale. A side tilted by 3° changes the scale
  /// by 0.14 %, and by 10°, the limit, 1.5 %.
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
