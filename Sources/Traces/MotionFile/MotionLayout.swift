import Motion

/// Where a text file has its times and axes, and in which unit: by its column names.
///
/// The vendors' names, from their documentation and files that their programs write:
/// - Axivity OmGui: `Time,Accel-X (g), Accel-Y (g), …`, or rows without a header
///   (Open Movement, AX3 GUI and omsynth).
/// - ActiGraph ActiLife: a banner of ten lines, then `Timestamp,Accelerometer X,…`, or the axes
///   alone at the banner's rate (ActiLife User's Manual, raw data export).
/// - UK Biobank: `time,x,y,z` with dates, in g (biobankAccelerometerAnalysis, stepcount).
/// - phyphox: `"Time (s)","Acceleration x (m/s^2)",…`, also with semicolons or tabs and decimal
///   commas.
/// - Sensor Logger: `time,seconds_elapsed,z,y,x`, nanoseconds since 1970 and m/s².
/// - MetaWear: `epoc (ms),timestamp (+0100),elapsed (s),x-axis (g),…`.
/// - Movesense: `timestamp,x,y,z` in milliseconds and m/s².
struct MotionLayout: Hashable, Sendable {
  /// The columns with their meaning.
  var columns: MotionColumns
  /// How rows give their times.
  var time: MotionTime
  /// The unit that the layout implies; `nil` if it does not say.
  var unit: MotionUnit?
  /// The byte between two fields.
  var separator = UInt8(ascii: ",")
  /// A column with Unix time; times 10^`decimals` its numbers are microseconds.
  var clock: Clock?
  /// When the recording starts, by the lines before its columns.
  var start: RecordingStart?

  struct Clock: Hashable, Sendable {
    var column: Int
    var decimals: Int
  }

  /// The decimal point: a comma is one too if it does not separate fields.
  var point: UInt8 { separator == UInt8(ascii: ",") ? UInt8(ascii: ".") : UInt8(ascii: ",") }

  /// The byte that separates the fields of a line: a comma, a semicolon or a tab.
  static func separator(of line: some Sequence<UInt8>) -> UInt8 {
    var (tabs, semicolons) = (0, 0)
    for byte in line {
      if byte == UInt8(ascii: "\t") { tabs += 1 }
      if byte == UInt8(ascii: ";") { semicolons += 1 }
    }
    if tabs >= 2 { return UInt8(ascii: "\t") }
    return semicolons >= 2 ? UInt8(ascii: ";") : UInt8(ascii: ",")
  }
}

// MARK: - With a header

extension MotionLayout {
  /// Recognises a layout.
  ///
  /// - Parameters:
  ///   - header: The columns' names.
  ///   - separator: The byte that separates them.
  ///   - row: The first row.
  ///   - format: The properties of the file that the caller knows.
  ///   - banner: The lines before the columns, in a file of ActiGraph's.
  /// - Throws: `TraceError.Problem` for a header without times or axes.
  init(
    header: CSVHeader, separator: UInt8, row: [UInt8], format: MotionFormat,
    banner: ActiGraphBanner?
  ) throws(TraceError.Problem) {
    let names = header.names.map(ColumnName.init)
    let axes: Axes
    if let chosen = format.columns {
      axes = try Axes(chosen, in: header, names)
    } else {
      axes = try Axes(names, header)
    }
    let time = try Self.time(
      of: names, header, row: row, separator: separator, format: format, banner: banner)
    var clock: Clock?
    if let column = names.firstIndex(where: { $0.base == "epoc" || $0.base == "epoch" }),
      names[column].unit == "ms"
    {
      clock = Clock(column: column, decimals: 3)
    } else if names.contains(where: { $0.base == "secondselapsed" }),
      let column = names.firstIndex(of: ColumnName("time"))
    {
      clock = Clock(column: column, decimals: -3)
    }
    self.init(
      columns: try MotionColumns(
        header, time: time.column, acceleration: axes.acceleration, angularRate: axes.angularRate),
      time: time.format, unit: axes.unit ?? (format.columns == nil ? time.impliedUnit : nil),
      separator: separator, clock: format.columns == nil ? clock : nil, start: banner?.start)
    if banner != nil, unit == nil { unit = .g }
  }

