import FixedPoint
import Motion

/// The conditions of a repetition of an exercise, and of the end of a set.
public struct RepetitionRule: Hashable, Sendable {
  /// The least excursion of a repetition, in thousandths of a degree.
  public var minimumMillidegrees: Int64
  /// Microseconds without a movement that end a set.
  public var pause: Int64

  /// The possible minima in thousandths of a degree: from a movement that noise cannot feign to
  /// half a turn.
  public static let minima: ClosedRange<Int64> = 10_000...180_000
  /// The possible pauses in microseconds: longer than a hold, at most ten minutes.
  public static let pauses: ClosedRange<Int64> = 5_000_000...600_000_000

  /// Makes a rule; values outside their ranges are clamped.
  ///
  /// By default a repetition moves by 20° or more, and 15 s without a movement end a set.
  public init(minimumMillidegrees: Int64 = 20_000, pause: Int64 = 15_000_000) {
    self.minimumMillidegrees = min(
      max(minimumMillidegrees, Self.minima.lowerBound), Self.minima.upperBound)
    self.pause = min(max(pause, Self.pauses.lowerBound), Self.pauses.upperBound)
  }

  /// The least movement that is one, in microdegrees: a quarter of the least excursion, and more
  /// than a limb at rest moves.
  var hysteresis: Int64 { max(minimumMillidegrees * 250, Self.leastMovement) }

  private static let leastMovement: Int64 = 8_000_000
}

/// Repetitions without a long pause between them.
public struct ExerciseSet: Hashable, Sendable {
  /// Repetitions that reached the least excursion, at least 1.
  public internal(set) var repetitions: Int
  /// When the first one began, in microseconds on the samples' clock.
  public internal(set) var start: Int64
  /// When the last one began.
  public internal(set) var lastStart: Int64
  /// When the last one ended.
  public internal(set) var end: Int64
}

/// A position of a limb, between two of which it moves by an angle.
protocol LimbPosition: Hashable, Sendable {
  /// The angle to another position in microdegrees, at least 0.
  func excursion(to other: Self) -> Int64
}

/// The angle of a joint in microdegrees, unwrapped.
struct JointPosition: LimbPosition {
  let angle: Int64

  func excursion(to other: Self) -> Int64 { abs(angle - other.angle) }
}

/// The direction of "up" in the sensor's frame, a unit vector in Q30.
///
/// About a level axis the angle between two of them is the limb's, whichever way round the sensor
/// is worn, up to 180°; about an axis tilted by 20° it is 4° less than 60°.
struct SensorPosition: LimbPosition {
  let up: Vector3

  func excursion(to other: Self) -> Int64 {
    let across = WideVector(up).cross(WideVector(other.up), shift: 30)
    return CORDIC.atan2(y: Int64(across.length), x: up.cosine(to: other.up))
  }
}

/// Counts how often a limb moves out and back, position by position.
///
/// The limb is at home or out. From home it goes out with a movement of the hysteresis or more;
/// from the farthest position it is back once it has returned by half of the way. Home is then
/// where it is farthest from that end, so that a posture which shifts from one repetition to the
/// next changes nothing, and a hold, a pause or a tremor on the way splits nothing. A repetition is
/// counted on the way back. Memory and time of a position do not depend on the stream's length.
struct ExcursionCounter<Position: LimbPosition>: Hashable, Sendable {
  /// Microseconds in which a limb that is still coming back moves visibly.
  private static var slowest: Int64 { 1_500_000 }
  /// More sets than a person does in a recording; further repetitions count in the last one.
  static var mostSets: Int { 100 }
  private let rule: RepetitionRule
  private let minimum: Int64
  /// A movement beyond the last one by which a repetition's end moves, in microdegrees: more than
  /// the noise of a limb at rest.
  private let visible: Int64

  /// The sets so far.
  private(set) var sets: [ExerciseSet] = []
  /// Movements out and back that did not reach the least excursion.
  private(set) var partials = 0
  /// The sum and the largest of the repetitions' excursions, in microdegrees.
  private(set) var sum: Int64 = 0
  private(set) var largest: Int64 = 0
  /// The largest excursion of all movements, counted or not.
  private(set) var reached: Int64 = 0

