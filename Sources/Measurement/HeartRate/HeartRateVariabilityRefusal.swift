/// Why a heart rate variability could not be measured.
public enum HeartRateVariabilityRefusal: Error, Hashable, Sendable, CustomStringConvertible {
  /// Only so many seconds of normal beats came, or none in succession.
  case tooShort(seconds: Int64)
  /// So many percent of the intervals were artefacts.
  case tooManyArtefacts(percent: Int)

  /// A short name for scripts: `tooShort`, `tooManyArtefacts`.
  public var code: String {
    switch self {
    case .tooShort: "tooShort"
    case .tooManyArtefacts: "tooManyArtefacts"
    }
  }

  /// What happened and what to do now, for people.
  public var description: String {
    switch self {
    case .tooShort(let seconds):
      "no heart rate variability: only \(seconds) s of regular beats were heard, 60 s are needed; "
        + "sit still for five minutes with the strap on"
    case .tooManyArtefacts(let percent):
      "no heart rate variability: \(percent) % of the beats were missed, false or irregular; "
        + "moisten the strap and sit still, and ask a clinician if it stays so"
    }
  }
}
