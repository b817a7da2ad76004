import FixedPoint
import Motion

/// The rise of the thigh from its first position at rest, over a recording.
///
/// The angle between two directions of gravity does not depend on the mounting. Gravity is the
/// low-passed acceleration, filtered forwards and backwards without lag.
struct ThighRise: Hashable, Sendable {
  /// Microseconds of rest that show the seated position, and its largest variation in microdegrees.
  static let rest: Int64 = 500_000
  static let stillness: Int64 = 5_000_000

  /// The samples' times in microseconds, rising throughout.
  private(set) var times: [Int64] = []
  /// The angles from the direction at rest, in microdegrees, 0...180 000 000.
  private(set) var angles: [Int64] = []
  /// The quality of the samples.
  let quality: SignalQuality

  /// Computes the angles from the first rest on.
  init(_ samples: [MotionSample]) throws(ChairStandRefusal) {
    let (inclinations, quality) = InclinationFilter.smooth(samples, usesGyroscope: false)
    self.quality = quality.signal
    if case .refused(let refusal) = self.quality.verdict { throw .stream(refusal) }
    var ordered: [Inclination] = []
    // A sample out of order repeats a direction at an earlier time.
    for inclination in inclinations where ordered.last.map({ $0.time < inclination.time }) ?? true {
      ordered.append(inclination)
    }
    guard let resting = Self.firstRest(in: ordered) else { throw .noRest }
    let sum = ordered[resting].reduce(WideVector.zero) { $0 + WideVector($1.up) }
    guard let seated = sum.unit else { throw .noRest }
    for inclination in ordered[resting.lowerBound...] {
      times.append(inclination.time)
      angles.append(WideVector(inclination.up).angle(to: WideVector(seated)))
    }
  }

  /// The first stretch of half a second in which the direction stays within 5°.
  private static func firstRest(in ordered: [Inclination]) -> Range<Int>? {
    var first = 0
    for index in ordered.indices {
      let strayed = WideVector(ordered[index].up).angle(to: WideVector(ordered[first].up))
      let (still, overflow) = ordered[index].time.subtractingReportingOverflow(ordered[first].time)
      if strayed > stillness || overflow || still > 2 * rest { first = index }
      if index > first, still >= rest, strayed <= stillness { return first..<index }
    }
    return nil
  }

  /// The longest gap between two samples of `range`, in microseconds, clamped to Int64.
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

/// The beginning and the end of a movement of the thigh.
///
/// A threshold does not find that moment: a small one triggers on noise, a large one is late. At
/// constant acceleration the angle grows with the square of time, so a quarter of the rise takes
/// twice the time of a sixteenth. The beginning is extrapolated from these two crossings.
extension ThighRise {
  /// Microseconds around a movement in which its start and end levels are searched.
  private static let neighbourhood: Int64 = 2_000_000

  /// When the movement at `index` left its level.
  ///
  /// `rise` is its extent in microdegrees, negative downwards. Searches back to the sample `limit`
  /// at most.
  func departure(before index: Int, since limit: Int, upwards rise: Int64) -> Int64 {
    let range = (limit...max(limit, index)).reversed().prefix { isNear($0, index) }
    return turningPoint(Array(range), rise: rise)
  }

  /// When the movement at `index` reached its level.
  ///
  /// `rise` is its extent in microdegrees, negative downwards. Searches ahead to the sample `limit`
  /// at most.
  func arrival(after index: Int, until limit: Int, upwards rise: Int64) -> Int64 {
    let range = (index...max(index, limit)).prefix { isNear($0, index) }
    return turningPoint(Array(range), rise: -rise)
  }

  private func isNear(_ sample: Int, _ index: Int) -> Bool {
    let (distance, overflow) = times[sample].subtractingReportingOverflow(times[index])
    return !overflow && distance.magnitude <= Self.neighbourhood.magnitude
  }

  /// The time at which the angles, followed from within a movement, reach their level.
  private func turningPoint(_ samples: [Int], rise: Int64) -> Int64 {
    let heights = samples.map { rise.signum() * angles[$0] }
    guard let level = heights.min() else { return times.first ?? 0 }
    let near = crossing(samples, heights, level + abs(rise) / 16)
    let far = crossing(samples, heights, level + abs(rise) / 4)
    return near &+ (near &- far)
  }

  /// When the heights first fall to `height`, interpolated linearly between the samples.
  private func crossing(_ samples: [Int], _ heights: [Int64], _ height: Int64) -> Int64 {
    guard let found = heights.firstIndex(where: { $0 <= height }) else { return times[samples[0]] }
    let time = times[samples[found]]
    guard found > 0 else { return time }
    let fall = heights[found - 1] - heights[found]
    let span = times[samples[found - 1]] &- time
    return time &+ span.scaled(by: height - heights[found], over: fall)
  }
}
