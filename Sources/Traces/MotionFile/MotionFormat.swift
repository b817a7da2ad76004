/// The properties of a motion file that a person knows and its header lacks.
public struct MotionFormat: Hashable, Sendable {
  /// The unit of acceleration; `nil` for the one that the layout implies, else g.
  public var unit: MotionUnit?
  /// The columns by name; `nil` for those of a known layout.
  public var columns: MotionColumnNames?
  /// Rows in 1000 seconds, for a file without times; `nil` for a file with times.
  public var rate: Int64?

  /// Describes a file.
  public init(unit: MotionUnit? = nil, columns: MotionColumnNames? = nil, rate: Int64? = nil) {
    self.unit = unit
    self.columns = columns
    self.rate = rate
  }

  /// The rates that ``rate`` may have: 1 to 10 000 rows a second.
  public static let rates: ClosedRange<Int64> = 1000...10_000_000
}

// MARK: - Columns

/// The names of a motion file's columns.
public struct MotionColumnNames: Hashable, Sendable {
  /// The time's column, and 10^`decimals` as the number of microseconds in its unit; `nil` decimals
  /// for dates or seconds.
  var time: (name: String, decimals: Int?)? {
    timeName.map { ($0, timeDecimals) }
  }
  private var timeName: String?
  private var timeDecimals: Int?
  /// The columns of acceleration.
  var acceleration: [String] = []
  /// The columns of angular rate in deg/s; empty without a gyroscope.
  var angularRate: [String] = []

  /// Reads `t=seconds_elapsed,x=x,y=y,z=z`, optionally with `gx`, `gy` and `gz`.
  ///
  /// Without `t` the file has no times. Behind the time's name may stand its unit: `t=clock:ms`,
  /// one of `s`, `ms`, `us` and `ns`.
  ///
  /// - Returns: `nil` unless each key occurs once, `x`, `y` and `z` among them.
  public init?(_ text: String) {
    var names: [String: String] = [:]
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      guard let split = part.firstIndex(of: "=") else { return nil }
      let key = String(part[..<split]).lowercased().filter { $0 != " " }
      let name = CSVHeader.normalised(String(part[part.index(after: split)...]))
      guard !name.isEmpty, names.updateValue(name, forKey: key) == nil else { return nil }
    }
    acceleration = ["x", "y", "z"].compactMap { names.removeValue(forKey: $0) }
    angularRate = ["gx", "gy", "gz"].compactMap { names.removeValue(forKey: $0) }
    timeName = names.removeValue(forKey: "t")
    guard names.isEmpty, acceleration.count == 3, [0, 3].contains(angularRate.count) else {
      return nil
    }
    if let name = timeName, let colon = name.lastIndex(of: ":"),
      let decimals = Self.decimals(of: String(name[name.index(after: colon)...]))
    {
      timeName = String(name[..<colon])
      timeDecimals = decimals
    }
  }

  /// The power of ten of microseconds in a unit of time.
  static func decimals(of unit: String) -> Int? {
    switch unit {
    case "s": 6
    case "ms": 3
    case "us", "µs": 0
    case "ns": -3
    default: nil
    }
  }
}

// MARK: - Unit

/// The unit of a motion file's acceleration columns.
public enum MotionUnit: Hashable, Sendable {
  /// Standard gravity, 9.80665 m/s².
  case g
  /// Thousandths of it.
  case milliG
  /// Metres a second squared.
  case metresPerSecondSquared
  /// Raw counts of a sensor, `perG` of them to 1 g.
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

  /// Micro-g for a number of billionths of the unit, as a ratio:
  /// `billionths * numerator / denominator`.
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
