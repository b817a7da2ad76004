import FixedPoint
public import Motion

/// The range of motion of a joint, from one sensor on the limb or two on either side of the joint.
///
/// Names and signs are ResearchKit's: an angle is 90° less the elevation of the sensor in the
/// rotation about the joint's axis, so 0° is upright on its long side, 90° is lying on its back.
/// Angles are unwrapped: 0° to 200° is a range of 200°, in either direction.
///
/// The sign of one sensor's angle depends on how it is worn: the axis of the rotation has two
/// directions, and the one along which the sensor's own axes point positive is taken. A sensor worn
/// upside down, or on the limb's other side, reverses it. Range, repetitions and hold do not depend
/// on it.
public struct RangeOfMotion: Hashable, Sendable {
  /// The confidence in the figures.
  public enum Confidence: String, Hashable, Sendable {
    /// With a gyroscope, or moved slowly enough without one.
    case good
    /// Moved rather fast for an accelerometer alone (error 1.6° on average), or with some samples
    /// lost.
    case low
  }

  /// The quantity that the angles describe.
  public enum Method: String, Hashable, Sendable {
    /// The rotation about the joint's axis, which is estimated from the movement.
    case jointAxis
    /// The sensor's z axis against the vertical (0° to 180°): the movement had no single axis.
    case inclination
  }

  /// The angle at the first sample, in thousandths of a degree.
  public var startMillidegrees: Int64
  /// The angle at the last sample, in thousandths of a degree.
  public var finishMillidegrees: Int64
  /// The smallest angle, in thousandths of a degree.
  public var minimumMillidegrees: Int64
  /// The largest angle, in thousandths of a degree.
  public var maximumMillidegrees: Int64
  /// How often the limb moved from one end of its range to the other and back (the last one may
  /// lack the way back); 0 if it moved by less than 6.3°.
  public var repetitions: Int
  /// The hold at the end of the range; `nil` without one.
  public var hold: Hold?
  /// The quantity that the angles describe.
  public var method: Method
  /// The confidence in the figures.
  public var confidence: Confidence
  /// The number of sensors.
  ///
  /// One gives the angle of a limb's segment against the vertical, which is the joint's only if the
  /// segment above it was held still. Two give the angle of the joint.
  public var sensorCount: Int
  /// The quality of the samples: with two sensors, those of the distal one.
  public var quality: InclinationQuality
  /// The quality of the proximal sensor's samples, if there is one.
  public var proximalQuality: InclinationQuality?

  /// The largest angle less the smallest, in thousandths of a degree.
  public var rangeMillidegrees: Int64 { maximumMillidegrees - minimumMillidegrees }

  /// The angle at the first sample in degrees.
  public var start: Double { Double(startMillidegrees) / 1_000 }
  /// The angle at the last sample in degrees.
  public var finish: Double { Double(finishMillidegrees) / 1_000 }
  /// The smallest angle in degrees.
  public var minimum: Double { Double(minimumMillidegrees) / 1_000 }
  /// The largest angle in degrees.
  public var maximum: Double { Double(maximumMillidegrees) / 1_000 }
  /// The largest angle less the smallest, in degrees.
  public var range: Double { Double(rangeMillidegrees) / 1_000 }
}

extension RangeOfMotion {
  /// A hold of the limb at the end of its movement.
  public struct Hold: Hashable, Sendable {
    /// The largest variation of a hold in microdegrees: 3°, the scatter of goniometer readings of
    /// the same limb (standard error 1.6° to 3.4°).
    static let corridor: Int64 = 3_000_000
    /// The shortest hold in microseconds: the turning point of a slow movement stays within the
    /// corridor for less.
    static let shortest: Int64 = 1_000_000

    /// The time of the first sample of the hold, in microseconds.
    public var startTime: Int64
    /// The time of the last sample of the hold, in microseconds.
    public var endTime: Int64
    /// The mean angle, in thousandths of a degree.
    public var meanMillidegrees: Int64
    /// The standard deviation of the angle, in thousandths of a degree.
    public var deviationMillidegrees: Int64

    /// How long the limb was held, in seconds.
    public var duration: Double { Double(endTime - startTime) / 1_000_000 }
    /// The mean angle in degrees.
    public var mean: Double { Double(meanMillidegrees) / 1_000 }
    /// The standard deviation of the angle in degrees.
    public var deviation: Double { Double(deviationMillidegrees) / 1_000 }
  }
}

/// Why a range of motion was not measured.
public enum RangeOfMotionRefusal: Error, Hashable, Sendable {
  /// The stream is unusable, or an accelerometer alone was moved too fast.
  case stream(SignalQuality.Refusal)
  /// The sensor sent nothing for this many milliseconds in the movement or before its end.
  case dropout(milliseconds: Int64)
  /// The limb turned about the vertical, which gravity does not show.
  case verticalAxis
  /// The limb moved about several axes, so two segments have no one angle between them.
  case severalAxes

  /// A short name for scripts: `noSamples`, `rateTooLow`, `shaken`, `dropout`, `verticalAxis`,
  /// `severalAxes`.
  public var code: String {
    switch self {
    case .stream(let refusal): refusal.rawValue
    case .dropout: "dropout"
    case .verticalAxis: "verticalAxis"
    case .severalAxes: "severalAxes"
    }
  }
}

extension RangeOfMotion {
  /// The longest gap in microseconds within a movement: a fast movement covers 180° in it.
  public static let longestSilence: Int64 = 500_000

