import FixedPoint
public import Motion

/// A break from sitting: a person got up, or moved about, after having sat for a minute or more.
public struct SittingBreak: Hashable, Sendable {
  /// When the person began to sit, in microseconds on the samples' clock.
  public var satFrom: Int64
  /// When the break began, in microseconds on the samples' clock.
  public var time: Int64

  /// Makes a break.
  public init(satFrom: Int64, time: Int64) {
    self.satFrom = satFrom
    self.time = time
  }
}

/// Counts the breaks from sitting in the stream of one sensor at the thigh or the hip.
///
/// At the **thigh** posture decides. How the sensor is attached does not matter: where "up" is while
/// the person walks is learnt from the first steps on, and the thigh is that of a sitting person where
/// it is turned by 45° or more from there. A break is ten seconds or more of an upright thigh after a
/// minute or more of a sitting one; a rise of less time interrupts nothing.
///
/// At the **hip** a sitting person cannot be told from a standing one. A break is movement in ten of
/// fifteen seconds after a minute or more with less: steps, or a force that changes by more than
/// 0.2 g within a second. Standing up and standing still is missed.
///
/// A hole of more than ten seconds in the samples ends what was known: nothing is counted across it.
/// All arithmetic is in integers. Memory: some kilobytes for a stream of any length.
///
/// Sources: Healy et al., Diabetes Care 31 (2008) 661 (a break in sedentary time); Tremblay et al.,
/// Int J Behav Nutr Phys Act 14 (2017) 75 (sedentary interruption); Lyden et al., Med Sci Sports Exerc
/// 44 (2012) 2243 (the thigh's inclination, ten seconds).
public struct SittingBreakCounter: Sendable {
  /// Where the sensor is worn.
  public enum Place: Hashable, Sendable {
    /// On the thigh, in any orientation.
    case thigh
    /// On the pelvis or in a pocket at the hip, in any orientation.
    case hip

    /// The place of a sensor; `nil` for one that does not tell sitting.
    public init?(_ placement: Placement) {
      switch (placement.segment, placement.joint) {
      case (.thigh, _): self = .thigh
      case (.pelvis, _), (nil, .hip): self = .hip
      default: return nil
      }
    }
  }

  /// The shortest time of sitting before a break, in seconds.
  public static let shortestSitting: Int64 = 60
  /// The shortest break, in seconds.
  public static let shortestBreak: Int64 = 10
  /// The longest time in microseconds between a break and the end of the signal that credits it.
  public static let latency: Int64 = StepCounter.latency + 30_000_000

  /// Seconds for which the steps of a second may still come.
  private static let patience = StepCounter.latency / 1_000_000
  /// Seconds with steps after which "up" is known.
  private static let learningSeconds = 8
  /// The longest hole in seconds that does not end what is known.
  private static let longestHole: Int64 = 10
  /// The change of the force within a second above which a person moves, in thousandths of g.
  private static let movement: Int64 = 200
  /// How many of fifteen seconds a person moves in a break, and in sitting at most.
  private static let breakSeconds = 10
  private static let stillSeconds = 3
  /// For how many seconds a person may stand before the first walk, which shows where "up" is.
  private static let longestStand: Int64 = 30

  /// The motion of one second.
  private struct Second: Sendable {
    var index: Int64
    var sum = WideVector.zero
    var count: Int64 = 0
    /// The least and the largest squared force in g² ⁄ 10⁶.
    var least = Int64.max
    var largest: Int64 = 0
    var hasSteps = false

    /// The mean force in thousandths of g.
    var mean: WideVector { sum.map { $0 / max(count, 1) } }

    var isMoving: Bool {
      guard count > 0 else { return hasSteps }
      let swing = Int64(UInt64(largest).integerSquareRoot) - Int64(UInt64(least).integerSquareRoot)
      return hasSteps || swing > SittingBreakCounter.movement
    }
  }

  /// Where the sensor is worn.
  public let place: Place
  /// The seconds whose steps may still come, the oldest first; the last one is open.
  private var open: [Second] = []
  private var lastIndex: Int64?
  /// The direction of the force while the person walks.
  private var up: WideVector?
  private var learnt = 0
  /// A posture before "up" is known, and the seconds in which it began and was seen last.
  private var posture: (mean: WideVector, from: Int64, to: Int64)?
  private var sitsFrom: Int64?
  private var uprightFrom: Int64?
  /// Whether a person moved in the last fifteen seconds, the latest in the lowest bit.
  private var moves: UInt16 = 0x7FFF

  /// The breaks so far.
  public private(set) var total = 0

  /// Makes a counter.
  public init(_ place: Place) {
    self.place = place
  }

  /// Takes samples, oldest first, and the steps that a ``StepCounter`` credited with them.
  ///
  /// - Returns: The breaks that are certain now, oldest first.
  public mutating func add(
    contentsOf samples: some Sequence<MotionSample>, steps: [Step]
  ) -> [SittingBreak] {
    for sample in samples { add(sample) }
    credit(steps)
    guard let newest = open.last?.index else { return [] }
    return judge { $0.index < newest - Self.patience }
  }

  /// Ends the stream: what is open is judged by what is known.
  public mutating func finish(steps: [Step] = []) -> [SittingBreak] {
    credit(steps)
    return judge { _ in true }
  }

