import Care
import Foundation

extension HistoryKind {
  /// Samsung Health.
  package static let samsungHealth = HistoryKind(id: "samsungHealth", title: "Samsung Health")
}

/// The tables of Samsung Health: a first line with the table's name, the header in the second.
///
/// `start_time` is UTC by the maker's documents, `time_offset` beside it.
struct SamsungTable: TableHistory {
  static let kind = HistoryKind.samsungHealth

  private static let columns = [
    TableColumn("weight", of: .bodyMass), TableColumn("height", of: .height, in: .centimetre),
    TableColumn("body_fat", of: .bodyFatPercentage, isDerived: true),
    TableColumn("fat_free_mass", of: .fatFreeMass, isDerived: true),
    TableColumn("muscle_mass", of: .muscleMass, isDerived: true),
    TableColumn("total_body_water", of: .bodyWaterMass, isDerived: true),
    TableColumn(
      "basal_metabolic_rate", of: .basalMetabolicRate, in: .kilocalorie, isDerived: true),
    TableColumn("systolic", of: .bloodPressureSystolic),
    TableColumn("diastolic", of: .bloodPressureDiastolic),
    TableColumn("pulse", of: .pulseRate), TableColumn("glucose", of: .bloodGlucose),
    TableColumn("spo2", of: .oxygenSaturation), TableColumn("temperature", of: .bodyTemperature),
    TableColumn("heart_rate", of: .heartRate, isStreamed: true),
  ]

  private var columns: TableColumns
  private let start: Int
  private let id: Int?
  private let package: Int?
  let headerRows = 2

  init?(_ head: TableHead) {
    guard head.rows.count > 1, head.rows[0][0].hasPrefix("com.samsung."),
      head.rows[0].fields.count <= 4
    else { return nil }
    columns = TableColumns(head.rows[1].fields, Self.columns, prefix: true)
    guard let start = columns.index("start_time"), !columns.found.isEmpty else { return nil }
    self.start = start
    id = columns.index("datauuid")
    package = columns.index("pkg_name")
  }

  mutating func read(_ row: TableRow, into sink: inout HistorySink) {
    guard let read = sink.time(row[start], line: row.line) else { return }
    var time = read
    if case .local(let local) = read, let seconds = local.secondsSince1970 {
      time = .instant(Date(microseconds: seconds * 1_000_000))
    }
    let name = package.map { row[$0] } ?? ""
    // A watch estimates its pressures; no cuff measured them.
    let isEstimate = name == "com.samsung.android.shealthmonitor"
    for (index, title, column) in columns.found {
      sink.add(
        row[index], column.quantity, in: column.unit, column: title,
        .init(
          line: row.line, time: time, id: id.map { row[$0] }.flatMap { $0.isEmpty ? nil : $0 },
          source: isEstimate ? "\(sink.kind.title) watch" : sink.kind.title,
          isDerived: column.isDerived || isEstimate, isStreamed: column.isStreamed))
    }
  }
}
