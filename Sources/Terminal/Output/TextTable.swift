import Foundation
package import Localization

/// Columns of text, each as wide as its widest cell.
package struct TextTable {
  private var rows: [[String]]
  private let limits: [Int?]

  /// Makes a table with a heading.
  ///
  /// - Parameters:
  ///   - heading: The names of the columns.
  ///   - widths: The most columns of each cell, which has further lines where it is longer; `nil`,
  ///     and what is missing at the end, are any.
  package init(_ heading: [LocalizedText], widths: [Int?] = []) {
    let heading = heading.map(\.message)
    rows = [heading, heading.map { String(repeating: "─", count: $0.columns) }]
    limits = widths
  }

  /// Adds a row, with further lines in its first column.
  package mutating func add(_ row: [String], below: [String] = []) {
    var cells = row.map(\.oneLine).enumerated().map { column, cell in
      column < limits.count && limits[column] != nil ? cell.wrapped(to: limits[column]) : [cell]
    }
    if !cells.isEmpty { cells[0] += below }
    for line in 0..<(cells.map(\.count).max() ?? 0) {
      rows.append(cells.map { line < $0.count ? $0[line] : "" })
    }
  }

  /// The lines of the table, without trailing spaces.
  package var lines: [String] {
    let columns = rows.map(\.count).max() ?? 0
    let widths = (0..<columns).map { column in
      rows.map { column < $0.count ? $0[column].columns : 0 }.max() ?? 0
    }
    return rows.enumerated().map { index, row in
      let isRule = index == 1
      let cells = row.enumerated().map { column, cell in
        let padding = String(repeating: isRule ? "─" : " ", count: widths[column] - cell.columns)
        return cell + padding
      }
      var line = cells.joined(separator: "  ")
      while line.hasSuffix(" ") { line.removeLast() }
      return line
    }
  }
}

/// Lines on a terminal that are redrawn in place.
package struct LiveTable {
  private var height = 0

  package init() {}

  /// Draws `lines` over the previous ones.
  package mutating func show(_ lines: [String]) {
    let up = height > 0 ? "\u{1B}[\(height)A" : ""
    let drawn = lines.map { "\u{1B}[K\($0)\n" }.joined()
    Console.write("\r\(up)\(drawn)\u{1B}[J", to: .standardOutput)
    height = lines.count
  }
}
