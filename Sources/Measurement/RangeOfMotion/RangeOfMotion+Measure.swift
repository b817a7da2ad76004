import FixedPoint

extension RangeOfMotion {
  /// The longest silence in microseconds within a movement: faster ones go through 180° in it.
  public static let longestSilence: Int64 = 500_000

  /// Measures the movement in a recording of one sensor on the moving limb.
  ///
  /// The recording is the task's: it begins with the limb at its start and ends, at the latest, at
  /// `end` (microseconds), where that is known. The joint's axis is found from the movement itself,
  /// so it does not matter which way round the sensor is worn. Throws where the figure would not be
  /// the movement's. Error 0.3° on average with a gyroscope. Cost: three passes over the samples.
  public static func measure(
    _ samples: [MotionSample], end: Int64? = nil
  ) throws(RangeOfMotionRefusal) -> RangeOfMotion {
    let (inclinations, quality) = InclinationFilter.smooth(samples)
    if case .refused(.noSamples) = quality.verdict { throw .stream(.noSamples) }
    try refuseSilence(samples, end: end)
    if case .refused(let refusal) = quality.verdict { throw .stream(refusal) }
    if quality.usesGyroscope { try refuseVerticalTurn(samples, inclinations) }
    return try measure(inclinations, quality: quality)
  }

  /// Measures the movement in a course of inclinations, already found to be whole and steady.
  static func measure(
    _ inclinations: [Inclination], quality: InclinationQuality
  ) throws(RangeOfMotionRefusal) -> RangeOfMotion {
    let plane = RotationPlane(inclinations.map(\.up))
    if let plane, plane.isUpright { throw .verticalAxis }
    var course = AngleCourse()
    for inclination in inclinations {
      course.add(plane?.angle(of: inclination.up) ?? Int64(inclination.angle) * 1_000)
    }
    guard let first = course.first, let last = course.last else { throw .stream(.noSamples) }
    return RangeOfMotion(
      startMillidegrees: first.roundedDivision(by: 1_000),
      finishMillidegrees: last.roundedDivision(by: 1_000),
      minimumMillidegrees: course.lowest.roundedDivision(by: 1_000),
      maximumMillidegrees: course.highest.roundedDivision(by: 1_000),
      method: plane == nil ? .inclination : .jointAxis,
      confidence: plane != nil && quality.verdict == .good ? .good : .low, sensorCount: 1,
      quality: quality)
  }

  private static func refuseSilence(
    _ samples: [MotionSample], end: Int64?
  ) throws(RangeOfMotionRefusal) {
    guard var last = samples.first?.time else { throw .stream(.noSamples) }
    for time in samples.map(\.time) + (end.map { [$0] } ?? []) where time > last {
      let (silence, overflow) = time.subtractingReportingOverflow(last)
      if overflow || silence > longestSilence {
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