  private var last: Place?
  private var home: Position?
  /// The end that the limb came back from; of a limb that is out, the farthest position.
  private var far: Position?
  private var isOut = false
  /// Of a limb that is out, how far it went; of one that is back, how far it came.
  private var reach: Int64 = 0
  private var visibleReach: Int64 = 0
  /// When the limb last was near home, last extended its movement, and last completed one.
  private var leftHome: Int64 = 0
  private var extended: Int64 = 0
  private var moved: Int64?
  /// Whether the last movement was a repetition, whose end is where it comes to.
  private var endsSet = false

  private struct Place: Hashable {
    let position: Position
    let time: Int64
  }

  init(_ rule: RepetitionRule) {
    self.rule = rule
    minimum = rule.minimumMillidegrees * 1_000
    visible = rule.hysteresis / 4
  }

  /// The repetitions so far.
  var repetitions: Int { sets.reduce(0) { $0 + $1.repetitions } }

  /// How far the limb is from home now, in microdegrees.
  var excursion: Int64 {
    guard let last, let home else { return 0 }
    return home.excursion(to: last.position)
  }

  /// Takes the next position; one whose time is not after the last is ignored.
  mutating func add(_ position: Position, at time: Int64) {
    if let last, time <= last.time { return }
    last = Place(position: position, time: time)
    guard let home else { return settle(position, at: time) }
    isOut ? addOut(position, from: home, at: time) : addHome(position, home, at: time)
  }

  private mutating func addHome(_ position: Position, _ home: Position, at time: Int64) {
    if let far, case let back = far.excursion(to: position), back > reach {
      self.home = position
      leftHome = time
      reach = back
      guard back >= visibleReach + visible else { return }
      // At rest, noise and drift take longer for as much.
      if Self.elapsed(from: extended, to: time) <= Self.slowest {
        moved = time
        if endsSet, !sets.isEmpty { sets[sets.count - 1].end = time }
      }
      (visibleReach, extended) = (back, time)
      return
    }
    let away = home.excursion(to: position)
    if away * 2 <= rule.hysteresis { leftHome = time }
    if away >= rule.hysteresis {
      isOut = true
      far = position
      (reach, visibleReach, extended) = (away, away, time)
    } else if Self.elapsed(from: extended, to: time) >= rule.pause {
      settle(position, at: time)
    }
  }

  private mutating func addOut(_ position: Position, from home: Position, at time: Int64) {
    let away = home.excursion(to: position)
    reached = max(reached, away)
    if away > reach {
      far = position
      reach = away
      guard away >= visibleReach + visible else { return }
      (visibleReach, extended) = (away, time)
      return
    }
    if let far, case let back = far.excursion(to: position),
      back >= max(rule.hysteresis, reach / 2)
    {
      count(reach, at: time)
      isOut = false
      self.home = position
      leftHome = time
      (reach, visibleReach, extended) = (back, back, time)
    } else if Self.elapsed(from: extended, to: time) >= rule.pause {
      // Another posture: there was no way back.
      settle(position, at: time)
    }
  }

  /// Takes a position as home, where the next movement begins.
  private mutating func settle(_ position: Position, at time: Int64) {
    home = position
    far = nil
    isOut = false
    endsSet = false
    (leftHome, extended) = (time, time)
  }

  /// Counts a movement out that comes back at `time`.
  private mutating func count(_ excursion: Int64, at time: Int64) {
    let start = leftHome
    endsSet = excursion >= minimum
    defer { moved = time }
    guard endsSet else {
      partials += 1
      return
    }
    sum += excursion
    largest = max(largest, excursion)
    let isLater = moved.map { Self.elapsed(from: $0, to: start) >= rule.pause } ?? false
    if sets.isEmpty || isLater && sets.count < Self.mostSets {
      sets.append(ExerciseSet(repetitions: 0, start: start, lastStart: start, end: time))
    }
    sets[sets.count - 1].repetitions += 1
    sets[sets.count - 1].lastStart = start
    sets[sets.count - 1].end = time
  }

  /// Microseconds from one time to a later one, clamped to Int64; 0 to an earlier one.
  static func elapsed(from start: Int64, to end: Int64) -> Int64 {
    guard end > start else { return 0 }
    let (interval, overflow) = end.subtractingReportingOverflow(start)
    return overflow ? .max : interval
  }
}