  /// Measures the movement in a recording of one sensor on the moving limb.
  ///
  /// The recording begins with the limb at its start, and the task ends at `end` (microseconds) at
  /// the latest, if that is known. The joint's axis is estimated from the movement, so the sensor
  /// may be worn in any orientation, and all joints are measured in the same way. Throws if the
  /// figure would not be the movement's. Error: 0.3° on average with a gyroscope. Cost: three
  /// passes over the samples.
  public static func measure(
    _ samples: [MotionSample], end: Int64? = nil
  ) throws(RangeOfMotionRefusal) -> RangeOfMotion {
    let segment = try SegmentMovement(samples, end: end)
    let plane = segment.plane
    if let plane, plane.isUpright { throw .verticalAxis }
    var angles = JointAngleSeries()
    for inclination in segment.inclinations {
      angles.add(
        plane?.angle(of: inclination.up) ?? Int64(inclination.angle) * 1_000, at: inclination.time)
    }
    return try RangeOfMotion(
      angles, method: plane == nil ? .inclination : .jointAxis,
      confidence: plane != nil && segment.quality.verdict == .good ? .good : .low,
      quality: segment.quality)
  }

  /// Measures the movement of a joint in the recordings of two sensors, one on either side of it:
  /// the thigh and the shank at the knee.
  ///
  /// The angle is that of the distal segment against the proximal, so a movement of the proximal
  /// segment does not change it. Both sensors are worn in the same orientation, to within 45°,
  /// which determines the direction of their axes. Their times have one origin. A segment at rest
  /// takes its axis from the other; 0° is equal orientation of both sensors. Throws as for one
  /// sensor, and if the limb moved about several axes or one sensor recorded less of the task than
  /// the other. Published error of such a difference at the knee, against cameras: 1.3° to 1.8°.
  ///
  /// At a hinge `joint`, knee or elbow, flexion is positive on either side of the body and at any
  /// mounting: such a joint bends to one side of straight only, so the end farther from 0° is
  /// flexion. It must bend further than the orientations of both sensors differ. Of other joints
  /// the sign depends on how the sensors are worn.
  public static func measure(
    proximal: [MotionSample], distal: [MotionSample], end: Int64? = nil, joint: Joint? = nil
  ) throws(RangeOfMotionRefusal) -> RangeOfMotion {
    let upper = try SegmentMovement(proximal, end: end)
    let lower = try SegmentMovement(distal, end: end)
    let mounted = try jointAngles(upper, lower)
    let angles = joint?.isHinge == true ? mounted.flexed : mounted
    let isGood = upper.quality.verdict == .good && lower.quality.verdict == .good
    var result = try RangeOfMotion(
      angles, method: .jointAxis, confidence: isGood ? .good : .low, quality: lower.quality)
    result.sensorCount = 2
    result.proximalQuality = upper.quality
    return result
  }

  private init(
    _ angles: JointAngleSeries, method: Method, confidence: Confidence, quality: InclinationQuality
  ) throws(RangeOfMotionRefusal) {
    guard let first = angles.points.first?.angle, let last = angles.points.last?.angle else {
      throw .stream(.noSamples)
    }
    self.init(
      startMillidegrees: first.roundedDivision(by: 1_000),
      finishMillidegrees: last.roundedDivision(by: 1_000),
      minimumMillidegrees: angles.lowest.roundedDivision(by: 1_000),
      maximumMillidegrees: angles.highest.roundedDivision(by: 1_000),
      repetitions: angles.repetitions, hold: angles.hold, method: method, confidence: confidence,
      sensorCount: 1, quality: quality, proximalQuality: nil)
  }

  /// The angle of the lower segment against the upper one over time.
  static func jointAngles(
    _ upper: SegmentMovement, _ lower: SegmentMovement
  ) throws(RangeOfMotionRefusal) -> JointAngleSeries {
    let (upperPlane, lowerPlane) = try planes(upper, lower)
    return try difference(upper.angles(in: upperPlane), lower.angles(in: lowerPlane))
  }

  /// Each segment's plane, with axes that point the same way.
  private static func planes(
    _ upper: SegmentMovement, _ lower: SegmentMovement
  ) throws(RangeOfMotionRefusal) -> (RotationPlane, RotationPlane) {
    let upperOwn = upper.isStill ? nil : try plane(of: upper)
    let lowerOwn = lower.isStill ? nil : try plane(of: lower)
    // If neither segment moves, any axis will do.
    guard let axis = upperOwn ?? lowerOwn ?? upper.plane ?? lower.plane,
      let aligned = (lowerOwn ?? axis).pointing(along: axis)
    else { throw .severalAxes }
    return (axis, aligned)
  }

  private static func plane(
    of segment: SegmentMovement
  ) throws(RangeOfMotionRefusal) -> RotationPlane {
    guard let plane = segment.plane else { throw .severalAxes }
    if plane.isUpright { throw .verticalAxis }
    return plane
  }

  /// The lower angle less the upper one, while both are recorded.
  private static func difference(
    _ upper: JointAngleSeries, _ lower: JointAngleSeries
  ) throws(RangeOfMotionRefusal) -> JointAngleSeries {
    guard let upperLast = upper.points.last?.time, let lowerLast = lower.points.last?.time else {
      throw .stream(.noSamples)
    }
    let (late, overflow) = upperLast.subtractingReportingOverflow(lowerLast)
    if overflow || late.magnitude > UInt64(longestSilence) {
      throw .dropout(milliseconds: overflow ? .max : abs(late) / 1_000)
    }
    var angles = JointAngleSeries()
    var index = 0
    for point in lower.points {
      guard let angle = upper.angle(at: point.time, from: &index) else { continue }
      angles.add(UnwrappedAngle.principal(point.angle - angle), at: point.time)
    }
    return angles
  }
}
