import FixedPoint
import Motion

/// The movement of one segment: the inclinations of its sensor, checked for gaps and unsteadiness.
struct SegmentMovement: Hashable, Sendable {
  /// One inclination a sample, filtered forwards and backwards.
  let inclinations: [Inclination]
  /// The quality of the inclinations.
  let quality: InclinationQuality

  /// Takes the samples of a task that ends at `end` at the latest; throws if they are incomplete.
  init(_ samples: [MotionSample], end: Int64?) throws(RangeOfMotionRefusal) {
    (inclinations, quality) = InclinationFilter.smooth(samples)
    if case .refused(.noSamples) = quality.verdict { throw .stream(.noSamples) }
    try Self.refuseSilence(samples, end: end)
    if case .refused(let refusal) = quality.verdict { throw .stream(refusal) }
    if quality.usesGyroscope, Self.isVerticalTurn(samples, inclinations) { throw .verticalAxis }
  }

  /// The plane in which "up" rotated; `nil` without one.
  var plane: RotationPlane? { RotationPlane(inclinations.map(\.up)) }

  /// Whether the segment stayed within 5° of its start: its movement then shows no axis.
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
  func angles(in plane: RotationPlane) -> JointAngleSeries {
    var angles = JointAngleSeries()
    for inclination in inclinations {
      angles.add(plane.angle(of: inclination.up), at: inclination.time)
    }
    return angles
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

  /// Whether a movement is mainly a rotation about the vertical, which gravity does not show.
  static func isVerticalTurn(_ samples: [MotionSample], _ inclinations: [Inclination]) -> Bool {
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
    return whole > 0 && vertical * 4 > whole * 3
  }
}

extension WideVector {
  /// Components within what a gyroscope reads.
  fileprivate var clamped: Self { map { $0.clamped(to: Rotation.fastest) } }
}
