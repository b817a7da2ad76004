import FixedPoint
public import Motion

/// How fast a person walks, how long their strides are and how often they step, from one sensor at
/// the trunk or a foot, without a known distance.
///
/// Over a standing leg the body is an inverted pendulum: the higher the trunk rises, the longer the
/// step (Zijlstra and Hof 2003, Gait & Posture 18:1). A foot stands still once a stride, which
/// leaves little of the integrals' error (Rebula et al. 2013, Gait & Posture 38:974).
public struct WalkingSpeed: Hashable, Sendable {
  /// Millimetres a second, turns left out.
  public var speed: Int64
  /// The mean length of a stride, two steps, in millimetres; at a foot of its steady strides, within
  /// 15 % of the median.
  public var strideLength: Int64
  /// Steps a minute, in thousandths, of the same steps as the stride.
  public var cadence: Int64
  /// The steps that were measured; at a foot two for each of its strides.
  public var steps: Int
  /// Whether the usual height stands in for the person's, which is unknown.
  public var assumesHeight: Bool

  /// Possible heights of a person in millimetres.
  public static let heights: ClosedRange<Int64> = 500...2_500
  /// The height in millimetres that stands in for an unknown one.
  public static let usualHeight: Int64 = 1_700
  /// The slowest speed that the trunk shows, in millimetres a second: below it reads 0.2 m/s too
  /// much, by every variant of the method.
  public static let slowest: Int64 = 700
  /// The fewest steps that have a speed.
  public static let fewest = 4

  /// Measures the walk in a recording of one sensor on `segment`.
  ///
  /// `height` is the person's in millimetres, clamped to ``heights``; a foot needs none, but a
  /// gyroscope. `range` limits the walk on the samples' clock, by default to the steps counted.
  public static func measure(
    _ samples: [MotionSample], on segment: Segment?, height: Int64? = nil,
    in range: Range<Int64>? = nil
  ) throws(WalkingSpeedRefusal) -> Self {
    switch segment {
    case .trunk, .pelvis:
      let walking = if let range { range } else { try walking(samples, on: segment) }
      var meter = WalkingSpeedMeter()
      for sample in samples { meter.add(sample) }
      return try meter.steps(in: walking).speed(height: height)
    case .foot:
      let walking = if let range { range } else { try walking(samples, on: segment) }
      return try FootStrides(samples, in: walking).speed()
    case .thigh, .shank, .head, .upperArm, .forearm, .hand, nil:
      throw .place(segment)
    }
  }

  private static func walking(
    _ samples: [MotionSample], on segment: Segment?
  ) throws(WalkingSpeedRefusal) -> Range<Int64> {
    do {
      return try WalkRecording(samples, on: segment).walking()
    } catch {
      throw .walk(error)
    }
  }
}

/// Why a walk has no speed.
public enum WalkingSpeedRefusal: Error, Hashable, Sendable {
  /// No method holds for a sensor here; `nil` if nobody stated a place.
  case place(Segment?)
  /// A foot's sensor has no gyroscope: its speed would be off by 0.25 m/s in patients.
  case noGyroscope
  /// The trunk shows so many millimetres a second, less than it shows truly.
  case slow(millimetresASecond: Int64)
  /// There is no walk.
  case walk(WalkRefusal)
  /// There are only so many steps outside of turns.
  case fewSteps(Int)

  /// A short name for scripts.
  public var code: String {
    switch self {
    case .place: "place"
    case .noGyroscope: "noGyroscope"
    case .slow: "slow"
    case .walk(let refusal): refusal.code
    case .fewSteps: "fewSteps"
    }
  }
}

/// Finds the steps of walks in the stream of a sensor at the trunk, sample by sample, for their speed.
///
/// Any orientation, 12.5 to 400 Hz; a gyroscope shows the turns, which are left out. Without one
/// steps that differ much from the others are. Memory: 40 bytes for each step since ``forget(before:)``.
/// Cost: a little less than a ``StepCounter``'s.
public struct WalkingSpeedMeter: Sendable {
  /// Microseconds by which a step may lie outside of the walk.
  private static let margin: Int64 = 300_000

  private var pendulum = TrunkPendulum()

  /// Makes a meter that has seen nothing.
  public init() {}

  /// Takes the next sample; one whose time is not after the last is ignored.
  public mutating func add(_ sample: MotionSample) { pendulum.add(sample) }

