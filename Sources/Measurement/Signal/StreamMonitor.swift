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
  private var last: MotionSample?
  private var repeats = 0

  /// Takes the next sample's measure.
  mutating func judge(_ sample: MotionSample) -> Arrival {
    guard let last else {
      accept(sample)
      return .first
    }
    guard sample.time > last.time else {
      quality.outOfOrder += 1
      return .outOfOrder
    }
    let (interval, overflow) = sample.time.subtractingReportingOverflow(last.time)
    noteSaturation(of: sample.acceleration, after: last.acceleration)
    accept(sample)
    guard !overflow, interval <= Self.longestInterval else {
      quality.gaps += 1
      return .first
    }
    quality.duration += interval
    quality.intervals += 1
    if interval > Self.slowInterval { quality.slowIntervals += 1 }
    return .next(interval: interval)
  }

  private mutating func accept(_ sample: MotionSample) {
    last = sample
    quality.samples += 1
  }

  /// A component beyond any resting value that reads the same three times has met its limit.
  private mutating func noteSaturation(of new: Vector3, after old: Vector3) {
    let stuck =
      Self.isStuck(new.x, old.x) || Self.isStuck(new.y, old.y) || Self.isStuck(new.z, old.z)
    repeats = stuck ? repeats + 1 : 0
    if repeats >= 2 { quality.saturated += 1 }
  }

  private static func isStuck(_ new: Int32, _ old: Int32) -> Bool {
    new == old && new.magnitude >= lowestLimit
  }
}
