import Care
import Foundation

extension HistoryKind {
  /// Samsung Health.
  package static let samsungHealth = HistoryKind(id: "samsungHealth", title: "Samsung Health")
}

/// The tables of Samsung Health: a first line with the table's name, the header in the second.
///
/// `start_time` is UTC by the maker's documents, with `time_offset` beside it; other readers of these files found
/// the time on the clock. Where people weigh themselves when they get up, the hours of the file tell.
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
  private let offset: Int?
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
    offset = columns.index("time_offset")
  }

  mutating func read(_ row: TableRow, into sink: inout HistorySink) {
    guard let read = sink.time(row[start], line: row.line) else { return }
    var time = read
    if case .local(let local) = read, let seconds = local.secondsSince1970 {
      let offset = offset.flatMap { Self.offset(row[$0]) }
      if let offset, sink.isSurvey { sink.survey.risings.note(second: seconds, offset: offset) }
      let shift = sink.survey.risings.areOnClock ? offset ?? 0 : 0
      time = .instant(Date(microseconds: (seconds - Int64(shift)) * 1_000_000))
    }
    let name = package.map { row[$0] } ?? ""
    // A watch estimates its pressures; no cuff measured them.
    let isEstimate = name == "com.samsung.android.shealthmonitor"
    sink.addPressures(line: row.line) { sink in
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

  /// Local time minus UTC in seconds: `UTC+0200`.
  private static func offset(_ text: String) -> Int? {
    let digits = text.dropFirst(4)
    guard text.hasPrefix("UTC"), digits.count == 4, let number = Int(digits), number % 100 < 60,
      number < 2400
    else { return nil }
    return (number / 100 * 3600 + number % 100 * 60) * (text.contains("-") ? -1 : 1)
  }
}

/// The hours at which the rows of a file say that something was measured, read in two ways.
struct HistoryRisings: Hashable, Sendable {
  private var count = 0
  private var inUTC = 0
  private var onClock = 0

  /// Takes note of a time that is UTC, or that of a clock.
  mutating func note(second: Int64, offset: Int) {
    func isMorning(_ second: Int64) -> Bool {
      (4 * 3600..<11 * 3600).contains(second.flooredDivision(by: 86_400).remainder)
    }
    count += 1
    if isMorning(second + Int64(offset)) { inUTC += 1 }
    if isMorning(second) { onClock += 1 }
  }

  /// Whether the times are those of a clock: most are mornings by it, and few by UTC.
  var areOnClock: Bool { count >= 10 && onClock * 10 >= count * 6 && inUTC * 10 <= count * 3 }
}
