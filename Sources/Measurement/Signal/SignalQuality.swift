import FixedPoint

/// What a stream of motion samples was worth: how many, how even, how whole.
///
/// Every measurement hands one back, so that a figure never travels without its grounds.
public struct SignalQuality: Hashable, Sendable {
  /// Whether a measurement may be believed.
  public enum Verdict: Hashable, Sendable {
    /// Nothing speaks against the measurement.
    case good
    /// The measurement stands, but more than 1 % of the stream was lost, late or saturated.
    case low
    /// The measurement must not be used, for this reason.
    case refused(Refusal)
  }

  /// Why a stream cannot be measured.
  public enum Refusal: String, Hashable, Sendable, CustomStringConvertible {
    /// No sample came, or only one.
    case noSamples
    /// Most samples are further apart than the measurement bears.
    case rateTooLow
    /// An accelerometer alone was shaken too much to show which way is up.
    case shaken

    /// What is wrong and what to do about it, for people.
    public var description: String {
      switch self {
      case .noSamples:
        "the sensor sent no samples to measure; check that it is worn, charged and streaming"
      case .rateTooLow:
        "the sensor sends fewer than 10 samples a second, too few to follow a movement; "
          + "raise its rate to 25 a second or more"
      case .shaken:
        "the movement was too fast for an accelerometer alone; "
          + "repeat it slowly, or use a sensor with a gyroscope"
      }
    }
  }

  /// Samples taken in, the ignored ones not included.
  public internal(set) var samples = 0
  /// Silences longer than a second; each ends a bout, and nothing is made up in between.
  public internal(set) var gaps = 0
  /// Samples ignored because their time was not after the one before.
  public internal(set) var outOfOrder = 0
  /// Samples with a component stuck at its limit.
  public internal(set) var saturated = 0
  /// Microseconds of signal, the gaps not included.
  public internal(set) var duration: Int64 = 0
  /// How many intervals were longer than a sensor of 9.5 Hz would leave, gaps not included.
  var slowIntervals = 0
  /// How many intervals there were, gaps not included.
  var intervals = 0

  /// Makes the quality of a stream that has not begun.
  public init() {}

  /// The mean rate in thousandths of a hertz, gaps left out; `nil` before there are two samples.
  public var rate: Int? {
    guard duration > 0 else { return nil }
    return Int(Int64(intervals).scaled(by: 1_000_000_000, over: duration))
  }

  /// Whether a measurement over this stream may be believed.
  public var verdict: Verdict {
    guard intervals > 0 else { return .refused(.noSamples) }
    guard slowIntervals * 2 <= intervals else { return .refused(.rateTooLow) }
    let flawed = gaps + outOfOrder + saturated
    return flawed * 100 > samples ? .low : .good
  }
}
