import Care
import Foundation

extension HistoryKind {
  /// The export of a Withings account.
  package static let withings = HistoryKind(id: "withings", title: "Withings")
}

/// `weight.csv`, `bp.csv`, `height.csv` and their like of a Withings account.
///
/// Fat is a mass here, the unit stands in the head, and the times are the account's wall clock.
struct WithingsTable: TableHistory {
  static let kind = HistoryKind.withings

  private let columns: TableColumns
  private let date: Int
  private let fat: (index: Int, unit: UnitOfMeasure)?
  private let weight: Int?

  init?(_ head: TableHead) {
    guard let header = head.rows.first?.fields else { return nil }
    let names = header.map { HeaderName($0) }
    guard let date = names.firstIndex(where: { $0.name == "date" && $0.unit == nil }) else {
      return nil
    }
    self.date = date
    let lower = Set(names.map(\.name))
    guard
      lower.contains("fat mass")
        || lower.isSuperset(of: ["heart rate", "systolic", "diastolic"])
          && names.contains(where: { $0.name == "systolic" && $0.unit == nil })
    else { return nil }
    columns = TableColumns(
      header,
      [
        TableColumn("weight", of: .bodyMass),
        TableColumn("bone mass", of: .boneMass, isDerived: true),
        TableColumn("muscle mass", of: .muscleMass, isDerived: true),
        TableColumn("hydration", of: .bodyWaterMass, isDerived: true),
        TableColumn("heart rate", of: .pulseRate),
        TableColumn("systolic", of: .bloodPressureSystolic),
        TableColumn("diastolic", of: .bloodPressureDiastolic),
      ])
    weight = columns.index("weight")
    fat = names.firstIndex { $0.name == "fat mass" }.flatMap { index in
      names[index].unit.flatMap { UnitOfMeasure(header: $0) }.map { (index, $0) }
    }
  }

  mutating func read(_ row: TableRow, into sink: inout HistorySink) {
    guard let time = sink.time(row[date], line: row.line) else { return }
    var facts = HistorySink.Facts(line: row.line, time: time, source: sink.kind.title)
    columns.add(row, into: &sink, facts)
    // The share is exactly what the two masses say.
    guard let fat, let weight, let mass = sink.number(row[fat.index], facts), mass.value > 0,
      let whole = sink.number(row[weight], facts), whole.value > mass.value
    else { return }
    facts.isDerived = true
    let share = (mass.value / whole.value * 1000).rounded() / 10
    sink.add(
      share, digits: mass.digits, .bodyFatPercentage, in: .percent, column: "Fat mass", facts)
  }
}

/// `raw_*.csv` of a Withings account: lists of durations and values from a start with an offset.
struct WithingsRawTable: TableHistory {
  static let kind = HistoryKind.withings

  private var quantity: Quantity?

  init?(_ head: TableHead) {
    guard head.rows.count > 1,
      head.rows[0].fields.map({ $0.lowercased() }) == ["start", "duration", "value"],
      head.rows[1][1].hasPrefix("["), head.rows[1][2].hasPrefix("[")
    else { return nil }
    // The name of the file says what it is; of the values alone a heart rate is certain: of several
    // in a row each is between 30 and 220, and none is a count of steps.
    let values = head.rows.dropFirst().prefix(20).flatMap { Self.numbers($0[2]) }
    let isHeart = values.count >= 2 && values.allSatisfy { (30...220).contains($0) }
    quantity = isHeart ? .heartRate : nil
  }

  private static func numbers(_ text: String) -> [Double] {
    text.dropFirst().dropLast().split(separator: ",").prefix(10_000).map {
      Double($0.trimmed) ?? .nan
    }
  }

  mutating func read(_ row: TableRow, into sink: inout HistorySink) {
    guard let quantity else { return sink.skip(row.line, .unsupported("raw_*.csv")) }
    guard case .instant(let start)? = sink.time(row[0], line: row.line) else { return }
    let (durations, values) = (Self.numbers(row[1]), Self.numbers(row[2]))
    guard durations.count == values.count, durations.allSatisfy({ $0.isFinite && $0 >= 0 }) else {
      return sink.skip(row.line, .damaged)
    }
    var elapsed = 0.0
    for (duration, value) in zip(durations, values) {
      if value.isFinite, value > 0, elapsed < 31 * 86_400 {
        sink.add(
          value, digits: "\(value)", quantity, in: nil, column: "value",
          .init(
            line: row.line, time: .instant(start + elapsed), source: sink.kind.title,
            isStreamed: true))
      }
      elapsed += duration
    }
  }
}
