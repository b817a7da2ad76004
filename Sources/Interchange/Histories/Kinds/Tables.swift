import Care

extension HistoryKind {
  /// This program's own CSV.
  package static let measured = HistoryKind(id: "measured", title: "measured")
  /// A table of any program.
  package static let table = HistoryKind(id: "table", title: "a table")
}

/// The table that `measured samples --csv` prints.
struct MeasuredTable: TableHistory {
  static let kind = HistoryKind.measured

  private let places: (time: Int, quantity: Int, value: Int, unit: Int, device: Int?)

  init?(_ head: TableHead) {
    guard let header = head.rows.first?.fields.map({ $0.lowercased() }),
      let time = header.firstIndex(of: "time"), let quantity = header.firstIndex(of: "quantity"),
      let value = header.firstIndex(of: "value"), let unit = header.firstIndex(of: "unit")
    else { return nil }
    places = (time, quantity, value, unit, header.firstIndex(of: "device"))
  }

  mutating func read(_ row: TableRow, into sink: inout HistorySink) {
    guard let quantity = Quantity(rawValue: row[places.quantity]) else {
      return sink.skip(row.line, .unsupported(String(row[places.quantity].prefix(40))))
    }
    guard let unit = UnitOfMeasure(row[places.unit]) else {
      return sink.skip(row.line, .unit(String(row[places.unit].prefix(40)), column: "unit"))
    }
    guard let time = sink.time(row[places.time], line: row.line) else { return }
    let device = places.device.map { row[$0] } ?? ""
    sink.add(
      row[places.value], quantity, in: unit, column: "value",
      .init(
        line: row.line, time: time, source: device.isEmpty ? sink.kind.title : device,
        takesZero: true))
  }
}

/// A table of any program, by the words in its header or by what the command says.
struct AnyTable: TableHistory {
  static let kind = HistoryKind.table

  private var columns: TableColumns
  private let date: Int
  private let time: Int?
  private(set) var headerRows = 1

  private static let dates = [
    "date", "datum", "fecha", "data", "dato", "timestamp", "datetime", "date/time", "day", "tag",
    "時間", "日期",
  ]
  private static let times = [
    "time", "uhrzeit", "zeit", "heure", "hora", "ora", "godzina", "tijd", "時刻",
  ]
  private static let words = [
    TableColumn("weight", "gewicht", "poids", "peso", "waga", "體重", of: .bodyMass),
    TableColumn(
      "systolic", "sys", "systolisch", "systole", "systolique", "sistólica", "sistolica",
      "skurczowe", "收縮壓", of: .bloodPressureSystolic),
    TableColumn(
      "diastolic", "dia", "diastolisch", "diastole", "diastolique", "diastólica", "diastolica",
      "rozkurczowe", "舒張壓", of: .bloodPressureDiastolic),
    TableColumn("pulse", "puls", "pouls", "pulso", "hr", "bpm", "heart rate", "脈搏", of: .pulseRate),
    TableColumn(
      "fat", "body fat", "fett", "körperfett", "graisse", "grasa", of: .bodyFatPercentage,
      isDerived: true),
    TableColumn("bmi", "imc", of: .bodyMassIndex, isDerived: true),
    TableColumn(
      "glucose", "blood glucose", "blutzucker", "glycémie", "glucosa", "血糖", of: .bloodGlucose),
    TableColumn("temperature", "temperatur", "température", "temperatura", of: .bodyTemperature),
    TableColumn("spo2", "oxygen saturation", of: .oxygenSaturation),
    TableColumn("steps", "schritte", "pas", "pasos", of: .stepCount),
  ]

  init?(_ head: TableHead) {
    guard let header = head.rows.first?.fields, header.count > 1 else { return nil }
    columns = TableColumns(header, Self.words)
    // A number without its unit is a guess where the words allow several.
    guard !columns.found.isEmpty,
      columns.found.allSatisfy({ $0.column.quantity != .bloodGlucose || $0.column.unit != nil }),
      let date = columns.names.firstIndex(where: Self.dates.contains)
        ?? columns.names.firstIndex(where: Self.times.contains)
    else { return nil }
    self.date = date
    time = columns.names.firstIndex(where: Self.times.contains).flatMap { $0 == date ? nil : $0 }
  }

  /// By what the command says of the columns.
  init?(_ head: TableHead, file: String) throws(HistoryError) {
    guard let header = head.rows.first?.fields else { return nil }
    let names = header.map { HeaderName($0).name }
    func place(_ column: HistoryColumn) throws(HistoryError) -> Int {
      if let number = Int(column.place), number >= 1, number <= 500 { return number - 1 }
      let name = column.place.lowercased()
      let found =
        header.firstIndex { $0.lowercased() == name } ?? names.firstIndex { $0 == name }
      guard let found else {
        throw HistoryError(
          file: file,
          .missingColumn(column.place, header: String(header.joined(separator: ", ").prefix(200))))
      }
      return found
    }
    var (date, time): (Int?, Int?)
    var placed: [Int: TableColumn] = [:]
    for column in head.columns {
      let index = try place(column)
      switch column.meaning {
      case "date": date = index
      case "time": time = index
      default:
        let quantity =
          Quantity.all.first { $0.rawValue.lowercased() == column.meaning }
          ?? Quantity.meant(by: column.meaning).first
        guard let quantity else {
          throw HistoryError(file: file, .malformedColumn(column.meaning))
        }
        let unit = try column.unit.map { text throws(HistoryError) in
          guard let unit = UnitOfMeasure(header: text) else {
            throw HistoryError(file: file, .malformedColumn("\(column.meaning):\(text)"))
          }
          return unit
        }
        placed[index] = TableColumn(String(index), of: quantity, in: unit, takesZero: true)
      }
    }
    guard let day = date ?? time else {
      throw HistoryError(
        file: file,
        .missingColumn("date", header: String(header.joined(separator: ", ").prefix(200))))
    }
    self.date = day
    self.time = date == nil ? nil : time
    let width = max(header.count, (placed.keys.max() ?? 0) + 1)
    columns = TableColumns((0..<width).map(String.init), Array(placed.values))
    // A first row that begins with a time is no header.
    headerRows = ClockText(header.indices.contains(day) ? header[day] : "") == nil ? 1 : 0
  }

  mutating func read(_ row: TableRow, into sink: inout HistorySink) {
    guard let time = sink.time(row[date], time.map { row[$0] } ?? "", line: row.line) else {
      return
    }
    sink.addScale(
      row, columns,
      .init(line: row.line, time: time, source: sink.kind.title), defaultsToKilogram: false)
  }
}
