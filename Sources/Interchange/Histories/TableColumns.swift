import Care

/// A column's name as programs write it: `Weight (kg)`, `Body Fat(%)`, `com.samsung.….weight`.
struct HeaderName: Hashable {
  /// In small letters, without the unit.
  var name: String
  /// The text in the last brackets; `nil` without.
  var unit: String?

  init(_ text: String) {
    let text = text.trimmed.lowercased()
    if text.hasSuffix(")"), let open = text.lastIndex(of: "(") {
      name = text[..<open].trimmed
      let inside = text[text.index(after: open)...].dropLast()
      // The unit keeps its capitals: some units differ by them alone.
      unit = inside.trimmed
    } else {
      (name, unit) = (text, nil)
    }
  }
}

/// The meaning of a column of a table.
struct TableColumn {
  /// The names that it has, in small letters and without units.
  var names: Set<String>
  var quantity: Quantity
  /// The unit where neither header nor cell says one; `nil` for the quantity's own.
  var unit: UnitOfMeasure?
  /// Whether the program computes it.
  var isDerived = false
  var isStreamed = false
  var takesZero = false

  init(
    _ names: String..., of quantity: Quantity, in unit: UnitOfMeasure? = nil,
    isDerived: Bool = false, isStreamed: Bool = false, takesZero: Bool = false
  ) {
    self.names = Set(names)
    (self.quantity, self.unit) = (quantity, unit)
    (self.isDerived, self.isStreamed, self.takesZero) = (isDerived, isStreamed, takesZero)
  }
}

/// The columns of a header that are read.
struct TableColumns {
  /// The name of each place, in small letters and without units.
  let names: [String]
  private(set) var found: [(index: Int, name: String, column: TableColumn)] = []

  /// Finds `columns` in a header.
  init(_ header: [String], _ columns: [TableColumn], prefix: Bool = false) {
    // One program writes the table's name before each column's.
    let heads = header.map { text in
      HeaderName(prefix ? String(text.split(separator: ".").last ?? "") : text)
    }
    names = heads.map(\.name)
    for (index, head) in heads.enumerated() {
      guard var column = columns.first(where: { $0.names.contains(head.name) }) else { continue }
      if let unit = head.unit.flatMap({ UnitOfMeasure(header: $0) }) {
        if Self.fits(unit, column.quantity) {
          column.unit = unit
        } else if let other = column.quantity.inUnit(unit) {
          column.quantity = other
          column.unit = unit
        }
      } else if head.unit == "count", column.quantity == .bodyMassIndex {
        column.unit = nil
      }
      found.append((index, header[index].trimmed, column))
    }
  }

  private static func fits(_ unit: UnitOfMeasure, _ quantity: Quantity) -> Bool {
    quantity.convert(1, from: unit, to: quantity.unit) != nil
  }

  /// The place of the first column of one of these names.
  func index(_ names: String...) -> Int? {
    self.names.firstIndex { names.contains($0) }
  }

  /// Adds what a row holds.
  func add(_ row: TableRow, into sink: inout HistorySink, _ facts: HistorySink.Facts) {
    sink.addPressures(line: row.line) { sink in
      for (index, name, column) in found {
        var facts = facts
        facts.isDerived = column.isDerived
        facts.isStreamed = column.isStreamed
        facts.takesZero = column.takesZero
        sink.add(row[index], column.quantity, in: column.unit, column: name, facts)
      }
    }
  }
}

extension Quantity {
  /// The quantity of the same thing in another dimension: fat as a mass has none here, muscle has.
  fileprivate func inUnit(_ unit: UnitOfMeasure) -> Quantity? {
    switch (self, unit.dimension) {
    case (.musclePercentage, .mass): .muscleMass
    case (.muscleMass, .number): .musclePercentage
    case (.bodyWaterPercentage, .mass): .bodyWaterMass
    case (.bodyWaterMass, .number): .bodyWaterPercentage
    case (.bloodGlucose, .massConcentration): .bloodGlucoseMass
    case (.bloodGlucoseMass, .substanceConcentration): .bloodGlucose
    default: nil
    }
  }
}
