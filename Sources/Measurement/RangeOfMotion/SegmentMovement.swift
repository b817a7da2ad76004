import FixedPoint
import Motion

/// What one sensor saw of a movement: the inclinations of its segment, found to be whole and steady.
struct SegmentMovement: Hashable, Sendable {
  /// One inclination a sample, made with what came after it as well.
  let inclinations: [Inclination]
  /// What they are worth.
  let quality: InclinationQuality

  /// Takes the samples of a task that ends, at the latest, at `end`; throws where they do not show it.
  init(_ samples: [MotionSample], end: Int64?) throws(RangeOfMotionRefusal) {
    (inclinations, quality) = InclinationFilter.smooth(samples)
    if case .refused(.noSamples) = quality.verdict { throw .stream(.noSamples) }
    try Self.refuseSilence(samples, end: end)
    if case .refused(let refusal) = quality.verdict { throw .stream(refusal) }
    if quality.usesGyroscope { try Self.refuseVerticalTurn(samples, inclinations) }
  }

  /// The plane in which "up" went round; `nil` where it kept to none.
  var plane: RotationPlane? { RotationPlane(inclinations.map(\.up)) }

  /// Whether the segment kept within 5° of where it began: its movement then shows no axis.
  var isStill: Bool {
    guard let first = inclinations.first?.up else { return true }
    let start = WideVector(first)
    return inclinations.allSatisfy { inclination in
      let up = WideVector(inclination.up)
      let cosine = (start.x * up.x + start.y * up.y + start.z * up.z) >> 30
      // cos 5° in Q30.
      return cosine > 1_069_655_912
    }
  }

  /// The angle about the plane's axis over time.
  func course(in plane: RotationPlane) -> JointCourse {
    var course = JointCourse()
    for inclination in inclinations {
      course.add(plane.angle(of: inclination.up), at: inclination.time)
    }
    return course
  }

  private static func refuseSilence(
    _ samples: [MotionSample], end: Int64?
  ) throws(RangeOfMotionRefusal) {
    guard var last = samples.first?.time else { throw .stream(.noSamples) }
    for time in samples.map(\.time) + (end.map { [$0] } ?? []) where time > last {
      let (silence, overflow) = time.subtractingReportingOverflow(last)
      if overflow || silence > RangeOfMotion.longestSilence {
        throw .dropout(milliseconds: overflow ? .max : silence / 1_000)
      }
      last = time
    }
  }

  /// Refuses a movement that went about the vertical more than about anything level.
  private static func refuseVerticalTurn(
    _ samples: [MotionSample], _ inclinations: [Inclination]
  ) throws(RangeOfMotionRefusal) {
    var vertical: Int64 = 0
    var whole: Int64 = 0
    for (sample, inclination) in zip(samples, inclinations) {
      guard let rate = sample.angularRate.map({ WideVector($0).clamped }) else { continue }
      let up = WideVector(inclination.up)
      let aboutUp = (rate.x * up.x + rate.y * up.y + rate.z * up.z) >> 30
      // Noise at rest is no movement: below 5 degrees a second.
      guard rate.peak > 5_000 else { continue }
      vertical += abs(aboutUp)
      whole += Int64(rate.length)
    }
    // Three quarters of the turning, as a cosine: an axis within 41° of the vertical.
    if whole > 0, vertical * 4 > whole * 3 { throw .verticalAxis }
  }
}

extension WideVector {
  /// Components within what a gyroscope reads.
  fileprivate var clamped: Self { map { $0.clamped(to: Rotation.fastest) } }

  /// The length, for components below 2^31.
  fileprivate var length: UInt64 {
    (UInt64(x * x) + UInt64(y * y) + UInt64(z * z)).integerSquareRoot
  }
}
