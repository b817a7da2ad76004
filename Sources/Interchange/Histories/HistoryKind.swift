package import Care

/// The program that wrote a history, and its layout.
package struct HistoryKind: Hashable, Sendable {
  /// The name for programs: `openscale`.
  package var id: String
  /// The program's own name: `openScale`.
  package var title: String

  /// The address under which a device, or another program before it, is stored.
  package func address(of source: String) -> DeviceID {
    DeviceID(String((source == title ? title : "\(title): \(source)").prefix(120)))
  }

  /// Every kind that is read.
  package static let all: [HistoryKind] = [
    .openScale, .withings, .fitbit, .googleHealth, .googleFit, .appleHealth, .healthConnect,
    .renpho, .beurer, .zeppLife, .garmin, .samsungHealth, .omron, .healthAutoExport, .libreView,
    .clarity, .nightscout, .xDrip, .bloodPressure, .medTimer, .loopHabits, .measured, .table,
    .noop,
  ]

  /// The layouts of tables, in the order in which they are tried: the most particular first.
  static let tables: [any TableHistory.Type] = [
    LibreViewTable.self, ClarityTable.self, XDripTable.self, SamsungTable.self, GarminTable.self,
    BeurerTables.self, FitbitTables.self, OpenScaleTable.self, OldOpenScaleTable.self,
    WithingsTable.self, WithingsRawTable.self, GoogleHealthTable.self, HealthAutoExportTable.self,
    ZeppLifeTable.self, RenphoTable.self, BloodPressureTable.self, OmronTable.self,
    MedTimerTable.self, LoopHabitsTable.self, MeasuredTable.self, AnyTable.self,
  ]

  /// The layouts of JSON texts.
  static let texts: [any JSONHistory.Type] = [
    FitbitRecords.self, GoogleFitRecords.self, GarminRecords.self, HealthAutoExportRecords.self,
    NightscoutRecords.self,
  ]
}

/// A layout of tables of one program.
protocol TableHistory: Sendable {
  /// The program.
  static var kind: HistoryKind { get }
  /// Recognises the layout by its first rows; `nil` if it is another one.
  init?(_ head: TableHead)
  /// How many rows at the beginning are no records.
  var headerRows: Int { get }
  /// Whether blank rows mean something; else they are passed over.
  var readsBlankRows: Bool { get }
  /// Whether quotation marks enclose fields.
  static var hasQuotes: Bool { get }
  /// Reads the next row.
  mutating func read(_ row: TableRow, into sink: inout HistorySink)
  /// The table has ended.
  mutating func end(into sink: inout HistorySink)
}

extension TableHistory {
  static var hasQuotes: Bool { true }
  mutating func end(into sink: inout HistorySink) {}
  var headerRows: Int { 1 }
  var readsBlankRows: Bool { false }
}

/// The first rows of a table.
struct TableHead {
  var rows: [TableRow]
  var dialect: TableDialect
  /// The columns as the command line names them.
  var columns: [HistoryColumn]
}

/// A layout of JSON texts of one program.
protocol JSONHistory: Sendable {
  static var kind: HistoryKind { get }
  /// Where the records are.
  static var path: [String] { get }
  init?(_ head: JSONHead)
  mutating func read(_ record: JSONRecord, into sink: inout HistorySink)
  /// An element around the records has ended.
  mutating func end(_ position: [Int], _ members: [String: String], into sink: inout HistorySink)
}

extension JSONHistory {
  mutating func end(_ position: [Int], _ members: [String: String], into sink: inout HistorySink) {
  }
}

/// Which column of a table is what, as a command says it: `weight=3:lb`, `date=Datum`.
package struct HistoryColumn: Hashable, Sendable {
  /// Its meaning: `date`, `time`, or a quantity by its name or an everyday word.
  var meaning: String
  /// Its number from 1, or its name.
  var place: String
  /// The unit; `nil` for that of its name.
  var unit: String?

  /// Reads `weight=3:lb`.
  package init(_ text: String) throws(HistoryError) {
    let sides = text.split(separator: "=", maxSplits: 1)
    guard sides.count == 2 else {
      throw HistoryError(file: "--columns", .malformedColumn(text))
    }
    let right = sides[1].split(separator: ":", maxSplits: 1)
    guard let place = right.first else {
      throw HistoryError(file: "--columns", .malformedColumn(text))
    }
    meaning = String(sides[0]).trimmed.lowercased()
    self.place = String(place).trimmed
    unit = right.count > 1 ? String(right[1]).trimmed : nil
  }
}
