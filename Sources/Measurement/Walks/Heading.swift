import FixedPoint
import Motion

/// Which way a sensor faces, seen from above, against how it faced at first.
///
/// The angular rate about "up", summed. It drifts with the gyroscope's bias, by degrees a minute, so
/// only what changes within seconds means anything.
struct Heading: Hashable, Sendable {
  /// The samples' times in microseconds, rising throughout.
  private(set) var times: [Int64] = []
  /// The heading then in thousandths of a degree, counter-clockwise, going on beyond a whole turn.
  private(set) var angles: [Int64] = []

  /// Sums up the turns of a recording; `nil` where a sample has no angular rate.
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
      // Nothing is known of how somebody turned while the sensor was silent.
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
