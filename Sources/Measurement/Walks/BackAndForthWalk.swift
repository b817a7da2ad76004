public import Motion

/// A short walk with the way back, leg by leg.
///
/// A gyroscope shows where the person turned round; without one the walk is measured as a whole.
public struct BackAndForthWalk: Hashable, Sendable {
  /// Which way a leg went.
  public enum Direction: String, Hashable, Sendable {
    /// Away from where the walk began.
    case outbound
    /// Back to it.
    case back = "return"
  }

  /// One way between two turns.
  public struct Leg: Hashable, Sendable {
    /// Which way it went.
    public var direction: Direction
    /// Its steps and its time, to the middle of the turn.
    public var walk: Walk
  }

  /// All legs together, the turns included.
  public var walk: Walk
  /// The legs in order, outbound first; `nil` where there was no gyroscope to tell them apart.
  public var legs: [Leg]?
  /// What the samples were worth.
  public var quality: SignalQuality

  /// Measures a walk there and back, as often as it was, in a recording of one sensor.
  ///
  /// Legs need a gyroscope on the trunk, hip or thigh. A turn within the first or last steps is not
  /// one between legs. Throws where nobody walked ten steps in a row or the sensor was silent for a
  /// twentieth of the walk.
  public static func measure(_ samples: [MotionSample]) throws(WalkRefusal) -> Self {
    let course = try WalkCourse(samples)
    let walking = try course.walking()
    try course.refuseSilence(in: walking)
    let turns = HalfTurn.find(in: samples)
    return Self(
      walk: Walk(course, in: walking),
      legs: turns.map { legs(of: course, walking, turnedAt: $0.map(\.middle)) },
      quality: course.quality)
  }

  private static func legs(
    of course: WalkCourse, _ walking: Range<Int64>, turnedAt turns: [Int64]
  ) -> [Leg] {
    // Before the first step and after the last somebody turns to a chair, not to walk back.
    let inner = turns.filter { turn in
      let before = course.steps(in: walking.lowerBound..<max(turn, walking.lowerBound)).count
      let after = course.steps(in: min(turn, walking.upperBound)..<walking.upperBound).count
      return before >= 2 && after >= 2
    }
    let bounds = [walking.lowerBound] + inner + [walking.upperBound]
    return zip(bounds, bounds.dropFirst()).enumerated().map { number, leg in
      Leg(
        direction: number.isMultiple(of: 2) ? .outbound : .back,
        walk: Walk(course, in: leg.0..<leg.1))
    }
  }
}
