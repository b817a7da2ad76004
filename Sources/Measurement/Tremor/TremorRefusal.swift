/// Why a tremor could not be looked for.
///
/// A recording in which there is none is no refusal: it is a result without a peak.
public enum TremorRefusal: Error, Hashable, Sendable, CustomStringConvertible {
  /// The stream cannot be measured at all.
  case stream(SignalQuality.Refusal)
  /// The sensor sends only so many thousandths of a hertz; 50 Hz are needed.
  case rateBelow50(rate: Int)
  /// Only so many seconds came without a hole.
  case tooShort(seconds: Int64)

  /// A short name for scripts: the case's, or that of the stream's refusal.
  public var code: String {
    switch self {
    case .stream(let refusal): refusal.rawValue
    case .rateBelow50: "rateBelow50"
    case .tooShort: "tooShort"
    }
  }

  /// What happened and what to do now, for people.
  public var description: String {
    switch self {
    case .stream(let refusal):
      "no tremor measurement: \(refusal)"
    case .rateBelow50(let rate):
      "no tremor measurement: the sensor sends \(rate / 1_000) samples a second, "
        + "a tremor of up to 12 Hz needs 50; raise its rate"
    case .tooShort(let seconds):
      "no tremor measurement: only \(seconds) s came in without a hole, 6 s are needed; "
        + "hold the posture for at least 10 s, close to the receiver"
    }
  }
}
