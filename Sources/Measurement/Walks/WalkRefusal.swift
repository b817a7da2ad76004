/// Why a walk could not be measured; no figure is made up instead.
public enum WalkRefusal: Error, Hashable, Sendable, CustomStringConvertible {
  /// The stream cannot be measured at all.
  case stream(SignalQuality.Refusal)
  /// The sensor was silent for so many milliseconds of the walk.
  case dropout(milliseconds: Int64)
  /// Nobody walked, or fewer than ten steps in a row.
  case noWalk
  /// The distance, in millimetres, is none that somebody walks: 1 m to 10 km.
  case distance(millimetres: Int64)
  /// The end of the walk is not after its beginning.
  case backwards
  /// The recording ends so many seconds after the first step, before the six minutes are over.
  case tooShort(seconds: Int64)

  /// A short name for scripts: the case's, or that of the stream's refusal.
  public var code: String {
    switch self {
    case .stream(let refusal): refusal.rawValue
    case .dropout: "dropout"
    case .noWalk: "noWalk"
    case .distance: "distance"
    case .backwards: "backwards"
    case .tooShort: "tooShort"
    }
  }

  /// What happened and what to do now, for people.
  public var description: String {
    switch self {
    case .stream(let refusal):
      "no walk: \(refusal)"
    case .dropout(let milliseconds):
      "no walk: the sensor was silent for \(milliseconds / 1_000).\(milliseconds % 1_000 / 100) s "
        + "of it; bring the receiver closer and repeat it"
    case .noWalk:
      "no walk: fewer than ten steps in a row were seen; check that the sensor is worn, "
        + "and walk at least ten steps"
    case .distance(let millimetres):
      "no walk: \(millimetres) mm is no distance to walk; state one between 1 m and 10 km"
    case .backwards:
      "no walk: it was said to end before it began; check the times of its beginning and end"
    case .tooShort(let seconds):
      "no six-minute walk: the recording ends after \(seconds) s; let it run for 360 s, "
        + "also while the person rests, and note by hand where the person gave up"
    }
  }
}
