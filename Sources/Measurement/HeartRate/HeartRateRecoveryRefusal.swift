/// Why a heart rate recovery could not be measured.
public enum HeartRateRecoveryRefusal: String, Error, Hashable, Sendable, CustomStringConvertible {
  /// No plausible reading from 30 s before the end of the exercise to 10 s after it.
  case noPeak
  /// No plausible reading within 5 s of one minute after the end.
  case noReadingAfterOneMinute

  /// A short name for scripts.
  public var code: String { rawValue }

  /// What happened and what to do now, for people.
  public var description: String {
    switch self {
    case .noPeak:
      "no heart rate recovery: no heart rate was heard when the exercise ended; "
        + "moisten the strap and repeat the exercise"
    case .noReadingAfterOneMinute:
      "no heart rate recovery: no heart rate was heard one minute after the exercise; "
        + "keep the strap on for two minutes after the end"
    }
  }
}
