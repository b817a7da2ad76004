import FixedPoint
public import Motion

/// A short walk back and forth, leg by leg.
///
/// A gyroscope shows the turns; without one the walk is measured as a whole.
public struct BackAndForthWalk: Hashable, Sendable {
  /// The direction of a leg.
  public enum Direction: String, Hashable, Sendable {
    /// Away from the start.
    case outbound
    /// Back to the start.
    case back = "return"
  }

  /// The walk between two turns.
  public struct Leg: Hashable, Sendable {
    /// Its direction.
    public var direction: Direction
    /// Its steps and its time, to the middle of the turn.
    public var walk: Walk
  }

  /// All legs together, the turns included.
  public var walk: Walk
  /// The legs in order, outbound first; `nil` without a gyroscope.
  public var legs: [Leg]?
  /// The quality of the samples.
  public var quality: SignalQuality

  /// Measures a walk of any number of legs in a recording of one sensor on `segment`, `nil` if nobody
  /// stated where.
  ///
  /// Legs need a gyroscope on the trunk, hip or thigh. A turn within the first or last steps does
  /// not separate legs. Throws if there are no ten steps in a row, or if a twentieth of the walk
  /// was not recorded.
  public static func measure(
    _ samples: [MotionSample], on segment: Segment? = nil
  ) throws(WalkRefusal) -> Self {
    let recording = try WalkRecording(samples, on: segment)
    let walking = try recording.walking()
    try recording.refuseSilence(in: walking)
    let turns = HalfTurn.find(in: samples)
    return Self(
      walk: Walk(recording, in: walking),
      legs: turns.map { legs(of: recording, walking, turnedAt: $0.map(\.middle)) },
      quality: recording.quality)
  }

  private static func legs(
    of recording: WalkRecording, _ walking: Range<Int64>, turnedAt turns: [Int64]
  ) -> [Leg] {
    // A turn before the first steps or after the last is one to or from a chair.
    let inner = turns.filter { turn in
      let before = recording.steps(in: walking.lowerBound..<max(turn, walking.lowerBound)).count
      let after = recording.steps(in: min(turn, walking.upperBound)..<walking.upperBound).count
      return before >= 2 && after >= 2
    }
    let bounds = [walking.lowerBound] + inner + [walking.upperBound]
    return zip(bounds, bounds.dropFirst()).enumerated().map { number, leg in
      Leg(
        direction: number.isMultiple(of: 2) ? .outbound : .back,
        walk: Walk(recording, in: leg.0..<leg.1))
    }
  }
}

/// A half turn of a walking person about the vertical.
struct HalfTurn: Hashable, Sendable {
  /// Its start and end in microseconds.
  var range: Range<Int64>
  /// Its angle in thousandths of a degree, positive counter-clockwise seen from above.
  var angle: Int64

  /// The middle of it.
  var middle: Int64 { range.lowerBound &+ (range.upperBound &- range.lowerBound) / 2 }

  /// Microseconds over which the rate is averaged: a stride, which cancels the periodic rotation of
  /// the pelvis or the thigh.
  static let stride: Int64 = 1_000_000
  /// The least rate of a turn, in thousandths of a degree a second.
  ///
  /// El-Gohary et al. 2014, Sensors 14:356.
  static let slowest: Int64 = 15_000
  /// The least angle of a half turn in thousandths of a degree: nearer to a half than to a quarter.
  static let least: Int64 = 135_000

  /// The half turns in a recording; `nil` if a sample has no angular rate.
  static func find(in samples: [MotionSample]) -> [HalfTurn]? {
    guard let heading = Heading(samples) else { return nil }
    var turns: [HalfTurn] = []
    var first: Int?
    var sign: Int64 = 0
    for index in heading.times.indices {
      let rate = heading.rate(around: index)
      let isTurning = abs(rate) >= slowest
      if let begin = first, !isTurning || rate.signum() != sign {
        let angle = heading.angles[index] - heading.angles[begin]
        if abs(angle) >= least {
          turns.append(
            HalfTurn(range: heading.times[begin]..<heading.times[index], angle: angle))
        }
        first = nil
      }
      if first == nil, isTurning {
        first = index
        sign = rate.signum()
      }
    }
    return turns
  }
}

/// The heading of a sensor relative to its first one.
///
/// The integral of the angular rate about "up". It drifts with the gyroscope's bias, by degrees a
/// minute, so only changes within seconds are meaningful.
struct Heading: Hashable, Sendable {
  /// The samples' times in microseconds, rising throughout.
  private(set) var times: [Int64] = []
  /// The headings in thousandths of a degree, counter-clockwise, unwrapped.
  private(set) var angles: [Int64] = []

  /// Integrates the angular rates of a recording; `nil` if a sample has none.
  init?(_ samples: [MotionSample]) {
    let (inclinations, _) = InclinationFilter.smooth(samples)
    var angle: Int64 = 0
    for (sample, inclination) in zip(samples, inclinations) {
      guard let rate = sample.angularRate else { return nil }
      guard let last = times.last else {
        times.append(sample.time)
        angles.append(0)
        continue
      }
      guard sample.time > last else { continue }
      let (interval, overflow) = sample.time.subtractingReportingOverflow(last)
      // The rotation during a gap is unknown.
      if !overflow, interval <= StreamMonitor.longestInterval {
        angle += Self.rate(rate, about: inclination.up).scaled(by: interval, over: 1_000_000)
      }
      times.append(sample.time)
      angles.append(angle)
    }
  }

  /// The mean rate over a stride around the sample `index`, in thousandths of a degree a second.
  func rate(around index: Int) -> Int64 {
    let (first, last) = (
      nearest(to: times[index] &- HalfTurn.stride / 2, from: index, step: -1),
      nearest(to: times[index] &+ HalfTurn.stride / 2, from: index, step: 1)
    )
    let span = times[last] &- times[first]
    return span > 0 ? (angles[last] - angles[first]).scaled(by: 1_000_000, over: span) : 0
  }

  /// The last sample on the way from `index` that is not beyond `time`.
  private func nearest(to time: Int64, from index: Int, step: Int) -> Int {
    var found = index
    while times.indices.contains(found + step),
      step > 0 ? times[found + step] <= time : times[found + step] >= time
    {
      found += step
    }
    return found
  }

  private static func rate(_ rate: Vector3, about up: Vector3) -> Int64 {
    let held = WideVector(rate).map { $0.clamped(to: Rotation.fastest) }
    let sum = held.x * Int64(up.x) + held.y * Int64(up.y) + held.z * Int64(up.z)
    return sum.roundedShift(right: 30)
  }
}
