import Care
import Foundation

extension HistoryKind {
  /// Health Auto Export.
  package static let healthAutoExport = HistoryKind(
    id: "healthAutoExport", title: "Health Auto Export")
}

/// Health Auto Export's CSV: a row for each time, most cells empty, units in the heads.
struct HealthAutoExportTable: TableHistory {
  static let kind = HistoryKind.healthAutoExport

  private let columns: TableColumns
  private let date: Int

  init?(_ head: TableHead) {
    guard let header = head.rows.first?.fields, let first = header.first,
      ["Date/Time", "Date"].contains(first),
      header.contains(where: {
        $0.hasPrefix("Weight & Body Mass") || $0.hasPrefix("Blood Pressure [")
          || $0.hasPrefix("Active Energy (")
      })
    else { return nil }
    date = 0
    columns = TableColumns(
      header,
      [
        TableColumn("weight & body mass", "weight/body mass", of: .bodyMass),
        TableColumn("body fat percentage", of: .bodyFatPercentage, isDerived: true),
        TableColumn("body mass index", of: .bodyMassIndex, isDerived: true),
        TableColumn("lean body mass", of: .fatFreeMass, isDerived: true),
        TableColumn("blood pressure [systolic]", of: .bloodPressureSystolic),
        TableColumn("blood pressure [diastolic]", of: .bloodPressureDiastolic),
        TableColumn("blood oxygen saturation", of: .oxygenSaturation),
        TableColumn("blood glucose", of: .bloodGlucose),
        TableColumn("body temperature", of: .bodyTemperature),
        TableColumn("height", of: .height),
      ])
  }

  mutating func read(_ row: TableRow, into sink: inout HistorySink) {
    guard let time = sink.time(row[date], line: row.line) else { return }
    columns.add(row, into: &sink, .init(line: row.line, time: time, source: sink.kind.title))
  }
}

/// Health Auto Export's JSON, as a file or as its requests send it.
struct HealthAutoExportRecords: JSONHistory {
  static let kind = HistoryKind.healthAutoExport
  static let path = ["data", "metrics", "data"]

  init?(_ head: JSONHead) {
    guard head.has("data.metrics") else { return nil }
  }

  private static let quantities: [String: (quantity: Quantity, isDerived: Bool, isStreamed: Bool)] =
    [
      "weight_body_mass": (.bodyMass, false, false),
      "body_fat_percentage": (.bodyFatPercentage, true, false),
      "body_mass_index": (.bodyMassIndex, true, false),
      "lean_body_mass": (.fatFreeMass, true, false), "height": (.height, false, false),
      "heart_rate": (.heartRate, false, true), "blood_glucose": (.bloodGlucose, false, false),
      "blood_oxygen_saturation": (.oxygenSaturation, false, true),
      "body_temperature": (.bodyTemperature, false, false),
      "step_count": (.stepCount, false, true),
      "walking_running_distance": (.distanceWalked, false, true),
      "apple_exercise_time": (.exerciseTime, false, true),
    ]

  mutating func end(
    _ position: [Int], _ members: [String: String], into sink: inout HistorySink
  ) {
    // The app may write name and unit behind the data.
    guard let index = position.first, sink.isSurvey, sink.survey.metrics.count < 1000 else {
      return
    }
    sink.survey.metrics[index] = HistorySurvey.Metric(
      name: members["data.metrics.name"] ?? "", unit: members["data.metrics.units"] ?? "")
  }

  mutating func read(_ record: JSONRecord, into sink: inout HistorySink) {
    guard !sink.isSurvey, let index = record.position.first else { return }
    let metric = sink.survey.metrics[index]
    let name = record.around["data.metrics.name"] ?? metric?.name ?? ""
    let unitName = record.around["data.metrics.units"] ?? metric?.unit ?? ""
    let text = record["date"] ?? record["startDate"] ?? ""
    guard let time = sink.time(text, line: record.number) else { return }
    let source = record["source"] ?? ""
    var facts = HistorySink.Facts(
      line: record.number, time: time, source: source.isEmpty ? sink.kind.title : source)
    if name == "blood_pressure" {
      return sink.addPressures(line: record.number) { sink in
        sink.add(
          record["systolic"] ?? "", .bloodPressureSystolic, in: nil, column: "systolic", facts)
        sink.add(
          record["diastolic"] ?? "", .bloodPressureDiastolic, in: nil, column: "diastolic", facts)
      }
    }
    guard let known = Self.quantities[name] else {
      return sink.skip(record.number, .unsupported(String(name.prefix(60))))
    }
    facts.isDerived = known.isDerived
    facts.isStreamed = known.isStreamed
    // A heart rate by itself is its own least, mean and most; those of a span are no measurement.
    let alone = record["Min"] == record["Max"] ? record["Avg"] : nil
    guard let value = record["qty"] ?? alone else {
      return sink.skip(record.number, record["Avg"] == nil ? .damaged : .aggregated)
    }
    let unit = unitName == "count" ? nil : UnitOfMeasure(header: unitName)
    guard unit != nil || unitName == "count" || unitName.isEmpty else {
      return sink.skip(record.number, .unit(String(unitName.prefix(40)), column: name))
    }
    sink.add(value, known.quantity, in: unit, column: name, facts)
  }
}
