import Care
import Foundation

extension HistoryKind {
  /// The export of a Fitbit account, also from Google Takeout.
  package static let fitbit = HistoryKind(id: "fitbit", title: "Fitbit")
}

/// `weight-*.json`, `heart_rate-*.json`, `resting_heart_rate-*.json` of a Fitbit account.
///
/// Weights are pounds or kilograms by the account's settings, which the body mass index tells. The time
/// 23:59:59 stands for an entry without one.
struct FitbitRecords: JSONHistory {
  static let kind = HistoryKind.fitbit
  static let path: [String] = []

  private let isWeight: Bool

  init?(_ head: JSONHead) {
    if head.has("logId", "weight", "date", "time") {
      isWeight = true
    } else if head.has("dateTime", "value.bpm") || head.has("dateTime", "value.error") {
      isWeight = false
    } else {
      return nil
    }
  }

  mutating func read(_ record: JSONRecord, into sink: inout HistorySink) {
    if isWeight { return weight(record, &sink) }
    // The zone of these files is UTC, though they do not say so.
    guard let bpm = record["value.bpm"] else {
      return sink.skip(record.number, .unsupported("resting heart rate"))
    }
    guard let local = slashed(record["dateTime"] ?? ""), let seconds = local.secondsSince1970 else {
      return sink.skip(record.number, .time(String((record["dateTime"] ?? "").prefix(40))))
    }
    sink.add(
      bpm, .heartRate, in: nil, column: "bpm",
      .init(
        line: record.number, time: .instant(Date(microseconds: seconds * 1_000_000)),
        source: sink.kind.title, isStreamed: true))
  }

  private func weight(_ record: JSONRecord, _ sink: inout HistorySink) {
    let time = record["time"] ?? ""
    guard let local = slashed("\(record["date"] ?? "") \(time)") else {
      return sink.skip(record.number, .time(String((record["date"] ?? "").prefix(40))))
    }
    guard let text = record["weight"], let weight = Double(text) else {
      return sink.skip(
        record.number, .number(String((record["weight"] ?? "").prefix(40)), column: "weight"))
    }
    if sink.isSurvey, let bmi = record["bmi"].flatMap(Double.init) {
      sink.survey.note(weight: weight, bodyMassIndex: bmi)
    }
    let hasTime = time != "23:59:59"
    var facts = HistorySink.Facts(
      line: record.number,
      time: hasTime
        ? .local(local)
        : .day(LocalDateTime(year: local.year, month: local.month, day: local.day)),
      id: record["logId"], source: record["source"].map { "Fitbit \($0)" } ?? sink.kind.title,
      isTyped: !hasTime || record["source"] == "API")
    guard let unit = sink.survey.massUnit else {
      return sink.skip(record.number, .unknownWeightUnit)
    }
    sink.add(text, .bodyMass, in: unit, column: "weight", facts)
    facts.isDerived = true
    facts.isTyped = false
    sink.add(record["bmi"] ?? "", .bodyMassIndex, in: nil, column: "bmi", facts)
    sink.add(record["fat"] ?? "", .bodyFatPercentage, in: nil, column: "fat", facts)
  }

  /// `MM/dd/yy HH:mm:ss`, whatever the language.
  private func slashed(_ text: String) -> LocalDateTime? {
    ClockText(text, order: .monthFirst)?.local
  }
}

/// The tables of Fitbit's old dashboard: a title, a header and rows, a blank line between.
struct FitbitTables: TableHistory {
  static let kind = HistoryKind.fitbit

  let headerRows = 0
  /// A blank row ends a section.
  let readsBlankRows = true

  private enum Section {
    case none, header(body: Bool), body(TableColumns), activities(TableColumns), other
  }
  private var section = Section.none

  init?(_ head: TableHead) {
    let titles = Set(["Body", "Activities", "Foods", "Food", "Sleep", "Food Log"])
    guard head.rows.count > 1 else { return nil }
    let first = head.rows[0].fields.filter { !$0.isEmpty }
    guard first.count == 1, titles.contains(first[0]),
      ["Date", "Start Time"].contains(head.rows[1][0])
    else { return nil }
  }

  mutating func read(_ row: TableRow, into sink: inout HistorySink) {
    guard !row.isBlank else {
      section = .none
      return
    }
    switch section {
    case .none:
      let isKnown = ["Body", "Activities"].contains(row[0])
      section = isKnown ? .header(body: row[0] == "Body") : .other
      if !isKnown { sink.skip(row.line, .unsupported(String(row[0].prefix(40)))) }
    case .header(true):
      section = .body(
        TableColumns(
          row.fields,
          [
            TableColumn("weight", of: .bodyMass),
            TableColumn("bmi", of: .bodyMassIndex, isDerived: true),
            TableColumn("fat", of: .bodyFatPercentage, isDerived: true),
          ]))
    case .header(false):
      section = .activities(
        TableColumns(row.fields, [TableColumn("steps", of: .stepCount)]))
    case .body(let columns):
      guard let time = sink.time(row[0], line: row.line) else { return }
      sink.addScale(
        row, columns, .init(line: row.line, time: time, source: sink.kind.title),
        defaultsToKilogram: false)
    case .activities(let columns):
      guard let time = sink.time(row[0], line: row.line) else { return }
      columns.add(row, into: &sink, .init(line: row.line, time: time, source: sink.kind.title))
    case .other: break
    }
  }
}