  /// Which column has the times, how they are written, and the unit that this implies for axes
  /// without one.
  private static func time(
    of names: [ColumnName], _ header: CSVHeader, row: [UInt8], separator: UInt8,
    format: MotionFormat, banner: ActiGraphBanner?
  ) throws(TraceError.Problem) -> (column: Int?, format: MotionTime, impliedUnit: MotionUnit?) {
    if let rate = format.rate {
      let unrated = MotionFormat(unit: format.unit, columns: format.columns)
      let own = try? time(
        of: names, header, row: row, separator: separator, format: unrated, banner: banner)
      if let column = own?.column { throw .rateOfTimes(column: header.names[column]) }
      return (nil, .rate(millihertz: rate), nil)
    }
    let order = banner?.order ?? .yearMonthDay
    func isDate(_ column: Int) -> Bool {
      let field = field(column, of: row, separator: separator)
      return DateField.read(field.span, in: field.indices, order) != nil
    }
    if let chosen = format.columns {
      guard let time = chosen.time else { throw .noTime }
      guard let column = try header.position(time.name) else {
        throw .missingColumn(time.name, header: header.summary)
      }
      if let decimals = time.decimals {
        return (column, decimals == 6 ? .seconds : .ticks(decimals: decimals), nil)
      }
      return (column, isDate(column) ? .date(order) : .seconds, nil)
    }
    if let column = try header.position("t") { return (column, .seconds, nil) }
    if let column = try header.position("seconds_elapsed") {
      return (column, .seconds, .metresPerSecondSquared)
    }
    for base in ["elapsed", "time", "timestamp", "sensortime"] {
      for (column, name) in names.enumerated() where name.base == base {
        if let decimals = name.unit.flatMap(MotionColumnNames.decimals(of:)) {
          let seconds = decimals == 6 && base != "timestamp"
          return (column, seconds ? .seconds : .ticks(decimals: decimals), nil)
        }
      }
    }
    for base in ["time", "timestamp"] {
      guard let column = names.firstIndex(of: ColumnName(base)) else { continue }
      if isDate(column) { return (column, .date(order), base == "time" ? .g : nil) }
      guard banner == nil else {
        let text = field(column, of: row, separator: separator)
        throw .invalidTime(String(decoding: text.prefix(40), as: UTF8.self), column: base)
      }
      guard base == "timestamp" else { throw .unclearTime(column: base) }
      return (column, .ticks(decimals: 3), .metresPerSecondSquared)
    }
    if let banner, let rate = banner.rate { return (nil, .rate(millihertz: rate), .g) }
    throw names.contains { ["x", "ax"].contains($0.base) } && !names.contains { $0.base == "t" }
      && header.names.count < 4
      ? .noTime : .noMotionColumns(header: header.summary)
  }

  private static func field(_ column: Int, of row: [UInt8], separator: UInt8) -> [UInt8] {
    let fields = row.split(separator: separator, omittingEmptySubsequences: false)
    return column < fields.count ? Array(fields[column]) : []
  }
}

// MARK: - Without a header

extension MotionLayout {
  /// Recognises a first line that is a row already: a date and three axes in g, as OmGui writes it,
  /// or behind a banner of ActiGraph's the three axes alone.
  init?(row: [UInt8], separator: UInt8, banner: ActiGraphBanner?, format: MotionFormat) {
    let fields = row.split(separator: separator, omittingEmptySubsequences: false).map(Array.init)
    let point = separator == UInt8(ascii: ",") ? UInt8(ascii: ".") : UInt8(ascii: ",")
    func isNumber(_ field: [UInt8]) -> Bool {
      DecimalField.number(field.span, in: field.indices, decimals: 9, point: point) != nil
    }
    guard fields.count >= 3, format.columns == nil else { return nil }
    let order = banner?.order ?? .yearMonthDay
    let firstField = fields[0]
    let isDate = DateField.read(firstField.span, in: firstField.indices, order) != nil
    guard fields.dropFirst(isDate ? 1 : 0).prefix(3).allSatisfy(isNumber),
      fields.count >= (isDate ? 4 : 3)
    else { return nil }
    let time: MotionTime
    if let rate = format.rate {
      time = .rate(millihertz: rate)
    } else if isDate {
      time = .date(order)
    } else if let rate = banner?.rate {
      time = .rate(millihertz: rate)
    } else {
      return nil
    }
    guard isDate || banner != nil else { return nil }
    let first = isDate ? 1 : 0
    let header = CSVHeader(Array((isDate ? "time,x,y,z" : "x,y,z").utf8))
    guard
      let columns = try? MotionColumns(
        header, time: isDate && format.rate == nil ? 0 : nil,
        acceleration: [first, first + 1, first + 2], angularRate: [], width: .max)
    else { return nil }
    self.init(
      columns: columns, time: time, unit: .g, separator: separator, start: banner?.start)
  }
}

// MARK: - Names

/// A column's name without punctuation, and the unit in its parentheses.
private struct ColumnName: Equatable {
  /// The letters and digits before the parenthesis: `accelx`.
  var base: String
  /// The text in the parentheses: `m/s^2`.
  var unit: String?

  init(_ name: String) {
    let parts = name.split(separator: "(", maxSplits: 1, omittingEmptySubsequences: false)
    base = String((parts.first ?? "").filter { $0.isLetter || $0.isNumber })
    if parts.count == 2 { unit = String(parts[1].prefix { $0 != ")" }) }
  }

