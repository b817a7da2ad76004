import FixedPoint
public import Motion

/// The short walk: so many steps out, a turn, as many steps back, and a rest standing still.
///
/// After ResearchKit's task of that name: a leg ends with its steps, or after 1.5 s for each of them.
public struct ShortWalk: Hashable, Sendable {
  /// One way of the walk.
  public struct Leg: Hashable, Sendable {
    /// Its steps, its beginning and its time.
    public var walk: Walk
    /// Whether it ended with its time limit.
    public var reachedLimit: Bool
  }

  /// The way out, to the middle of the turn; without a turn until its last step.
  public var out: Leg
  /// The way back.
  public var back: Leg
  /// How long the turn took in microseconds; `nil` without a gyroscope, and if none was found.
  public var turn: Int64?
  /// The rest; `nil` if none was asked for or recorded to its end.
  public var rest: Rest?
  /// Whether the rest was asked for and is missing.
  public var lacksRest: Bool
  /// The quality of the samples.
  public var quality: SignalQuality

  /// Standing still after the walk.
  public struct Rest: Hashable, Sendable {
    /// Its time in microseconds.
    public var duration: Int64
    /// The root mean square of the acceleration about its mean, all axes together, in micro-g.
    public var sway: Int64
  }

  /// The steps of both ways.
  public var steps: Int { out.walk.steps + back.walk.steps }

  /// Steps a minute over both ways, in thousandths.
  public var cadence: Int64 {
    let (duration, overflow) = out.walk.duration.addingReportingOverflow(back.walk.duration)
    return Int64(steps).scaled(by: 60_000_000_000, over: overflow ? .max : max(duration, 1))
  }

  /// The possible steps of a leg: ten in a row are the fewest that are seen as walking.
  public static let stepCounts = 10...1_000
  /// Microseconds that a leg may take for each of its steps.
  public static let limitPerStep: Int64 = 1_500_000
  /// Microseconds without a step that end the way back.
  static let stop: Int64 = 2_000_000
  /// Microseconds after the last step in which the person comes to a stand.
  static let settling: Int64 = 1_000_000

  /// Measures the walk in a recording of one sensor on `segment`, `nil` if nobody stated where.
  ///
  /// The way out begins with the first step. With a gyroscope on the trunk, hip or thigh it ends with
  /// the first half turn after half of its steps; otherwise, or without such a turn, with its last
  /// step. The way back ends with the next half turn, with a stop of 2 s after half of its steps, or
  /// without a turn with its last step. `stepsPerLeg` is clamped to ``stepCounts``, `rest` is in
  /// microseconds. Throws if there are no ten steps in a row, if less than half of the way back was
  /// walked, or if a twentieth of the walk was not recorded.
  public static func measure(
    _ samples: [MotionSample], on segment: Segment? = nil, stepsPerLeg: Int, rest: Int64? = nil
  ) throws(WalkRefusal) -> Self {
    let recording = try WalkRecording(samples, on: segment)
    let walking = try recording.walking()
    let count = min(max(stepsPerLeg, stepCounts.lowerBound), stepCounts.upperBound)
    let course = Course(recording, walking, count: count, turns: HalfTurn.find(in: samples) ?? [])
    let (out, back) = (course.out, course.back)
    guard back.walk.steps * 2 >= count else { throw .noWayBack(steps: back.walk.steps) }
    let end = back.walk.start &+ back.walk.duration
    try recording.refuseSilence(in: walking.lowerBound..<end)
    let standing = rest.flatMap { Rest(samples, recording, from: end &+ settling, for: $0) }
    return Self(
      out: out, back: back, turn: course.turn.map { $0.range.upperBound &- $0.range.lowerBound },
      rest: standing, lacksRest: rest != nil && standing == nil, quality: recording.quality)
  }

  /// The two ways of a recording.
  private struct Course {
    var out: Leg
    var back: Leg
    /// The turn between them, if it was seen.
    var turn: HalfTurn?

