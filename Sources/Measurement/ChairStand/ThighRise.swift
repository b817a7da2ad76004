import FixedPoint
import Motion

/// How far the thigh is raised from where it lay at first, over the time of a recording.
///
/// The angle between two directions of gravity does not know how the sensor is mounted. Gravity is
/// what a 2 Hz low-pass leaves of the acceleration, forwards and backwards, so that nothing lags.
struct ThighRise: Hashable, Sendable {
  /// Microseconds of stillness that show how the thigh lies when seated, and the microdegrees that
  /// it may stray meanwhile.
  static let rest: Int64 = 500_000
  static let stillness: Int64 = 5_000_000

  /// The samples' times in microseconds, rising throughout.
  private(set) var times: [Int64] = []
  /// The angle then from the direction at rest, in microdegrees, 0...180 000 000.
  private(set) var angles: [Int64] = []
  /// What the samples were worth.
  let quality: SignalQuality

  /// Follows the thigh from its first rest on.
  init(_ samples: [MotionSample]) throws(ChairStandRefusal) {
    let (inclinations, quality) = InclinationFilter.smooth(samples, usesGyroscope: false)
    self.quality = quality.signal
    if case .refused(let refusal) = self.quality.verdict { throw .stream(refusal) }
    var course: [Inclination] = []
    // A sample out of order repeats a direction at a time that has passed.
    for inclination in inclinations where course.last.map({ $0.time < inclination.time }) ?? true {
      course.append(inclination)
    }
    guard let resting = Self.firstRest(in: course) else { throw .noRest }
    let sum = course[resting].reduce(WideVector.zero) { $0 + WideVector($1.up) }
    guard let seated = sum.unit else { throw .noRest }
    for inclination in course[resting.lowerBound...] {
      times.append(inclination.time)
      angles.append(WideVector(inclination.up).angle(to: WideVector(seated)))
    }
  }

  /// The first stretch of half a second in which the direction keeps within 5°.
  private static func firstRest(in course: [Inclination]) -> Range<Int>? {
    var first = 0
    for index in course.indices {
      let strayed = WideVector(course[index].up).angle(to: WideVector(course[first].up))
      let (still, overflow) = course[index].time.subtractingReportingOverflow(course[first].time)
      if strayed > stillness || overflow || still > 2 * rest { first = index }
      if index > first, still >= rest, strayed <= stillness { return first..<index }
    }
    return nil
  }

  /// The longest silence between two samples of `range`, in microseconds, held at the end of Int64.
  func longestSilence(in range: ClosedRange<Int>) -> Int64 {
    zip(times[range], times[range].dropFirst()).map { earlier, later in
      let (silence, overflow) = later.subtractingReportingOverflow(earlier)
      return overflow ? .max : silence
    }
    .max() ?? 0
  }
}

extension WideVector {
  /// The angle between this direction and another, both unit vectors in Q30, in microdegrees.
  func angle(to other: Self) -> Int64 {
    let normal = cross(other, shift: 30)
    let squares = UInt64(normal.x * normal.x) + UInt64(normal.y * normal.y)
    let sine = (squares + UInt64(normal.z * normal.z)).integerSquareRoot
    let cosine = (x * other.x + y * other.y + z * other.z).roundedShift(right: 30)
    return CORDIC.atan2(y: Int64(sine), x: cosine)
  }
}
