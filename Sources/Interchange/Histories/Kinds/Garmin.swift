import Care
import Foundation

extension HistoryKind {
  /// Garmin Connect.
  package static let garmin = HistoryKind(id: "garmin", title: "Garmin")
}

/// The CSV of weights of Garmin Connect: a row with a date, and below it those of its weighings.
struct GarminTable: TableHistory {
  static let kind = HistoryKind.garmin

  private let columns: TableColumns
  private var day = ""

  init?(_ head: TableHead) {
    guard let header = head.rows.first?.fields,
      header.prefix(3).map({ $0.lowercased() }) == ["time", "weight", "change"]
    else { return nil }
    columns = TableColumns(
      header,
      [
        TableColumn("weight", of: .bodyMass),
        TableColumn("bmi", of: .bodyMassIndex, isDerived: true),
        TableColumn("body fat", of: .bodyFatPercentage, isDerived: true),
        TableColumn("skeletal muscle mass", of: .muscleMass, isDerived: true),
        TableColumn("bone mass", of: .boneMass, isDerived: true),
        TableColumn("body water", of: .bodyWaterPercentage, isDerived: true),
      ])
  }

  mutating func read(_ row: TableRow, into sink: inout HistorySink) {
    if row.fields.dropFirst().allSatisfy(\.isEmpty) {
      day = row[0]
      return
    }
    guard let time = sink.time(day, row[0], line: row.line) else { return }
    columns.add(row, into: &sink, .init(line: row.line, time: time, source: sink.kind.title))
  }
}

/// `*_userBioMetrics.json` of a Garmin account's data: weights in grams, UTC.
struct GarminRecords: JSONHistory {
  static let kind = HistoryKind.garmin
  static let path: [String] = []

  init?(_ head: JSONHead) {
    guard head.has("metaData.calendarDate", "weight.weight", "weight.timestampGMT") else {
      return nil
    }
  }

  mutating func read(_ record: JSONRecord, into sink: inout HistorySink) {
    // Other changes of the profile are between the weights.
    guard let weight = record["weight.weight"] else { return }
    let text = record["weight.timestampGMT"] ?? ""
    guard let seconds = ClockText(text)?.local?.secondsSince1970 else {
      return sink.skip(record.number, .time(String(text.prefix(40))))
    }
    sink.add(
      weight, .bodyMass, in: .gram, column: "weight",
      .init(
        line: record.number, time: .instant(Date(microseconds: seconds * 1_000_000)),
        source: sink.kind.title, isTyped: record["weight.sourceType"] == "MANUAL"))
  }
}