  private mutating func add(_ sample: MotionSample) {
    let index = Self.second(of: sample.time)
    // A time that goes back belongs to a second that is over.
    if let last = open.last?.index ?? lastIndex, index < last { return }
    if open.last?.index != index { open.append(Second(index: index)) }
    func bounded(_ value: Int32) -> Int64 { min(max(Int64(value) / 1_000, -16_000), 16_000) }
    let force = WideVector(
      x: bounded(sample.acceleration.x), y: bounded(sample.acceleration.y),
      z: bounded(sample.acceleration.z))
    let square = force.dot(force)
    let place = open.count - 1
    open[place].sum = open[place].sum + force
    open[place].count += 1
    open[place].least = min(open[place].least, square)
    open[place].largest = max(open[place].largest, square)
  }

  private mutating func credit(_ steps: [Step]) {
    var place = 0
    for index in steps.map({ Self.second(of: $0.time) }).sorted() {
      while place < open.count, open[place].index < index { place += 1 }
      guard place < open.count else { return }
      if open[place].index == index { open[place].hasSteps = true }
    }
  }

  private mutating func judge(_ isDue: (Second) -> Bool) -> [SittingBreak] {
    var breaks: [SittingBreak] = []
    let count = open.prefix { isDue($0) }.count
    for second in open.prefix(count) {
      if let lastIndex, second.index - lastIndex > Self.longestHole { forget() }
      lastIndex = second.index
      let found = place == .thigh ? thigh(second) : hip(second)
      if let found { breaks.append(found) }
    }
    open.removeFirst(count)
    total += breaks.count
    return breaks
  }

  private static func second(of time: Int64) -> Int64 {
    let (quotient, remainder) = time.quotientAndRemainder(dividingBy: 1_000_000)
    return remainder < 0 ? quotient - 1 : quotient
  }

  private func sittingBreak(from sitting: Int64, at second: Int64) -> SittingBreak {
    func time(_ second: Int64) -> Int64 {
      let (time, overflow) = second.multipliedReportingOverflow(by: 1_000_000)
      return overflow ? second < 0 ? .min : .max : time
    }
    return SittingBreak(satFrom: time(sitting), time: time(second))
  }

  /// Forgets everything but where "up" is.
  private mutating func forget() {
    (posture, sitsFrom, uprightFrom) = (nil, nil, nil)
    moves = 0x7FFF
  }

  // MARK: Thigh

  private mutating func thigh(_ second: Second) -> SittingBreak? {
    var found: SittingBreak?
    if second.hasSteps {
      let mean = second.mean
      // The mean of the first seconds, since the thigh still rises in the first one, then a slow one.
      let weight = learnt < Self.learningSeconds ? Int64(learnt + 1) : 16
      up = up.map { up in up + (mean - up).map { $0 / weight } } ?? mean
      learnt = min(learnt + 1, Self.learningSeconds)
      if learnt == Self.learningSeconds, let posture, let up {
        // The person sat before the first walk.
        if !posture.mean.isWithin45Degrees(of: up),
          posture.to - posture.from + 1 >= Self.shortestSitting,
          second.index - posture.to <= Self.longestStand + Int64(Self.learningSeconds)
        {
          found = sittingBreak(from: posture.from, at: posture.to + 1)
        }
        self.posture = nil
      }
    }
    guard learnt == Self.learningSeconds, let up else {
      if !second.hasSteps { observe(second) }
      return found
    }
    guard second.mean.isWithin45Degrees(of: up) else {
      uprightFrom = nil
      sitsFrom = sitsFrom ?? second.index
      return found
    }
    let from = uprightFrom ?? second.index
    uprightFrom = from
    guard second.index - from + 1 >= Self.shortestBreak else { return found }
    defer { sitsFrom = nil }
    guard let sitsFrom, from - sitsFrom >= Self.shortestSitting else { return found }
    return sittingBreak(from: sitsFrom, at: from)
  }

  /// Keeps a posture before it is known what it is.
  private mutating func observe(_ second: Second) {
    if let posture, second.mean.isWithin45Degrees(of: posture.mean) {
      self.posture?.to = second.index
    } else if posture.map({ second.index - $0.to > Self.longestStand }) ?? true {
      posture = (second.mean, second.index, second.index)
    }
  }

  // MARK: Hip

  private mutating func hip(_ second: Second) -> SittingBreak? {
    moves = (moves << 1 | (second.isMoving ? 1 : 0)) & 0x7FFF
    let count = moves.nonzeroBitCount
    if count <= Self.stillSeconds {
      // Since the last of the movement.
      sitsFrom = sitsFrom ?? second.index - Int64(min(moves.trailingZeroBitCount, 15)) + 1
      return nil
    }
    guard count >= Self.breakSeconds, let from = sitsFrom else { return nil }
    sitsFrom = nil
    // The earliest of the fifteen seconds with movement.
    let began = second.index - Int64(15 - moves.leadingZeroBitCount)
    guard began - from >= Self.shortestSitting else { return nil }
    return sittingBreak(from: from, at: began)
  }
}

extension WideVector {
  /// Whether the angle to another vector is less than 45°, for components of at most 16 000.
  fileprivate func isWithin45Degrees(of other: Self) -> Bool {
    let product = dot(other)
    return product > 0 && 2 * product * product > dot(self) * other.dot(other)
  }
}
