import Care
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

  private let tables: DatabaseTables
  private var pages: DatabasePages
  /// How many records were read.
  private var count = 0

  /// Recognises an export; `nil` for another database.
  static func tables(_ source: BlockSource) throws(HistoryError) -> DatabaseTables? {
    let found = try DatabaseTables(source, named: Set(columns.keys).union([apps]))
    return found.flatMap { $0.tables.contains { $0.name != apps } ? $0 : nil }
  }

  init(_ source: BlockSource, _ tables: DatabaseTables) {
    pages = DatabasePages(source)
    self.tables = tables
  }

  var bytesRead: Int { pages.bytesRead }

  /// Scans some pages.
  ///
  /// - Returns: Whether there may be more.
  mutating func scan(into sink: inout HistorySink) throws(HistoryError) -> Bool {
    for _ in 0..<64 {
      guard let page = try pages.next() else { return false }
      guard let table = tables.table(of: page) else { continue }
      for row in page.rows { read(row, of: table, page, &sink) }
    }
    return true
  }

  private mutating func read(
    _ row: DatabaseRow, of table: DatabaseTables.Table, _ page: DatabasePage,
    _ sink: inout HistorySink
  ) {
    func place(_ names: String...) -> Int? {
      table.columns.firstIndex { names.contains($0) }.map { $0 + 1 }
    }
    func number(_ names: String...) -> Int64? {
      names.lazy.compactMap { place($0) }.first.flatMap { row.number($0, of: page) }
    }
    if table.name == Self.apps {
      guard sink.isSurvey, sink.survey.apps.count < Self.mostApps,
        let name = place("package_name").flatMap({ row.text($0, of: page) })
      else { return }
      sink.survey.apps[row.id] = String(name.prefix(100))
      return
    }
    guard !sink.isSurvey else { return }
    count += 1
    guard
      let start = Self.time(number("time", "time_millis", "epoch_millis", "start_time"))
    else { return sink.skip(count, .time("")) }
    let end = number("end_time").flatMap { Self.time($0) }
    for column in Self.columns[table.name] ?? [] {
      guard let name = column.names.first,
        let value = place(name).flatMap({ row.decimal($0, of: page) }), value != 0
      else { continue }
      sink.add(
        value, digits: "\(value)", column.quantity, in: column.unit, column: name,
        .init(
          line: count, time: start, end: end == start ? nil : end,
          id: place("uuid").flatMap { row.hex($0, of: page) },
          source: number("app_info_id").flatMap { sink.survey.apps[$0] } ?? sink.kind.title,
          isDerived: column.isDerived, isTyped: number("recording_method") == 3,
          isStreamed: column.isStreamed))
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
