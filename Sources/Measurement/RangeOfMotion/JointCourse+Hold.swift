import FixedPoint

extension JointCourse {
  /// The longest time that the limb was held at the end it was moved to, if it was held at all.
  ///
  /// Held is within `RangeOfMotion.Hold.corridor` for `RangeOfMotion.Hold.shortest` or longer. The
  /// end is the outer third of the range on the side farther from where the movement began.
  var hold: RangeOfMotion.Hold? {
    guard isMovement, let start = points.first?.angle else { return nil }
    let third = (highest - lowest) / 3
    let isTop = highest - start >= start - lowest
    let longest = longestStretch { isTop ? $0 > highest - third : $0 < lowest + third }
    let held = points[longest]
    guard let first = held.first, let last = held.last,
      last.time - first.time >= RangeOfMotion.Hold.shortest
    else { return nil }
    let count = Int64(held.count)
    // About the first angle, so that sums stay small: the corridor is 3 000 millidegrees.
    let offsets = held.map { ($0.angle - first.angle).roundedDivision(by: 1_000) }
    let mean = offsets.reduce(0, +).roundedDivision(by: count)
    let variance = offsets.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / count
    return RangeOfMotion.Hold(
      startTime: first.time, endTime: last.time,
      meanMillidegrees: first.angle.roundedDivision(by: 1_000) + mean,
      deviationMillidegrees: Int64(UInt64(variance).integerSquareRoot))
  }

  /// The longest run of points that are all at the end and no farther apart than the corridor.
  ///
  /// `highs` and `lows` keep, of the run so far, the points that no later one exceeds.
  private func longestStretch(where isAtEnd: (Int64) -> Bool) -> Range<Int> {
    var longest = 0..<0
    var begin = 0
    var highs: [Int] = []
    var lows: [Int] = []
    var (highHead, lowHead) = (0, 0)
    for (index, point) in points.enumerated() {
      guard isAtEnd(point.angle) else {
        begin = index + 1
        (highs, lows, highHead, lowHead) = ([], [], 0, 0)
        continue
      }
      while highs.count > highHead, let last = highs.last, points[last].angle <= point.angle {
        highs.removeLast()
      }
      while lows.count > lowHead, let last = lows.last, points[last].angle >= point.angle {
        lows.removeLast()
      }
      highs.append(index)
      lows.append(index)
      while points[highs[highHead]].angle - points[lows[lowHead]].angle
        > RangeOfMotion.Hold.corridor
      {
        begin += 1
        if highs[highHead] < begin { highHead += 1 }
        if lows[lowHead] < begin { lowHead += 1 }
      }
      if index + 1 - begin > longest.count { longest = begin..<(index + 1) }
    }
    return longest
  }
}