  /// Whether the unit is one of angular rate.
  var isAngularRate: Bool { unit.map { ["deg/s", "d/s", "dps", "°/s"].contains($0) } ?? false }

  /// The unit of acceleration; `nil` for any other.
  var accelerationUnit: MotionUnit? {
    switch unit {
    case "g": .g
    case "mg": .milliG
    case "m/s^2", "m/s2", "m/s²", "m/s/s": .metresPerSecondSquared
    default: nil
    }
  }
}

/// The columns of acceleration and angular rate.
private struct Axes {
  var acceleration: [Int]
  var angularRate: [Int]
  var unit: MotionUnit?

  /// The vendors' prefixes and suffixes of the axis's letter.
  private static let accelerations = [
    ("a", ""), ("", ""), ("acc", ""), ("accel", ""), ("acceleration", ""), ("accelerometer", ""),
    ("", "axis"),
  ]
  private static let angularRates = [
    ("g", ""), ("gyr", ""), ("gyro", ""), ("gyroscope", ""), ("", "axis"),
  ]

  /// Finds the columns by name.
  init(_ names: [ColumnName], _ header: CSVHeader) throws(TraceError.Problem) {
    func find(
      _ patterns: [(String, String)], where isSuitable: (ColumnName) -> Bool
    ) throws(TraceError.Problem) -> [Int]? {
      for (before, after) in patterns {
        var columns: [Int] = []
        for axis in ["x", "y", "z"] {
          let matches = names.indices.filter {
            names[$0].base == before + axis + after && isSuitable(names[$0])
          }
          if matches.count > 1 { throw .duplicateColumn(header.names[matches[0]]) }
          columns += matches
        }
        if columns.count == 3 { return columns }
      }
      return nil
    }
    let numbered = ["axis1", "axis2", "axis3"].compactMap { base in
      names.firstIndex(of: ColumnName(base))
    }
    guard
      let columns = try find(Self.accelerations, where: { !$0.isAngularRate })
        ?? (numbered.count == 3 ? numbered : nil)
    else {
      if names.contains(where: { $0.base == "linearaccelerationx" }) { throw .linearAcceleration }
      throw .noMotionColumns(header: header.summary)
    }
    acceleration = columns
    angularRate =
      try find(Self.angularRates) { name in
        name.isAngularRate || name.unit == nil && name.base.hasPrefix("g")
      } ?? []
    unit = columns.first.flatMap { names[$0].accelerationUnit }
  }

  /// Finds the columns that a person names.
  init(
    _ chosen: MotionColumnNames, in header: CSVHeader, _ names: [ColumnName]
  ) throws(TraceError.Problem) {
    func positions(_ chosen: [String]) throws(TraceError.Problem) -> [Int] {
      var columns: [Int] = []
      for name in chosen {
        guard let column = try header.position(name) else {
          throw .missingColumn(name, header: header.summary)
        }
        columns.append(column)
      }
      return columns
    }
    acceleration = try positions(chosen.acceleration)
    angularRate = try positions(chosen.angularRate)
    unit = acceleration.first.flatMap { names[$0].accelerationUnit }
  }
}

/// The meaning of a motion file's columns.
struct MotionColumns: Hashable, Sendable {
  /// The greatest position of a needed column, plus one.
  static let most = 64

  /// The slot of each column, -1 for an ignored one: 0 is the time, 1…3 the acceleration, 4…6 the
  /// angular rate.
  private let slots: [Int8]
  /// The number of columns up to the last needed one.
  let count: Int
  /// The number of the header's columns.
  let width: Int
  /// Whether there is a gyroscope.
  let hasAngularRate: Bool
  private let names: [String]

  /// Gives columns their meaning.
  init(
    _ header: CSVHeader, time: Int?, acceleration: [Int], angularRate: [Int], width: Int? = nil
  ) throws(TraceError.Problem) {
    let needed = (time.map { [$0] } ?? []) + acceleration + angularRate
    count = (needed.max() ?? 0) + 1
    guard count <= Self.most else { throw .farColumn(limit: Self.most) }
    self.width = width ?? header.names.count
    names = Array(header.names.prefix(count))
    hasAngularRate = !angularRate.isEmpty
    var slots = [Int8](repeating: -1, count: count)
    if let time { slots[time] = 0 }
    for (axis, column) in acceleration.enumerated() { slots[column] = Int8(1 + axis) }
    for (axis, column) in angularRate.enumerated() { slots[column] = Int8(4 + axis) }
    self.slots = slots
  }

  /// The slot of a column below ``count``, -1 for an ignored one.
  @inline(__always)
  func slot(_ column: Int) -> Int { Int(slots[column]) }

  /// The name of a column below ``count``.
  func name(_ column: Int) -> String { column < names.count ? names[column] : "\(column + 1)" }
}
