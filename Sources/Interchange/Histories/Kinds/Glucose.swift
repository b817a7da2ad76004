import Care
import Foundation

extension HistoryKind {
  /// LibreView's glucose data.
  package static let libreView = HistoryKind(id: "libreView", title: "LibreView")
  /// Dexcom Clarity's export.
  package static let clarity = HistoryKind(id: "dexcomClarity", title: "Dexcom Clarity")
  /// Nightscout's entries.
  package static let nightscout = HistoryKind(id: "nightscout", title: "Nightscout")
  /// xDrip+'s table.
  package static let xDrip = HistoryKind(id: "xDrip", title: "xDrip+")
}

/// LibreView's CSV: a line about the report, the header, and rows by sensor and type.
///
/// A scan repeats what the sensor records by itself, and is left out.
struct LibreViewTable: TableHistory {
  static let kind = HistoryKind.libreView

  private let unit: UnitOfMeasure
  private let places: (time: Int, type: Int, historic: Int, strip: Int?)
  let headerRows: Int

  init?(_ head: TableHead) {
    guard let place = head.rows.prefix(4).firstIndex(where: { $0.fields.contains("Record Type") })
    else { return nil }
    let header = head.rows[place].fields
    guard let time = header.firstIndex(of: "Device Timestamp"),
      let type = header.firstIndex(of: "Record Type"),
      let historic = header.firstIndex(where: { $0.hasPrefix("Historic Glucose") })
    else { return nil }
    unit = header[historic].hasSuffix("mmol/L") ? .millimolePerLitre : .milligramPerDecilitre
    places = (time, type, historic, header.firstIndex { $0.hasPrefix("Strip Glucose") })
    headerRows = place + 1
  }

  mutating func read(_ row: TableRow, into sink: inout HistorySink) {
    // Half a day's clock is America's, where the month comes first.
    if sink.isSurvey, row[places.time].lowercased().hasSuffix("m") { sink.survey.note(.monthFirst) }
    guard let time = sink.time(row[places.time], line: row.line) else { return }
    let device = row[0].isEmpty ? sink.kind.title : row[0]
    func facts(isStreamed: Bool) -> HistorySink.Facts {
      .init(
        line: row.line, time: time, source: device, isStreamed: isStreamed, hasDecimalComma: true)
    }
    switch row[places.type] {
    case "0":
      sink.add(
        row[places.historic], .interstitialGlucose, in: unit, column: "Historic Glucose",
        facts(isStreamed: true))
    case "1": sink.skip(row.line, .copy)
    case "2":
      guard let strip = places.strip else { return }
      sink.add(
        row[strip], unit == .millimolePerLitre ? .bloodGlucose : .bloodGlucoseMass, in: unit,
        column: "Strip Glucose", facts(isStreamed: false))
    default: sink.skip(row.line, .unsupported("LibreView \(String(row[places.type].prefix(4)))"))
    }
  }
}

/// Dexcom Clarity's CSV: rows of many types, some with one field less.
struct ClarityTable: TableHistory {
  static let kind = HistoryKind.clarity

  private let unit: UnitOfMeasure
  private let places: (time: Int, type: Int, glucose: Int, device: Int?)

  init?(_ head: TableHead) {
    guard let header = head.rows.first?.fields,
      let time = header.firstIndex(where: { $0.hasPrefix("Timestamp (") }),
      let type = header.firstIndex(of: "Event Type"),
      let glucose = header.firstIndex(where: { $0.hasPrefix("Glucose Value") })
    else { return nil }
    unit = header[glucose].contains("mmol/L") ? .millimolePerLitre : .milligramPerDecilitre
    places = (time, type, glucose, header.firstIndex(of: "Source Device ID"))
  }

  mutating func read(_ row: TableRow, into sink: inout HistorySink) {
    // Alerts have their thresholds in the column of glucose.
    let isSensor = row[places.type] == "EGV"
    guard isSensor || row[places.type] == "Calibration" else {
      if !row[places.time].isEmpty {
        sink.skip(row.line, .unsupported("Clarity \(String(row[places.type].prefix(40)))"))
      }
      return
    }
    let text = row[places.glucose]
    guard text.lowercased() != "low", text.lowercased() != "high" else {
      return sink.skip(row.line, .beyondSensor(text))
    }
    guard let time = sink.time(row[places.time], line: row.line) else { return }
    let device = places.device.map { row[$0] } ?? ""
    let quantity: Quantity =
      isSensor
      ? .interstitialGlucose : unit == .millimolePerLitre ? .bloodGlucose : .bloodGlucoseMass
    sink.add(
      text, quantity, in: unit, column: "Glucose Value",
      .init(
        line: row.line, time: time, source: device.isEmpty ? sink.kind.title : "Dexcom \(device)",
        isStreamed: isSensor, hasDecimalComma: true))
  }
}

/// xDrip+'s table for SiDiary: `DAY;TIME;UDT_CGMS;BG_LEVEL;CH_GR;BOLUS;REMARK`.
struct XDripTable: TableHistory {
  static let kind = HistoryKind.xDrip

  init?(_ head: TableHead) {
    guard let header = head.rows.first?.fields,
      header.prefix(4) == ["DAY", "TIME", "UDT_CGMS", "BG_LEVEL"]
    else { return nil }
  }

  mutating func read(_ row: TableRow, into sink: inout HistorySink) {
    guard let time = sink.time(row[0], row[1], line: row.line) else { return }
    for (index, quantity, name) in [
      (2, Quantity.interstitialGlucose, "UDT_CGMS"), (3, .bloodGlucoseMass, "BG_LEVEL"),
    ] {
      sink.add(
        row[index], quantity, in: .milligramPerDecilitre, column: name,
        .init(
          line: row.line, time: time, source: sink.kind.title, isStreamed: index == 2,
          hasDecimalComma: true))
    }
  }
}

/// Nightscout's `entries.json`: always mg/dL, Unix milliseconds.
struct NightscoutRecords: JSONHistory {
  static let kind = HistoryKind.nightscout
  static let path: [String] = []

  init?(_ head: JSONHead) {
    guard head.has("date", "type"), head.has("sgv") || head.has("mbg") else { return nil }
  }

  mutating func read(_ record: JSONRecord, into sink: inout HistorySink) {
    guard let date = record["date"].flatMap(Double.init), let time = HistoryTime(unix: date) else {
      return sink.skip(record.number, .time(String((record["date"] ?? "").prefix(40))))
    }
    var facts = HistorySink.Facts(
      line: record.number, time: time, source: record["device"] ?? sink.kind.title)
    switch record["type"] {
    case "sgv":
      facts.isStreamed = true
      // Below stand the sensor's codes of faults.
      guard let value = record["sgv"].flatMap(Double.init), value >= 39 else {
        return sink.skip(record.number, .beyondSensor(record["sgv"] ?? ""))
      }
      sink.add(
        record["sgv"] ?? "", .interstitialGlucose, in: .milligramPerDecilitre, column: "sgv", facts)
    case "mbg":
      facts.id = record["_id"]
      sink.add(
        record["mbg"] ?? "", .bloodGlucoseMass, in: .milligramPerDecilitre, column: "mbg", facts)
    case let other: sink.skip(record.number, .unsupported("Nightscout \(other ?? "")"))
    }
  }
}
