/// Why an accelerometer could not be calibrated.
public enum CalibrationRefusal: Error, Hashable, Sendable, CustomStringConvertible {
  /// A position was held for less than a second, or hardly a sample came.
  case tooShort
  /// The sensor moved in a position.
  case moved
  /// No axis pointed straight up or down in a position: it must, to within 10°.
  case slanted
  /// A position is missing: no recording has this axis (`x`, `y`, `z`) pointing up, or down.
  case missing(axis: String, isUp: Bool)
  /// What was found is more than any working sensor is wrong by.
  case implausible

  /// What happened and what to do now, for people.
  public var description: String {
    switch self {
    case .tooShort:
      "not calibrated: a position was held too shortly; leave the sensor alone for two seconds in each"
    case .moved:
      "not calibrated: the sensor moved; lay it on a firm surface and let go of it"
    case .slanted:
      "not calibrated: the sensor lay askew; lay it flat on one of its sides"
    case .missing(let axis, let isUp):
      "not calibrated: no position had the sensor's \(axis) axis pointing \(isUp ? "up" : "down"); "
        + "lay it on each of its six sides in turn"
    case .implausible:
      "not calibrated: the readings are further from gravity than any working sensor's; "
        + "check the unit of the data, or replace the sensor"
    }
  }
}
