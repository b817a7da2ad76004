/// How far a limb was moved about a joint, as one sensor on it saw, or two on either side of it.
///
/// Names and signs are ResearchKit's: an angle is 90° less the elevation that the turn about the
/// joint's axis gives the sensor, so 0° is upright on its long side, 90° is lying on its back. Angles
/// go on where a circle would begin anew: 0° to 200° is a range of 200°, either way round.
public struct RangeOfMotion: Hashable, Sendable {
  /// How far the figures may be believed.
  public enum Confidence: String, Hashable, Sendable {
    /// Followed with a gyroscope, or moved slowly enough without one.
    case good
    /// Moved rather fast for an accelerometer alone, or with some samples lost: 1.6° on average.
    case low
  }

  /// What the angles are angles of.
  public enum Method: String, Hashable, Sendable {
    /// The turn about the joint's axis, which the movement showed.
    case jointAxis
    /// The sensor's z axis against the vertical (0° to 180°): the movement had no one axis.
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
  /// How often the limb went from one end of its range to the other and back, the last time perhaps
  /// without coming back; 0 where it moved by less than 6.3°.
  public var repetitions: Int
  /// How the limb was held at the end it was moved to, or `nil` where it was not.
  public var hold: Hold?
  /// What the angles are angles of.
  public var method: Method
  /// How far the figures may be believed.
  public var confidence: Confidence
  /// How many sensors saw it.
  ///
  /// One gives the angle of a limb's segment against the vertical, which is the joint's only if the
  /// segment above it was held still. Two give the angle of the joint.
  public var sensorCount: Int
  /// What the samples were worth: with two sensors, those of the distal one.
  public var quality: InclinationQuality
  /// What the samples of the proximal sensor were worth, where there was one.
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
