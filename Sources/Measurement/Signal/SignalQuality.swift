import FixedPoint
import Motion

/// The quality of a stream of motion samples: count, rate, gaps, losses.
///
/// Every measurement returns one with its figures.
public struct SignalQuality: Hashable, Sendable {
  /// Whether a measurement is reliable.
  public enum Verdict: Hashable, Sendable {
    /// No defect was found.
    case good
    /// The measurement stands, but more than 1 % of the samples were late or at the sensor's limit,
    /// more than 5 % of the time has none, or most have no gravity.
    case low
    /// The measurement must not be used, for this reason.
    case refused(Refusal)
  }

  /// Why a stream cannot be measured.
  public enum Refusal: String, Hashable, Sendable {
    /// At most one sample was received.
    case noSamples
    /// Most samples are further apart than a measurement allows.
    case rateTooLow
    /// An accelerometer without a gyroscope was moved too fast to show the direction of gravity.
    case shaken
  }

  /// Samples used, the ignored ones not included.
  public internal(set) var samples = 0
  /// Gaps longer than a second; each ends a bout, and nothing is interpolated in between.
  public internal(set) var gaps = 0
  /// Samples ignored because they have the time of the one before.
  ///
  /// Telephones give samples of a batch one time; ignoring the others loses nothing.
  public internal(set) var repeated = 0
  /// Samples ignored because their time was before the last one's.
  public internal(set) var outOfOrder = 0
  /// Samples with a component stuck at its limit.
  public internal(set) var saturated = 0
  /// Samples without gravity: in the flight of a runner, or of columns that are no acceleration.
  public internal(set) var weightless = 0
  /// Microseconds of the holes of more than 0.21 s between samples, the gaps included.
  public internal(set) var missing: Int64 = 0
  /// Microseconds of signal, the gaps not included.
  public internal(set) var duration: Int64 = 0
  /// Microseconds of the gaps.
  var gapTime: Int64 = 0
  /// How many intervals were longer than a sensor of 9.5 Hz would leave, gaps not included.
  var slowIntervals = 0
  /// How many intervals there were, gaps not included.
  var intervals = 0

  /// The quality of a stream without samples.
  public init() {}

  /// The mean rate in thousandths of a hertz, gaps left out; `nil` before there are two samples.
  public var rate: Int? {
    guard duration > 0 else { return nil }
    return Int(Int64(intervals).scaled(by: 1_000_000_000, over: duration))
  }

  /// Whether a measurement from this stream is reliable.
  public var verdict: Verdict {
    guard intervals > 0 else { return .refused(.noSamples) }
    guard slowIntervals * 2 <= intervals else { return .refused(.rateTooLow) }
    let flawed = gaps + outOfOrder + saturated
    let isWhole = flawed * 100 <= samples && !isWeightless
    return isWhole && !isMissingMuch ? .good : .low
  }

  /// Whether most samples have no gravity.
  package var isWeightless: Bool { weightless * 2 > samples }

  /// Whether more than a twentieth of the time has no samples.
  package var isMissingMuch: Bool { missing > (duration &+ gapTime) / 20 }
}

/// Classifies each sample by its time before a measurement takes it, and counts the defects.
struct StreamMonitor: Hashable, Sendable {
  /// The class of a sample by its time.
  enum Arrival: Hashable, Sendable {
    /// The first of a stretch, at the start or after a gap.
    case first
    /// Later than the previous sample by this many microseconds, 1...`longestInterval`.
    case next(interval: Int64)
    /// Not after the previous sample; to be ignored.
    case outOfOrder
  }

  /// The longest gap in microseconds that does not end a stretch: two slow steps.
  static let longestInterval: Int64 = 1_000_000
  /// The interval in microseconds above which a stream counts as slower than 10 Hz, with 5 % grace.
  private static let slowInterval: Int64 = 105_000
  /// The interval in microseconds above which at least one sample of a sensor of 10 Hz is missing.
  private static let hole: Int64 = 210_000
  /// The most microseconds of gaps that are counted: 9000 years.
  private static let mostTime: Int64 = 1 << 58
  /// The greatest component in micro-g of a sensor that weighs nothing.
  private static let weightless: UInt32 = 300_000
  /// Micro-g below which a repeated reading means a resting sensor: no range ends lower.
  private static let lowestLimit: UInt32 = 1_900_000

  private(set) var quality = SignalQuality()
  /// Time in microseconds and acceleration of the last accepted sample.
  private(set) var lastTime: Int64 = 0
  private var lastAcceleration = Vector3(x: 0, y: 0, z: 0)
  private var repeats = 0

  /// Classifies the next sample.
  @inline(__always)
  mutating func judge(_ sample: MotionSample) -> Arrival {
    guard quality.samples > 0 else {
      accept(sample)
      return .first
    }
    guard sample.time > lastTime else {
      if sample.time == lastTime { quality.repeated &+= 1 } else { quality.outOfOrder &+= 1 }
      return .outOfOrder
    }
    noteSaturation(of: sample.acceleration)
    // Later than the last: as an unsigned number the difference cannot overflow.
    let interval = UInt64(bitPattern: sample.time &- lastTime)
    accept(sample)
    guard interval <= UInt64(Self.longestInterval) else {
      quality.gaps &+= 1
      let gap = Int64(min(interval, UInt64(Self.mostTime)))
      quality.gapTime = min(quality.gapTime &+ gap, Self.mostTime)
      quality.missing = min(quality.missing &+ gap, Self.mostTime)
      return .first
    }
    let microseconds = Int64(bitPattern: interval)
    quality.duration &+= microseconds
    if microseconds > Self.hole { quality.missing &+= microseconds }
    quality.intervals &+= 1
    if microseconds > Self.slowInterval { quality.slowIntervals &+= 1 }
    return .next(interval: microseconds)
  }

  @inline(__always)
  private mutating func accept(_ sample: MotionSample) {
    lastTime = sample.time
    lastAcceleration = sample.acceleration
    quality.samples &+= 1
    let acceleration = sample.acceleration
    if acceleration.x.magnitude < Self.weightless, acceleration.y.magnitude < Self.weightless,
      acceleration.z.magnitude < Self.weightless
    {
      quality.weightless &+= 1
    }
  }

  /// A component above any resting value is saturated if it reads the same three times.
  @inline(__always)
  private mutating func noteSaturation(of new: Vector3) {
    let old = lastAcceleration
    guard new.x == old.x || new.y == old.y || new.z == old.z,
      Self.isStuck(new.x, old.x) || Self.isStuck(new.y, old.y) || Self.isStuck(new.z, old.z)
    else {
      repeats = 0
      return
    }
    repeats &+= 1
    if repeats >= 2 { quality.saturated &+= 1 }
  }

  private static func isStuck(_ new: Int32, _ old: Int32) -> Bool {
    new == old && new.magnitude >= lowestLimit
  }
}
