import Care

extension HistoryKind {
  /// Renpho's CSV.
  package static let renpho = HistoryKind(id: "renpho", title: "Renpho")
  /// Zepp Life's and Mi Fit's CSV.
  package static let zeppLife = HistoryKind(id: "zeppLife", title: "Zepp Life")
}

/// Renpho's CSV: `Time of Measurement,Weight(kg),…`, in newer ones `Date,Time,Weight(kg),…`.
struct RenphoTable: TableHistory {
  static let kind = HistoryKind.renpho

  private let columns: TableColumns
  private let date: Int
  private let time: Int?

  init?(_ head: TableHead) {
    guard let header = head.rows.first?.fields else { return nil }
    let columns = TableColumns(
      header,
      [
        TableColumn("weight", "poids", "gewicht", "peso", of: .bodyMass),
        TableColumn("bmi", "imc", of: .bodyMassIndex, isDerived: true),
        TableColumn("body fat", of: .bodyFatPercentage, isDerived: true),
        TableColumn("fat-free mass", "fat-free body weight", of: .fatFreeMass, isDerived: true),
        TableColumn("visceral fat", of: .visceralFat, isDerived: true),
        TableColumn("body water", of: .bodyWaterPercentage, isDerived: true),
        TableColumn("muscle mass", of: .muscleMass, isDerived: true),
        TableColumn("bone mass", of: .boneMass, isDerived: true),
        TableColumn("bmr", of: .basalMetabolicRate, in: .kilocalorie, isDerived: true),
        TableColumn("heart rate", of: .heartRate),
      ])
    let names = Set(columns.names)
    guard let weight = columns.found.first(where: { $0.column.quantity == .bodyMass }),
      weight.column.unit != nil
    else { return nil }
    if let date = columns.index("time of measurement") {
      (self.date, time) = (date, nil)
    } else if let date = columns.index("date", "la date", "datum", "fecha", "data"),
      let time = columns.index("time", "temps", "heure", "uhrzeit", "hora", "ora"),
      names.contains("body fat") || names.contains("skeletal muscle") || names.contains("temps")
        || names.contains("metabolic age")
    {
      (self.date, self.time) = (date, time)
    } else {
      return nil
    }
    self.columns = columns
  }

  mutating func read(_ row: TableRow, into sink: inout HistorySink) {
    guard let time = sink.time(row[date], time.map { row[$0] } ?? "", line: row.line) else {
      return
    }
    columns.add(row, into: &sink, .init(line: row.line, time: time, source: sink.kind.title))
  }
}

/// `BODY_*.csv` and `HEARTRATE_AUTO_*.csv` of Zepp Life and Mi Fit.
///
/// All members of a family are in one file, and only their height tells them apart; `muscleRate` is a
/// mass.
struct ZeppLifeTable: TableHistory {
  static let kind = HistoryKind.zeppLife

  private let columns: TableColumns
  private let date: Int
  private let time: Int?

  init?(_ head: TableHead) {
    guard let header = head.rows.first?.fields else { return nil }
    let names = Set(header.map { $0.lowercased() })
    if names.isSuperset(of: ["weight", "height", "fatrate"]) {
      columns = TableColumns(
        header,
        [
          TableColumn("weight", of: .bodyMass), TableColumn("height", of: .height, in: .centimetre),
          TableColumn("bmi", of: .bodyMassIndex, isDerived: true),
          TableColumn("fatrate", of: .bodyFatPercentage, isDerived: true),
          TableColumn("bodywaterrate", of: .bodyWaterPercentage, isDerived: true),
          TableColumn("bonemass", of: .boneMass, isDerived: true),
          TableColumn("metabolism", of: .basalMetabolicRate, in: .kilocalorie, isDerived: true),
          TableColumn("musclerate", of: .muscleMass, isDerived: true),
          TableColumn("visceralfat", of: .visceralFat, isDerived: true),
          TableColumn("impedance", of: .impedance),
        ])
      guard let date = columns.index("time", "timestamp") else { return nil }
      (self.date, time) = (date, nil)
    } else if names == ["date", "time", "heartrate"] {
      columns = TableColumns(
        header, [TableColumn("heartrate", of: .heartRate, isStreamed: true)])
      guard let date = columns.index("date"), let time = columns.index("time") else { return nil }
      (self.date, self.time) = (date, time)
    } else {
      return nil
    }
  }

  mutating func read(_ row: TableRow, into sink: inout HistorySink) {
    guard let time = sink.time(row[date], time.map { row[$0] } ?? "", line: row.line) else {
      return
    }
    columns.add(row, into: &sink, .init(line: row.line, time: time, source: sink.kind.title))
  }
}
