import FixedPoint

/// An angle unwrapped over time: it continues beyond ±180°.
struct UnwrappedAngle: Hashable, Sendable {
  /// A whole turn in microdegrees.
  static let turn: Int64 = 360_000_000

  /// The first angle in microdegrees, -180° to 180°; the others continue from it.
  private(set) var first: Int64?
  /// The newest angle.
  private(set) var last: Int64?
  /// The smallest and the largest angle so far.
  private(set) var lowest: Int64 = 0
  private(set) var highest: Int64 = 0

  /// Takes the next direction in microdegrees, modulo whole turns.
  mutating func add(_ angle: Int64) {
    guard let previous = last else {
      first = angle
      last = angle
      lowest = angle
      highest = angle
      return
    }
    let next = previous + Self.principal(angle - previous)
    last = next
    lowest = min(lowest, next)
    highest = max(highest, next)
  }

  /// The angle without whole turns, -180° to 180°.
  static func principal(_ angle: Int64) -> Int64 {
    let rest = angle % turn
    return rest > turn / 2 ? rest - turn : rest < -turn / 2 ? rest + turn : rest
  }
}

/// A joint's angle over time, unwrapped.
struct JointAngleSeries: Hashable, Sendable {
  /// An angle in microdegrees at a time in microseconds.
  struct Point: Hashable, Sendable {
    let time: Int64
    let angle: Int64
  }

  /// The least movement in microdegrees: a goniometer's minimal detectable change at the knee is
  /// 6.3°.
  private static let leastMovement: Int64 = 6_300_000

  private(set) var points: [Point] = []
  private var unwrapped = UnwrappedAngle()

  /// The smallest and the largest angle.
  var lowest: Int64 { unwrapped.lowest }
  var highest: Int64 { unwrapped.highest }
  /// Whether the limb moved by more than one that is held still.
  private var isMovement: Bool { highest - lowest >= Self.leastMovement }

  /// Takes the next direction in microdegrees, modulo whole turns; one whose time is not after the
  /// last is ignored.
  mutating func add(_ angle: Int64, at time: Int64) {
    if let last = points.last, time <= last.time { return }
    unwrapped.add(angle)
    points.append(Point(time: time, angle: unwrapped.last ?? angle))
  }

  /// The same angles with the sign that makes the end farther from 0° positive.
  var flexed: Self {
    guard lowest + highest < 0 else { return self }
    var result = Self()
    for point in points { result.add(-point.angle, at: point.time) }
    return result
  }

  /// How often the limb moved from one end of its range to the other and back; the last one may
  /// lack the way back.
  ///
  /// An end is the outer third of the range, so a pause or a tremor half-way does not split a
  /// movement.
  var repetitions: Int {
    guard isMovement else { return 0 }
    let third = (highest - lowest) / 3
    var first: Bool?
    var isHigh: Bool?
    var arrivals = 0
    for point in points {
      let isAtTop = point.angle > highest - third
      guard isAtTop || point.angle < lowest + third, isAtTop != isHigh else { continue }
      isHigh = isAtTop
      if let first, first != isAtTop { arrivals += 1 }
      first = first ?? isAtTop
    }
    return arrivals
  }

  /// The angle at a time between the first and the last point, interpolated linearly.
  ///
  /// `index` is that of a point not after the time, and advances with it.
  func angle(at time: Int64, from index: inout Int) -> Int64? {
    while index + 1 < points.count, points[index + 1].time <= time { index += 1 }
    guard index < points.count, points[index].time <= time else { return nil }
    let before = points[index]
    guard before.time < time else { return before.angle }
    guard index + 1 < points.count else { return nil }
    let after = points[index + 1]
    // An accepted stream has at most half a second and 180° between two points.
    let share = (after.angle - before.angle) * (time - before.time) / (after.time - before.time)
    return before.angle + share
  }
}

extension JointAngleSeries {
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
