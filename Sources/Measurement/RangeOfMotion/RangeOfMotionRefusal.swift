/// Why a range of motion could not be measured; no figure is made up instead.
public enum RangeOfMotionRefusal: Error, Hashable, Sendable, CustomStringConvertible {
  /// The stream cannot be measured at all, or an accelerometer alone was shaken too much.
  case stream(SignalQuality.Refusal)
  /// The sensor fell silent in the middle of the movement, or before its end, for so many
  /// milliseconds.
  case dropout(milliseconds: Int64)
  /// The limb turned about the vertical, which gravity does not show.
  case verticalAxis
  /// The limb moved about several axes, so two segments have no one angle between them.
  case severalAxes

  /// A short name for scripts: `noSamples`, `rateTooLow`, `shaken`, `dropout`, `verticalAxis`,
  /// `severalAxes`.
  public var code: String {
    switch self {
    case .stream(let refusal): refusal.rawValue
    case .dropout: "dropout"
    case .verticalAxis: "verticalAxis"
    case .severalAxes: "severalAxes"
    }
  }

  /// What happened and what to do now, for people.
  public var description: String {
    switch self {
    case .stream(let refusal):
      "no range of motion: \(refusal)"
    case .dropout(let milliseconds):
      "no range of motion: the sensor was silent for \(milliseconds / 1_000).\(milliseconds % 1_000 / 100) s "
        + "during the movement; bring the receiver closer and repeat it"
    case .verticalAxis:
      "no range of motion: the limb turned about the vertical, which gravity does not show; "
        + "take a position in which it moves up and down"
    case .severalAxes:
      "no range of motion: the limb moved about several axes, so there is no one angle; "
        + "repeat the movement in one plane"
    }
  }
}
