import Motion

/// Judges each sample's time before a measurement sees the sample, and keeps the quality record.
struct StreamMonitor: Hashable, Sendable {
  /// What a sample's time says about it.
  enum Arrival: Hashable, Sendable {
    /// The first of a stretch, at the start or after a gap.
    case first
    /// Follows the one before by so many microseconds, 1...`longestInterval`.
    case next(interval: Int64)
    /// Not after the one before; to be ignored.
    case outOfOrder
  }

  /// The longest silence in microseconds that is bridged: two slow steps.
  static let longestInterval: Int64 = 1_000_000
  /// The interval in microseconds above which a stream counts as slower than 10 Hz, with 5 % grace.
  static let slowInterval: Int64 = 105_000
  /// Micro-g below which a repeated reading is only a still sensor: no range ends lower.
  static let lowestLimit: UInt32 = 1_900_000

  private(set) var quality = SignalQuality()
  /// The last sample that was accepted, as far as it is looked at again.
  private var lastTime: Int64 = 0
  private var lastAcceleration = Vector3(x: 0, y: 0, z: 0)
  private var repeats = 0

  /// Takes the next sample's measure.
  @inline(__always)
  mutating func judge(_ sample: MotionSample) -> Arrival {
    guard quality.samples > 0 else {
      accept(sample)
      return .first
    }
    guard sample.time > lastTime else {
      quality.outOfOrder &+= 1
      return .outOfOrder
    }
    noteSaturation(of: sample.acceleration)
    // Later than the last: the distance is right as an unsigned number, however far it is.
    let interval = UInt64(bitPattern: sample.time &- lastTime)
    accept(sample)
    guard interval <= UInt64(Self.longestInterval) else {
      quality.gaps &+= 1
      return .first
    }
    let microseconds = Int64(bitPattern: interval)
    quality.duration &+= microseconds
    quality.intervals &+= 1
    if microseconds > Self.slowInterval { quality.slowIntervals &+= 1 }
    return .next(interval: microseconds)
  }

  @inline(__always)
  private mutating func accept(_ sample: MotionSample) {
    lastTime = sample.time
    lastAcceleration = sample.acceleration
    quality.samples &+= 1
  }

  /// A component beyond any resting value that reads the same three times has met its limit.
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
