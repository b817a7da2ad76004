import Care

extension HistoryKind {
  /// openScale's CSV.
  package static let openScale = HistoryKind(id: "openScale", title: "openScale")
}

/// The CSV of openScale 3: `DATE,TIME,BMI,…,WEIGHT`, capitals, in any order.
///
/// Each value is in the unit that was chosen for its type, which the file does not name: the body mass
/// index tells that of weights.
struct OpenScaleTable: TableHistory {
  static let kind = HistoryKind.openScale

  private let columns: TableColumns
  private let date: Int
  private let time: Int?

  init?(_ head: TableHead) {
    guard let header = head.rows.first?.fields, header.contains("DATE"), header.contains("WEIGHT")
    else { return nil }
    columns = TableColumns(
      header,
      [
        TableColumn("weight", of: .bodyMass), TableColumn("height", of: .height, in: .centimetre),
        TableColumn("bmi", of: .bodyMassIndex, isDerived: true),
        TableColumn("body_fat", of: .bodyFatPercentage, isDerived: true),
        TableColumn("water", of: .bodyWaterPercentage, isDerived: true),
        TableColumn("muscle", of: .musclePercentage, isDerived: true),
        TableColumn("lbm", of: .fatFreeMass, isDerived: true),
        TableColumn("bone", of: .boneMass, isDerived: true),
        TableColumn("visceral_fat", of: .visceralFat, isDerived: true),
        TableColumn("bmr", of: .basalMetabolicRate, in: .kilocalorie, isDerived: true),
        TableColumn("heart_rate", of: .heartRate),
        TableColumn("impedance", of: .impedance),
        TableColumn("impedance_low", of: .impedance),
      ])
    guard let date = columns.index("date") else { return nil }
    self.date = date
    time = columns.index("time")
  }

  mutating func read(_ row: TableRow, into sink: inout HistorySink) {
    guard let time = sink.time(row[date], time.map { row[$0] } ?? "", line: row.line) else {
      return
    }
    let facts = HistorySink.Facts(line: row.line, time: time, source: sink.kind.title)
    sink.addScale(row, columns, facts, defaultsToKilogram: true)
  }
}

extension HistorySink {
  /// Adds a row of a scale's table that does not name the unit of its weights.
  ///
  /// With `defaultsToKilogram`, a file without body mass indexes is in kilograms: the program writes
  /// those unless it is told otherwise.
  mutating func addScale(
    _ row: TableRow, _ columns: TableColumns, _ facts: Facts, defaultsToKilogram: Bool
  ) {
    let weight = columns.found.first { $0.column.quantity == .bodyMass }
    let index = columns.found.first { $0.column.quantity == .bodyMassIndex }
    if let weight, let index, isSurvey, weight.column.unit == nil,
      let mass = number(row[weight.index], facts)?.value,
      let bmi = number(row[index.index], facts)?.value
    {
      survey.note(weight: mass, bodyMassIndex: bmi)
    }
    let unit = survey.massUnit ?? (defaultsToKilogram ? .kilogram : nil)
    let kilograms = weight.flatMap { column -> Double? in
      guard let number = self.number(row[column.index], facts) else { return nil }
      return (column.column.unit ?? unit)?.convert(number.value, to: .kilogram)
    }
    for (place, name, column) in columns.found {
      var (facts, column) = (facts, column)
      facts.isDerived = column.isDerived
      if column.quantity.unit == .kilogram, column.unit == nil {
        guard let unit else {
          if column.quantity == .bodyMass, !HistoryNumber.isMissing(row[place]) {
            skip(facts.line, .unknownWeightUnit)
          }
          continue
        }
        column.unit = unit
      }
      // More than the whole is a mass under the name of a share.
      if column.quantity.unit == .percent, column.quantity != .oxygenSaturation,
        let share = number(row[place], facts)?.value, share > 100, kilograms != nil
      {
        skip(facts.line, .unit("%", column: name))
        continue
      }
      add(row[place], column.quantity, in: column.unit, column: name, facts)
    }
  }
}

/// The CSV of openScale 2 (`"dateTime","fat",…`, all quoted) and 1 (no header).
///
/// Always kg, % and cm, whatever the program showed.
struct OldOpenScaleTable: TableHistory {
  static let kind = HistoryKind.openScale

  private static let columns = [
    TableColumn("weight", of: .bodyMass, in: .kilogram),
    TableColumn("fat", of: .bodyFatPercentage, isDerived: true),
    TableColumn("water", of: .bodyWaterPercentage, isDerived: true),
    TableColumn("muscle", of: .musclePercentage, isDerived: true),
    TableColumn("lbm", "lbw", of: .fatFreeMass, isDerived: true),
    TableColumn("bone", of: .boneMass, isDerived: true),
    TableColumn("visceralfat", of: .visceralFat, isDerived: true),
  ]

  /// The columns of files without a header, by their number.
  private static let old: [Int: [String]] = [
    10: ["datetime", "weight", "fat", "water", "muscle", "lbm", "bone", "waist", "hip", "comment"],
    9: ["datetime", "weight", "fat", "water", "muscle", "bone", "waist", "hip", "comment"],
    8: ["datetime", "weight", "fat", "water", "muscle", "waist", "hip", "comment"],
    6: ["datetime", "weight", "fat", "water", "muscle", "comment"],
    5: ["datetime", "weight", "fat", "water", "comment"],
  ]

  private let columns: TableColumns
  private let date: Int
  let headerRows: Int

  init?(_ head: TableHead) {
    guard let first = head.rows.first?.fields, head.dialect.delimiter == UInt8(ascii: ",") else {
      return nil
    }
    let names = first.map { $0.lowercased() }
    if names.contains("datetime"), names.contains("weight") {
      columns = TableColumns(first, Self.columns)
      headerRows = 1
    } else if let names = Self.old[first.count], let clock = ClockText(first[0]), clock.time != nil,
      first[0].contains("."), HistoryNumber(first[1]) != nil
    {
      columns = TableColumns(names, Self.columns)
      headerRows = 0
    } else {
      return nil
    }
    guard let date = columns.index("datetime") else { return nil }
    self.date = date
  }

  mutating func read(_ row: TableRow, into sink: inout HistorySink) {
    guard let time = sink.time(row[date], line: row.line) else { return }
    columns.add(row, into: &sink, .init(line: row.line, time: time, source: sink.kind.title))
  }
}
