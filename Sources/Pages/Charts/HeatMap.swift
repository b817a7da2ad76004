/// The parts of each task that were done, a row a task and a cell a day.
///
/// A cell is filled from below by the part that was done. A missed task has a cross, and a day on
/// which nothing was due has a dot, so that no colour carries a meaning alone.
struct HeatMap: Chart {
  var title: String
  var summary: String
  /// The titles of the table's columns: the days.
  var columns: [String]
  /// The labels below the columns, by column.
  var labels: [AxisLabel]
  /// The title of the table's first column.
  var rowTitle: String
  /// The tasks.
  var rows: [Row]

  /// One task.
  struct Row: Sendable {
    /// Its title.
    var title: String
    /// The days.
    var cells: [Cell]
  }

  /// One task on one day, or in one week.
  struct Cell: Hashable, Sendable {
    /// The part that was done, 0…1; `nil` if nothing was due.
    var fraction: Double?
    /// The same in words.
    var text: String
  }

  /// The largest cell.
  private static let largestCell = 22.0

  var table: ChartTable {
    ChartTable(
      head: [rowTitle] + columns,
      rows: rows.map { [$0.title] + $0.cells.map(\.text) })
  }

  func drawing(_ size: ChartSize) -> SVGDrawing {
    let count = max(1, rows.map(\.cells.count).max() ?? 0, columns.count)
    // A narrow drawing has the title above the cells, a wide one to the left of them.
    let left = size == .narrow ? 0.0 : 190
    let pitch = min((size.width - left) / Double(count), Self.largestCell + 3)
    let cell = pitch > 8 ? pitch - 3 : pitch * 0.8
    let titleHeight = size == .narrow ? 20.0 : 0
    let rowHeight = max(cell, size == .narrow ? 0 : 16) + titleHeight + 6
    let bottom = Double(rows.count) * rowHeight
    var drawing = SVGDrawing(width: size.width, height: bottom + 24)
    for (number, row) in rows.enumerated() {
      let y = Double(number) * rowHeight
      drawing.text(
        row.title.fitted(to: size == .narrow ? size.width : left - 12), x: 0,
        y: size == .narrow ? y + 14 : y + max(cell, 16) / 2 + 4.5, "row-text")
      for (place, content) in row.cells.enumerated() {
        drawing.cell(content, x: left + Double(place) * pitch, y: y + titleHeight, size: cell)
      }
    }
    let fitting = AxisLabel.fitting(labels, in: left...size.width) { column in
      left + column * pitch + cell / 2
    }
    for label in fitting {
      drawing.text(label.text, x: label.x, y: bottom + 16, anchor: .middle)
    }
    return drawing
  }
}

extension SVGDrawing {
  fileprivate mutating func cell(_ cell: HeatMap.Cell, x: Double, y: Double, size: Double) {
    let radius = size > 10 ? 4 : size / 5
    guard let fraction = cell.fraction, fraction.isFinite else {
      return circle("not-due", x: x + size / 2, y: y + size / 2, radius: max(size / 10, 1))
    }
    rectangle("due", x: x, y: y, width: size, height: size, radius: radius)
    let filled = size * min(max(fraction, 0), 1)
    if filled > 0 {
      rectangle(
        "filled", x: x, y: y + size - filled, width: size, height: filled,
        radius: min(radius, filled / 2))
    } else if size > 5 {
      let inset = size * 0.32
      line("missed", x1: x + inset, y1: y + inset, x2: x + size - inset, y2: y + size - inset)
      line("missed", x1: x + inset, y1: y + size - inset, x2: x + size - inset, y2: y + inset)
    }
  }
}
