import FixedPoint
public import Motion

/// A calibration as it was found in recordings, and how well it fits them.
public struct CalibrationFit: Hashable, Sendable {
  /// What was found.
  public var calibration: AccelerometerCalibration
  /// The still stretches that it rests on: 1 for an offset alone, 6 or more for a scale as well.
  public var positions: Int
  /// By how much the force read in a position was off 1 g at the most, in micro-g.
  public var errorBefore: Int64
  /// The same with the calibration applied.
  public var errorAfter: Int64
  /// Root mean square of the readings about each position's mean, in micro-g.
  public var noise: Int64

  /// Finds the calibration that recordings of one sensor allow.
  ///
  /// Every stretch of a second or more in which the sensor lay still on one of its sides counts,
  /// whether they come in one recording or in several. One side alone gives the offset, as
  /// ``AccelerometerCalibration/atRest(_:)`` does; all six give the scale as well, as
  /// ``AccelerometerCalibration/sixPositions(_:)`` does. Stretches in which it lay askew are passed
  /// over. Throws where there is no side, or where some of the six are missing.
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

  /// By how much a force is off 1 g, in micro-g.
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
