/// What a course of inclinations was worth.
public struct InclinationQuality: Hashable, Sendable {
  /// The stream itself: samples, gaps, losses, rate.
  public internal(set) var signal = SignalQuality()
  /// Whether every sample came with an angular rate that was used.
  public internal(set) var usesGyroscope = false
  /// Root mean square of |a| / 1 g - 1 in thousandths; `nil` before the first sample.
  public internal(set) var unsteadiness: Int?

  /// Whether the inclinations may be believed.
  ///
  /// With a gyroscope the stream alone decides. Without one the sensor must have been moved slowly:
  /// an unsteadiness below 50 thousandths is good (1.0° error on average), to 100 low (1.6°), and
  /// more is refused.
  public var verdict: SignalQuality.Verdict {
    guard !usesGyroscope, let unsteadiness else { return signal.verdict }
    switch signal.verdict {
    case .refused(let reason): return .refused(reason)
    case .low: return unsteadiness > Steadiness.refused ? .refused(.shaken) : .low
    case .good:
      return unsteadiness > Steadiness.refused
        ? .refused(.shaken) : unsteadiness >= Steadiness.good ? .low : .good
    }
  }
}
