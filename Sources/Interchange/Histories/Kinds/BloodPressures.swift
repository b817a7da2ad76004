import Care

extension HistoryKind {
  /// Omron Connect.
  package static let omron = HistoryKind(id: "omron", title: "Omron Connect")
  /// Blood Pressure Monitor, SmartBP, My Heart and VitaDock.
  package static let bloodPressure = HistoryKind(
    id: "bloodPressure", title: "a blood pressure diary")
}

/// Omron Connect's CSV in any language: columns by the words in their heads.
///
/// Rows of two shapes are in one file; the short one has no pulse.
struct OmronTable: TableHistory {
  static let kind = HistoryKind.omron

  private var places: (date: Int, time: Int?, systolic: Int, diastolic: Int, pulse: Int?)
  private var flags: (irregular: Int?, device: Int?, mean: Int?)

  init?(_ head: TableHead) {
    guard let header = head.rows.first?.fields.map({ $0.lowercased() }) else { return nil }
    func index(_ words: String...) -> Int? {
      header.firstIndex { name in words.contains { name.hasPrefix($0) } }
    }
    guard let date = index("date", "datum", "fecha", "data", "measurement date"),
      let systolic = index("systol", "sistól", "sistol", "sys", "skurcz"),
      let diastolic = index("diast", "diást", "dia", "rozkurcz"),
      header.contains(where: {
        $0.hasPrefix("truread") || $0.hasPrefix("device") || $0.contains("mmhg")
      })
    else { return nil }
    places = (
      date, index("time", "zeit", "uhrzeit", "heure", "hora", "ora"), systolic, diastolic,
      index("puls", "pouls", "bpm", "heart")
    )
    flags = (
      header.firstIndex {
        $0.contains("irregul") || $0.contains("unregelm") || $0.contains("neregul")
      },
      index("device", "gerät", "model", "appareil"), index("truread")
    )
  }

  mutating func read(_ row: TableRow, into sink: inout HistorySink) {
    guard let time = sink.time(row[places.date], places.time.map { row[$0] } ?? "", line: row.line)
    else { return }
    let device = flags.device.map { row[$0] } ?? ""
    let facts = HistorySink.Facts(
      line: row.line, time: time,
      source: HistoryNumber.isMissing(device) ? sink.kind.title : "Omron \(device)")
    sink.addPressures(line: row.line) { sink in
      for (place, quantity, name) in [
        (places.systolic as Int?, Quantity.bloodPressureSystolic, "systolic"),
        (places.diastolic, .bloodPressureDiastolic, "diastolic"),
        (places.pulse, .pulseRate, "pulse"),
      ] {
        if let place { sink.add(row[place], quantity, in: nil, column: name, facts) }
      }
    }
  }
}

/// The diaries Blood Pressure Monitor (derdilla), My Heart, SmartBP and Medisana VitaDock.
struct BloodPressureTable: TableHistory {
  static let kind = HistoryKind.bloodPressure

  private let columns: TableColumns
  private let date: Int
  private let id: Int?
  private let source: String
  private(set) var headerRows = 1

  private static let columns = [
    TableColumn("systolic", "systole", of: .bloodPressureSystolic),
    TableColumn("diastolic", "diastole", of: .bloodPressureDiastolic),
    TableColumn("pulse", of: .pulseRate),
    TableColumn("bodyweight", "weight", "gewicht", of: .bodyMass, in: .kilogram),
    TableColumn("sauerstoffsättigung", of: .oxygenSaturation),
  ]

  init?(_ head: TableHead) {
    guard let header = head.rows.first?.fields else { return nil }
    let found = TableColumns(header, Self.columns)
    let names = Set(found.names)
    if let date = found.index("timestampunixms") {
      (self.date, id, source) = (date, nil, "Blood Pressure Monitor")
      columns = found
    } else if names.isSuperset(of: ["datum", "systole", "diastole"]),
      let date = found.index("datum")
    {
      (self.date, id, source) = (date, nil, "My Heart")
      columns = found
    } else if let id = found.index("csrecordid"), let date = found.index("date") {
      (self.date, self.id, source) = (date, id, "SmartBP")
      columns = found
    } else if header.count >= 4, header[1].hasSuffix("mmHg"), header[2].hasSuffix("mmHg"),
      ClockText(header[0].replacing(" - ", with: " ")) != nil
    {
      columns = TableColumns(["date", "systolic", "diastolic", "pulse"], Self.columns)
      (self.date, id, source) = (0, nil, "VitaDock")
      headerRows = 0
    } else {
      return nil
    }
  }

  mutating func read(_ row: TableRow, into sink: inout HistorySink) {
    guard let time = sink.time(row[date].replacing(" - ", with: " "), line: row.line) else {
      return
    }
    columns.add(
      row, into: &sink,
      .init(line: row.line, time: time, id: id.map { row[$0] }, source: source))
  }
}
