import Care
import Foundation

extension HistoryKind {
  /// Google Health's tables in a Takeout.
  package static let googleHealth = HistoryKind(id: "googleHealth", title: "Google Health")
  /// Google Fit's records in a Takeout.
  package static let googleFit = HistoryKind(id: "googleFit", title: "Google Fit")
}

/// `weight*.csv`, `body_fat_*.csv`, `heart_rate_*.csv`, `steps_*.csv` and `distance_*.csv` in
/// `Takeout/Google Health/Physical Activity_GoogleData`: UTC, one row for each data source.
struct GoogleHealthTable: TableHistory {
  static let kind = HistoryKind.googleHealth

  private let columns: TableColumns
  private let source: Int?
  /// The row before.
  private var last: (time: HistoryTime, value: String)?

  init?(_ head: TableHead) {
    guard let header = head.rows.first?.fields, header.first?.lowercased() == "timestamp" else {
      return nil
    }
    let columns = TableColumns(
      header,
      [
        TableColumn("weight grams", of: .bodyMass, in: .gram),
        TableColumn("body fat percentage", of: .bodyFatPercentage, isDerived: true),
        TableColumn("beats per minute", of: .heartRate, isStreamed: true),
        TableColumn("steps", of: .stepCount, isStreamed: true),
        TableColumn("distance", of: .distanceWalked, isStreamed: true),
      ])
    guard !columns.found.isEmpty, let source = columns.index("data source") else { return nil }
    self.columns = columns
    self.source = source
  }

  mutating func read(_ row: TableRow, into sink: inout HistorySink) {
    guard let time = sink.time(row[0], line: row.line) else { return }
    if let found = columns.found.first, !found.column.isStreamed {
      // Each program that passed a measurement on has a row of its own, one after the other.
      let value = row[found.index]
      defer { last = (time, value) }
      if let last, last == (time, value) { return sink.skip(row.line, .copy) }
    }
    let name = source.map { row[$0] } ?? ""
    var facts = HistorySink.Facts(
      line: row.line, time: time, source: name.isEmpty ? sink.kind.title : name)
    // A row counts the minute from its time on.
    if case .instant(let start) = time,
      columns.found.contains(where: { $0.column.quantity.aggregation == .cumulative })
    {
      facts.end = .instant(start + 60)
    }
    columns.add(row, into: &sink, facts)
  }
}

/// `derived_com.google.weight_….json` and its like of Google Fit.
struct GoogleFitRecords: JSONHistory {
  static let kind = HistoryKind.googleFit
  static let path = ["Data Points"]

  /// Where a source only repeats what the merged one has.
  private let isMerged: Bool

  init?(_ head: JSONHead) {
    guard head.has("Data Source", "Data Points") else { return nil }
    let source = head.texts["Data Source"] ?? ""
    guard source.contains("com.google.") else { return nil }
    isMerged = source.contains("merge_") || !source.hasPrefix("raw:")
  }

  mutating func read(_ record: JSONRecord, into sink: inout HistorySink) {
    guard isMerged else { return sink.skip(record.number, .unsupported("raw:com.google.…")) }
    guard let text = record["startTimeNanos"], let nanos = Double(text),
      let time = HistoryTime(unix: nanos)
    else {
      return sink.skip(record.number, .time(String((record["startTimeNanos"] ?? "").prefix(40))))
    }
    let origin = record["originDataSourceId"] ?? ""
    let facts = HistorySink.Facts(
      line: record.number, time: time,
      source: sink.kind.title, isTyped: origin.hasSuffix("user_input"))
    func add(
      _ index: Int, _ quantity: Quantity, _ unit: UnitOfMeasure?, digits: Int,
      to sink: inout HistorySink, _ change: (inout HistorySink.Facts) -> Void = { _ in }
    ) {
      let value =
        record["fitValue.\(index).value.fpVal"] ?? record["fitValue.\(index).value.intVal"]
      guard let value, let number = Double(value), number != 0 else { return }
      var facts = facts
      change(&facts)
      // A number of 32 bits has seven digits, and is written with fifteen.
      let text = String(format: "%.\(digits)g", number)
      sink.add(
        Double(text) ?? number, digits: text, quantity, in: unit, column: "fitValue", facts)
    }
    switch record["dataTypeName"] ?? "" {
    case "com.google.weight": add(0, .bodyMass, .kilogram, digits: 6, to: &sink)
    case "com.google.height": add(0, .height, .metre, digits: 6, to: &sink)
    case "com.google.body.fat.percentage":
      add(0, .bodyFatPercentage, .percent, digits: 6, to: &sink) { $0.isDerived = true }
    case "com.google.blood_pressure":
      sink.addPressures(line: record.number) { sink in
        add(0, .bloodPressureSystolic, nil, digits: 6, to: &sink)
        add(1, .bloodPressureDiastolic, nil, digits: 6, to: &sink)
      }
    case "com.google.heart_rate.bpm":
      add(0, .heartRate, nil, digits: 6, to: &sink) { $0.isStreamed = true }
    case "com.google.step_count.delta":
      let end = record["endTimeNanos"].flatMap(Double.init).flatMap { HistoryTime(unix: $0) }
      add(0, .stepCount, nil, digits: 9, to: &sink) {
        $0.isStreamed = true
        $0.end = end
      }
    case let other: sink.skip(record.number, .unsupported(String(other.prefix(60))))
    }
  }
}
