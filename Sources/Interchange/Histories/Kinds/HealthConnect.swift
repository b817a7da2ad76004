import Care
import ForeignTables
import Foundation

extension HistoryKind {
  /// The export of Android's Health Connect.
  package static let healthConnect = HistoryKind(id: "healthConnect", title: "Health Connect")
}

/// The database of Health Connect's export: `health_connect_export.db`.
///
/// Times are milliseconds of UTC, masses grams, shares per cent. Each record has a UUID and the app that
/// wrote it. Of heart rates each moment is a row of its own.
struct HealthConnectScanner {
  /// Apps beyond this many have no name.
  private static let mostApps = 1000
  private static let apps = "application_info_table"
  private static let heartRates = "heart_rate_record_series_table"

  private static let columns: [String: [TableColumn]] = [
    "weight_record_table": [TableColumn("weight", of: .bodyMass, in: .gram)],
    "body_fat_record_table": [
      TableColumn("percentage", of: .bodyFatPercentage, isDerived: true)
    ],
    "lean_body_mass_record_table": [
      TableColumn("mass", of: .fatFreeMass, in: .gram, isDerived: true)
    ],
    "blood_pressure_record_table": [
      TableColumn("systolic", of: .bloodPressureSystolic),
      TableColumn("diastolic", of: .bloodPressureDiastolic),
    ],
    "blood_glucose_record_table": [
      TableColumn("level", of: .bloodGlucose, in: .millimolePerLitre)
    ],
    "oxygen_saturation_record_table": [TableColumn("percentage", of: .oxygenSaturation)],
    "body_temperature_record_table": [TableColumn("temperature", of: .bodyTemperature)],
    "steps_record_table": [TableColumn("count", of: .stepCount)],
    heartRates: [TableColumn("beats_per_minute", of: .heartRate, isStreamed: true)],
  ]

  /// The columns beside the values.
  private static let times = ["time", "time_millis", "epoch_millis", "start_time"]
  private static let facts = times + ["end_time", "uuid", "app_info_id", "recording_method"]

  private let tables: ForeignTables
  /// How many bytes its file has, of an archive the packed ones.
  private let size: Int
  /// How many pages had been read before.
  private let start: Int
  /// The names of the apps that wrote records, by their numbers.
  private let apps: [Int64: String]
  /// The names of the tables that are not read yet.
  private var left: [String]
  private var table: Table?
  /// How many records were read.
  private var count = 0

  /// A table that is being read.
  private struct Table {
    var values: [TableColumn]
    /// Where in a row the columns are.
    var places: [String: Int]
    var rows: ForeignTables.Rows
  }

  /// Recognises an export.
  ///
  /// - Parameters:
  ///   - part: The file.
  ///   - path: Where a copy of it may be for a moment.
  /// - Returns: Its tables; `nil` for another database.
  /// - Throws: ``HistoryError``.
  static func tables(_ part: HistoryPart, at path: String) throws(HistoryError) -> ForeignTables? {
    var source = try part.open()
    do {
      var draft = try ForeignTables.Draft(at: path)
      while case let block = try source.next(), !block.isEmpty { try draft.append(block) }
      let tables = try draft.tables()
      for name in columns.keys where try !tables.columns(of: name).isEmpty { return tables }
      return nil
    } catch let fault as ForeignTables.Fault {
      throw HistoryError(file: part.name, fault)
    } catch {
      throw error as? HistoryError
        ?? HistoryError(file: part.name, .readFailure(reason: error.localizedDescription))
    }
  }

  /// Begins to read.
  init(_ tables: ForeignTables, size: Int) throws(ForeignTables.Fault) {
    (self.tables, self.size) = (tables, size)
    start = tables.pagesRead
    left = Self.columns.keys.sorted(by: >)
    var apps: [Int64: String] = [:]
    if try tables.columns(of: Self.apps).contains("package_name") {
      let rows = try tables.rows(of: Self.apps, columns: ["package_name"])
      while apps.count < Self.mostApps, let row = try rows.next() {
        if case .text(let name) = row.values.first { apps[row.id] = String(name.prefix(100)) }
      }
    }
    self.apps = apps
  }

  var bytesRead: Int {
    // Of tables that are not read no page is: the rest comes with the end.
    let bytes = (tables.pagesRead - start).saturatingProduct(size / max(1, tables.pages))
    return min(size, bytes)
  }

  /// Reads some rows.
  ///
  /// - Returns: Whether there may be more.
  mutating func scan(into sink: inout HistorySink) throws(ForeignTables.Fault) -> Bool {
    for _ in 0..<500 {
      guard let table else {
        guard let name = left.popLast() else { return false }
        let there = try tables.columns(of: name)
        let values = Self.columns[name] ?? []
        let columns = (values.flatMap(\.names) + Self.facts).filter(there.contains)
        guard !there.isEmpty else { continue }
        self.table = Table(
          values: values,
          places: Dictionary(columns.enumerated().map { ($1, $0) }) { first, _ in first },
          rows: try tables.rows(of: name, columns: columns))
        continue
      }
      guard let row = try table.rows.next() else {
        self.table = nil
        continue
      }
      read(row, of: table, &sink)
    }
    return true
  }

  private mutating func read(
    _ row: ForeignTables.Row, of table: Table, _ sink: inout HistorySink
  ) {
    func value(_ name: String) -> ForeignTables.Value {
      table.places[name].map { row.values[$0] } ?? .none
    }
    func number(_ name: String) -> Int64? {
      if case .integer(let number) = value(name) { number } else { nil }
    }
    count += 1
    let start = Self.times.lazy.compactMap { table.places[$0] == nil ? nil : number($0) }.first
    guard let start = Self.time(start) else { return sink.skip(count, .time("")) }
    let end = Self.time(number("end_time"))
    let id = value("uuid").hex
    sink.addPressures(line: count) { sink in
      for column in table.values {
        guard let name = column.names.first, let found = value(name).decimal, found != 0 else {
          continue
        }
        sink.add(
          found, digits: "\(found)", column.quantity, in: column.unit, column: name,
          .init(
            line: count, time: start, end: end == start ? nil : end, id: id,
            source: number("app_info_id").flatMap { apps[$0] } ?? sink.kind.title,
            isDerived: column.isDerived, isTyped: number("recording_method") == 3,
            isStreamed: column.isStreamed))
      }
    }
  }

  /// A time of Unix in milliseconds, of this century or the end of the last.
  private static func time(_ milliseconds: Int64?) -> HistoryTime? {
    guard let milliseconds, (631_152_000_000..<4_102_444_800_000).contains(milliseconds) else {
      return nil
    }
    return .instant(Date(microseconds: milliseconds * 1000))
  }
}

extension ForeignTables.Value {
  /// A number of either kind.
  fileprivate var decimal: Double? {
    switch self {
    case .integer(let number): Double(number)
    case .real(let number) where number.isFinite: number
    default: nil
    }
  }

  /// Some bytes, as hexadecimal digits.
  fileprivate var hex: String? {
    guard case .bytes(let bytes) = self, (1...32).contains(bytes.count) else { return nil }
    let digits = Array("0123456789abcdef")
    return String(bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
  }
}

extension HistoryError {
  /// Why a database is not read.
  init(file: String, _ fault: ForeignTables.Fault) {
    let problem: Problem =
      switch fault {
      case .tooLarge(let mebibytes): .database(.tooLarge(mebibytes: mebibytes))
      case .damaged: .database(.damaged)
      case .notCopied(let code): .readFailure(reason: unsafe String(cString: strerror(code)))
      }
    self.init(file: file, problem)
  }
}