  /// Forgets the steps that ended before a time in microseconds.
  public mutating func forget(before time: Int64) { pendulum.forget(before: time) }

  /// The steps that it saw in a range of the samples' clock, a walk.
  public func steps(in range: Range<Int64>) -> WalkedSteps { steps(in: [range]) }

  /// The steps that it saw while a ``StepCounter`` counted `steps`, which are in order.
  ///
  /// Two of them belong to one walk if no more than two steps' time is between them.
  public func steps(of steps: [Step]) -> WalkedSteps {
    var walks: [Range<Int64>] = []
    for step in steps {
      let half = step.period / 2
      let (start, end) = (step.time &- half, step.time &+ half)
      guard start < end else { continue }
      if let walk = walks.last, start <= walk.upperBound &+ step.period, end > walk.lowerBound {
        walks[walks.count - 1] = walk.lowerBound..<max(walk.upperBound, end)
      } else {
        walks.append(start..<end)
      }
    }
    return self.steps(in: walks)
  }

  private func steps(in walks: [Range<Int64>]) -> WalkedSteps {
    WalkedSteps(
      steps: pendulum.steps.filter { step in
        walks.contains { walk in
          step.range.lowerBound >= walk.lowerBound &- Self.margin
            && step.range.upperBound <= walk.upperBound &+ Self.margin
        }
      })
  }
}

/// Steps of a sensor at the trunk, whose speed follows from the person's height.
public struct WalkedSteps: Hashable, Sendable {
  /// The length of a leg as a share of the height, in thousandths (Winter 2009).
  private static let legShare: Int64 = 530
  /// The correction of the pendulum, in thousandths: the trunk also moves on while both feet stand.
  private static let correction: Int64 = 1_250
  /// How far a step without a gyroscope may be off the median time, and the least share of the
  /// median length, in percent.
  private static let mostDeviation: Int64 = 30
  private static let leastLength: Int64 = 60

  let steps: [TrunkPendulum.Step]

  /// The speed of the steps, for a height in millimetres, clamped to ``WalkingSpeed/heights``; `nil`
  /// if it is unknown.
  public func speed(height: Int64?) throws(WalkingSpeedRefusal) -> WalkingSpeed {
    let known = height ?? WalkingSpeed.usualHeight
    let heights = WalkingSpeed.heights
    // In micrometres.
    let leg = min(max(known, heights.lowerBound), heights.upperBound) * Self.legShare
    let walk = straight(leg: leg)
    guard walk.count >= WalkingSpeed.fewest else { throw .fewSteps(walk.count) }
    let time = walk.reduce(0 as Int64) { $0 + $1.range.upperBound - $1.range.lowerBound }
    let length = walk.reduce(0 as Int64) { $0 + Self.length(of: $1, leg: leg) }
    let speed = length.scaled(by: 1_000, over: time)
    guard speed >= WalkingSpeed.slowest else { throw .slow(millimetresASecond: speed) }
    let count = Int64(walk.count)
    return WalkingSpeed(
      speed: speed, strideLength: 2 * length / (count * 1_000),
      cadence: count.scaled(by: 60_000_000_000, over: time), steps: walk.count,
      assumesHeight: height == nil)
  }

  /// The length of a step in micrometres: 2√(2lh − h²), corrected.
  private static func length(of step: TrunkPendulum.Step, leg: Int64) -> Int64 {
    let rise = min(step.rise, leg)
    // Both lengths are below 2^21.
    let square = UInt64((2 * leg - rise) * rise)
    return 2 * Int64(square.integerSquareRoot) * Self.correction / 1_000
  }

  /// The steps without those of the turns.
  private func straight(leg: Int64) -> [TrunkPendulum.Step] {
    guard !steps.isEmpty, steps.contains(where: { $0.turning == nil }) else {
      return steps.filter { abs($0.turning ?? 0) < HalfTurn.slowest }
    }
    let times = steps.map { $0.range.upperBound - $0.range.lowerBound }.sorted()
    let lengths = steps.map { Self.length(of: $0, leg: leg) }.sorted()
    let (time, usual) = (times[times.count / 2], lengths[lengths.count / 2])
    return steps.filter { step in
      let own = step.range.upperBound - step.range.lowerBound
      return abs(own - time) * 100 < time * Self.mostDeviation
        && Self.length(of: step, leg: leg) * 100 > usual * Self.leastLength
    }
  }
}
