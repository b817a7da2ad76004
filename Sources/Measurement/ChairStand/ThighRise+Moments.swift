import FixedPoint

/// When a movement of the thigh begins and ends.
///
/// No threshold marks that moment: a small one meets noise, a large one comes late. Where a movement
/// gathers speed evenly the angle grows with the square of time, so a quarter of the rise takes twice
/// the time of a sixteenth, and the beginning lies as far before the one as the other lies after it.
extension ThighRise {
  /// Microseconds beside a movement in which the level it leaves or reaches is looked for.
  private static let neighbourhood: Int64 = 2_000_000

  /// When the movement seen at `index` left its level.
  ///
  /// `rise` is how far it goes in microdegrees, below zero downwards. Looks back no further than to
  /// the sample `limit`.
  func departure(before index: Int, since limit: Int, upwards rise: Int64) -> Int64 {
    let range = (limit...max(limit, index)).reversed().prefix { isNear($0, index) }
    return turningPoint(Array(range), rise: rise)
  }

  /// When the movement seen at `index` reached its level.
  ///
  /// `rise` is how far it goes in microdegrees, below zero downwards. Looks ahead no further than to
  /// the sample `limit`.
  func arrival(after index: Int, until limit: Int, upwards rise: Int64) -> Int64 {
    let range = (index...max(index, limit)).prefix { isNear($0, index) }
    return turningPoint(Array(range), rise: -rise)
  }

  private func isNear(_ sample: Int, _ index: Int) -> Bool {
    let (distance, overflow) = times[sample].subtractingReportingOverflow(times[index])
    return !overflow && distance.magnitude <= Self.neighbourhood.magnitude
  }

  /// Where a course that comes from amid a movement ends in a level: the lowest, where it rises.
  private func turningPoint(_ samples: [Int], rise: Int64) -> Int64 {
    let heights = samples.map { rise.signum() * angles[$0] }
    guard let level = heights.min() else { return times.first ?? 0 }
    let near = crossing(samples, heights, level + abs(rise) / 16)
    let far = crossing(samples, heights, level + abs(rise) / 4)
    return near &+ (near &- far)
  }

  /// When the heights first come down to `height`, on straight lines between the samples.
  private func crossing(_ samples: [Int], _ heights: [Int64], _ height: Int64) -> Int64 {
    guard let found = heights.firstIndex(where: { $0 <= height }) else { return times[samples[0]] }
    let time = times[samples[found]]
    guard found > 0 else { return time }
    let fall = heights[found - 1] - heights[found]
    let span = times[samples[found - 1]] &- time
    return time &+ span.scaled(by: height - heights[found], over: fall)
  }
}
