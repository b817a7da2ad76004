public import Motion

/// Why the sway of a standing person could not be measured; no figure is made up instead.
public enum SwayRefusal: Error, Hashable, Sendable, CustomStringConvertible {
  /// The stream cannot be measured at all.
  case stream(SignalQuality.Refusal)
  /// The sensor was silent for so many milliseconds.
  case dropout(milliseconds: Int64)
  /// The recording lasts only so many seconds.
  case tooShort(seconds: Int64)
  /// The axis that was said to point to the front or the back is nearly upright.
  case axisUpright(Axis)
  /// The person leant further than anyone can without a step.
  case moved

  /// A short name for scripts: the case's, or that of the stream's refusal.
  public var code: String {
    switch self {
    case .stream(let refusal): refusal.rawValue
    case .dropout: "dropout"
    case .tooShort: "tooShort"
    case .axisUpright: "axisUpright"
    case .moved: "moved"
    }
  }

  /// What happened and what to do now, for people.
  public var description: String {
    switch self {
    case .stream(let refusal):
      "no sway: \(refusal)"
    case .dropout(let milliseconds):
      "no sway: the sensor was silent for \(milliseconds / 1_000).\(milliseconds % 1_000 / 100) s; "
        + "bring the receiver closer and repeat it"
    case .tooShort(let seconds):
      "no sway: the recording lasts \(seconds) s; stand still for 30 s"
    case .axisUpright(let axis):
      "no sway: the sensor's \(axis.rawValue) axis points up or down, not to the front or the back; "
        + "wear the sensor flat on the lower back, or name another axis"
    case .moved:
      "no sway: the person took a step, bent or was moved; repeat it standing still"
    }
  }
}
