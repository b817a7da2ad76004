/// A line of comma-separated values (RFC 4180).
///
/// A text that a spreadsheet would take for a formula begins with an apostrophe: reasons and names of
/// devices are others' words.
package struct CSVLine {
  package var text: String

  package init(_ cells: [String]) {
    // Byte by byte: to Swift, CR LF is one character, and so is a quotation mark with an accent.
    text = cells.map { cell in
      let isFormula = cell.utf8.first.map { "=+-@\t\r".utf8.contains($0) } ?? false
      let cell = isFormula && Double(cell) == nil ? "'" + cell : cell
      guard cell.utf8.contains(where: { ",\"\r\n".utf8.contains($0) }) else { return cell }
      let doubled = cell.utf8.split(separator: UInt8(ascii: "\""), omittingEmptySubsequences: false)
      return "\"" + doubled.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "\"\"")
        + "\""
    }.joined(separator: ",")
  }
}