    init(_ recording: WalkRecording, _ walking: Range<Int64>, count: Int, turns: [HalfTurn]) {
      func steps(from start: Int64) -> [Step] {
        recording.steps(in: start..<max(start, walking.upperBound))
      }
      let start = walking.lowerBound
      turn = turns.first { turn in
        let before = recording.steps(in: start..<max(turn.middle, start)).count
        return before * 2 >= count && steps(from: turn.middle).count >= 2
          && turn.middle <= ShortWalk.limit(of: count, from: start)
      }
      out = Leg(
        recording, from: start, count: count,
        to: turn?.middle ?? Self.end(of: steps(from: start), count: count))
      let outEnd = start &+ out.walk.duration
      let rest = steps(from: outEnd)
      let begin = rest.first.map { max($0.time &- $0.period / 2, outEnd) } ?? outEnd
      let next = turn.flatMap { own in
        turns.first { $0.range.lowerBound >= own.range.upperBound }?.range.lowerBound
      }
      let last = turn == nil ? Self.end(of: rest, count: count) : walking.upperBound
      let ends = [next, turn == nil ? nil : Self.stop(in: rest, after: count), last]
      back = Leg(
        recording, from: begin, count: count, to: ends.compactMap(\.self).min() ?? begin)
    }

    /// Half a step after the last of `count` steps, or of all if there are fewer.
    private static func end(of steps: [Step], count: Int) -> Int64? {
      steps.prefix(count).last.map { $0.time &+ $0.period / 2 }
    }

    /// When the person stopped after half of the steps of a leg; `nil` if they walked on.
    private static func stop(in steps: [Step], after count: Int) -> Int64? {
      for (number, pair) in zip(steps, steps.dropFirst()).enumerated()
      where (number + 1) * 2 >= count && pair.1.time &- pair.0.time >= ShortWalk.stop {
        return pair.0.time &+ pair.0.period / 2
      }
      return nil
    }
  }

  /// When a leg that begins at `start` ends at the latest.
  fileprivate static func limit(of count: Int, from start: Int64) -> Int64 {
    let (end, overflow) = start.addingReportingOverflow(Int64(count) * limitPerStep)
    return overflow ? .max : end
  }
}

extension ShortWalk.Leg {
  /// The leg from `start` to its end, or to its limit.
  fileprivate init(_ recording: WalkRecording, from start: Int64, count: Int, to end: Int64?) {
    let limit = ShortWalk.limit(of: count, from: start)
    let end = max(end ?? start, start)
    self.init(
      walk: Walk(recording, in: start..<min(end, limit)), reachedLimit: end > limit)
  }
}

extension ShortWalk.Rest {
  /// The rest from `start` on; `nil` if it was not recorded to its end, or if the person walked.
  fileprivate init?(
    _ samples: [MotionSample], _ recording: WalkRecording, from start: Int64, for length: Int64
  ) {
    let (end, overflow) = start.addingReportingOverflow(length)
    guard !overflow, length > 0, recording.end >= end &- SixMinuteWalk.tolerance,
      recording.steps(in: start..<end).isEmpty
    else { return nil }
    let range = start..<end
    guard !recording.silences.contains(where: { $0.overlaps(range) }) else { return nil }
    let own = samples.filter { range.contains($0.time) }.map { WideVector($0.acceleration) }
    guard own.count > 1, let first = own.first else { return nil }
    // About the first sample, so that sums stay small; 16 g at most.
    let limit: Int64 = 16_000_000
    let offsets = own.map { ($0 - first).map { $0.clamped(to: limit) } }
    let count = Int64(offsets.count)
    let mean = offsets.reduce(WideVector.zero) { $0 + $1 }.map { $0.roundedDivision(by: count) }
    let squares = offsets.reduce(0 as UInt64) { sum, offset in
      let deviation = offset - mean
      // At most 3 · 2^50 each: 4 000 seconds at 200 Hz stay within 2^64, in units of (16 µg)².
      return sum
        &+ [deviation.x, deviation.y, deviation.z].reduce(0 as UInt64) {
          $0 &+ UInt64($1 * $1) &>> 8
        }
    }
    duration = length
    sway = Int64((squares / UInt64(count)).integerSquareRoot) * 16
  }
}
