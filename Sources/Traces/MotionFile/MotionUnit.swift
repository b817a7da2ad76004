/// The unit of a motion file's acceleration columns.
public enum MotionUnit: Hashable, Sendable {
  /// Standard gravity, 9.80665 m/s².
  case g
  /// Thousandths of it.
  case milliG
  /// Metres a second squared.
  case metresPerSecondSquared
  /// Raw counts of a sensor, so many to 1 g.
  case counts(perG: Int64)

  /// Reads `g`, `mg`, `m/s2` or `counts:4096`.
  ///
  /// - Returns: `nil` for anything else, and for counts that are not 1…1 000 000 000 to 1 g.
  public init?(_ text: String) {
    switch text {
    case "g": self = .g
    case "mg": self = .milliG
    case "m/s2", "m/s^2", "m/s²": self = .metresPerSecondSquared
    default:
      guard text.hasPrefix("counts:"), let counts = Int64(text.dropFirst(7)),
        (1...1_000_000_000).contains(counts)
      else { return nil }
      self = .counts(perG: counts)
    }
  }

  /// Micro-g for a number of billionths of the unit, as a ratio: `billionths * numerator / denominator`.
  var ratio: (numerator: Int64, denominator: Int64) {
    switch self {
    case .g: (1, 1000)
    case .milliG: (1, 1_000_000)
    // 1 m/s² = 1/9.80665 g, so 10⁻⁹ of it is 10⁻³/9.80665 = 100/980665 micro-g.
    case .metresPerSecondSquared: (100, 980_665)
    case .counts(let perG): (1, 1000 * perG)
    }
  }
}
