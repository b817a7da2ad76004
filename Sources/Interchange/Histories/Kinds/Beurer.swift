import Care

extension HistoryKind {
  /// Beurer HealthManager Pro and HealthForYou.
  package static let beurer = HistoryKind(id: "beurer", title: "Beurer HealthManager")
}

/// The tables of Beurer HealthManager Pro and of HealthForYou, of one maker: several in a file, each with a
/// title, a header and rows.
///
/// The lines before the tables have a name and a birthday; they are not read.
struct BeurerTables: TableHistory {
  static let kind = HistoryKind.beurer

  let headerRows = 0
  /// A blank row ends a table.
  let readsBlankRows = true

  private enum Table { case weight, pressure, oximeter, temperature, glucose }
  private static let titles: [String: Table] = [
    "gewicht": .weight, "weight": .weight, "blutdruck": .pressure, "blood pressure": .pressure,
    "pulsoximeter": .oximeter, "pulsoxymetrie": .oximeter, "pulse oximeter": .oximeter,
    "temperatur": .temperature, "temperature": .temperature, "blutzucker": .glucose,
    "blood glucose": .glucose,
  ]

  private var table: Table?
  private var columns: TableColumns?

  init?(_ head: TableHead) {
    guard head.dialect.delimiter == UInt8(ascii: ";") else { return nil }
    let isTitled = zip(head.rows, head.rows.dropFirst()).contains { title, header in
      Self.title(title) != nil && Self.isHeader(header)
    }
    guard isTitled else { return nil }
  }

  private static func title(_ row: TableRow) -> Table? {
    row.fields.dropFirst().allSatisfy(\.isEmpty) ? titles[row[0].lowercased()] : nil
  }

  private static func isHeader(_ row: TableRow) -> Bool {
    ["datum", "date"].contains(row[0].lowercased()) && row.fields.count > 2
  }

  private static func columns(of table: Table) -> [TableColumn] {
    switch table {
    case .weight:
      [
        TableColumn("kg", of: .bodyMass, in: .kilogram),
        TableColumn("lb", of: .bodyMass, in: .pound),
        TableColumn("st", of: .bodyMass, in: .stone),
        TableColumn("weight", "gewicht", of: .bodyMass),
        TableColumn("bmi", of: .bodyMassIndex, isDerived: true),
        TableColumn("körperfett", "body fat", of: .bodyFatPercentage, isDerived: true),
        TableColumn("wasser", "water", of: .bodyWaterPercentage, isDerived: true),
        TableColumn("muskeln", "muscle", of: .musclePercentage, isDerived: true),
        TableColumn("knochen", "bones", of: .boneMass, in: .kilogram, isDerived: true),
        TableColumn("puls", "pulse", of: .heartRate),
      ]
    case .pressure:
      [
        TableColumn("sys", "systolisch", "systolic", of: .bloodPressureSystolic),
        TableColumn("dia", "diastolisch", "diastolic", of: .bloodPressureDiastolic),
        TableColumn("puls", "pulse", of: .pulseRate),
        TableColumn("map", "mad", of: .bloodPressureMean, isDerived: true),
      ]
    case .oximeter:
      [
        TableColumn("spo2", "spo2 average", of: .oxygenSaturation),
        TableColumn("pulsrate", "pulse", "bpm", of: .pulseRate),
      ]
    case .temperature:
      [
        TableColumn("temperature", "temperatur", "°c", of: .bodyTemperature),
        TableColumn("°f", of: .bodyTemperature, in: .degreeFahrenheit),
      ]
    case .glucose:
      [
        TableColumn("mg/dl", of: .bloodGlucoseMass), TableColumn("mmol/l", of: .bloodGlucose),
      ]
    }
  }

  mutating func read(_ row: TableRow, into sink: inout HistorySink) {
    guard !row.isBlank else {
      (table, columns) = (nil, nil)
      return
    }
    if let title = Self.title(row) {
      (table, columns) = (title, nil)
      return
    }
    guard let table else { return }
    guard let columns else {
      guard Self.isHeader(row) else { return self.table = nil }
      self.columns = TableColumns(row.fields, Self.columns(of: table))
      return
    }
    let time = columns.index("uhrzeit", "time", "start time", "startzeit") ?? 1
    guard let time = sink.time(row[0], row[time], line: row.line) else { return }
    let typed = columns.index("added manually", "manuell hinzugefügt").map { row[$0] == "1" }
    let facts = HistorySink.Facts(
      line: row.line, time: time, source: sink.kind.title, isTyped: typed ?? false,
      hasDecimalComma: true)
    switch table {
    case .weight: sink.addScale(row, columns, facts, defaultsToKilogram: false)
    case .temperature:
      // Such a thermometer also measures rooms and baths, in the same table.
      let value = columns.found.first.flatMap {
        HistoryNumber(row[$0.index], hasDecimalComma: true)?.value
      }
      if let value, !(34...42.2).contains(value), !(93.2...108).contains(value) {
        return sink.skip(row.line, .unsupported("temperature of an object or room"))
      }
      columns.add(row, into: &sink, facts)
    case .pressure, .oximeter, .glucose: columns.add(row, into: &sink, facts)
    }
  }
}
