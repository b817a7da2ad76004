internal import CQRencode

/// A text as a QR code of ISO/IEC 18004: bytes, error correction M, the smallest version that holds it.
package struct QRCode: Hashable, Sendable {
  /// How many modules a side has.
  package let side: Int
  /// The modules by row; `true` is dark.
  package let modules: [Bool]

  /// The longest text, in bytes: what a telephone's camera still reads from a terminal.
  package static let longest = 180

  /// Makes the code of a text; `nil` if it is empty, or longer than ``longest``.
  package init?(_ text: String) {
    let bytes = Array(text.utf8)
    guard (1...Self.longest).contains(bytes.count),
      let code = unsafe QRcode_encodeData(Int32(bytes.count), bytes, 0, QR_ECLEVEL_M)
    else { return nil }
    defer { unsafe QRcode_free(code) }
    side = unsafe Int(code.pointee.width)
    modules = unsafe UnsafeBufferPointer(start: code.pointee.data, count: side * side)
      .map { $0 & 1 == 1 }
  }

  /// The code in two rows of modules a line, with the empty border that it needs; dark on light.
  package var lines: [String] {
    func isDark(_ row: Int, _ column: Int) -> Bool {
      guard (0..<side).contains(row), (0..<side).contains(column) else { return false }
      return modules[row * side + column]
    }
    return stride(from: -2, to: side + 2, by: 2).map { row in
      String(
        (-2..<side + 2).map { column -> Character in
          switch (isDark(row, column), isDark(row + 1, column)) {
          case (true, true): " "
          case (true, false): "▄"
          case (false, true): "▀"
          case (false, false): "█"
          }
        })
    }
  }

  /// The dark modules as the path of an SVG, with a unit for a side and an empty border of four.
  package var path: String {
    var parts: [String] = []
    for row in 0..<side {
      var column = 0
      while column < side {
        let end = (column..<side).first { !modules[row * side + $0] } ?? side
        if end > column {
          parts.append("M\(column + 4) \(row + 4)h\(end - column)v1H\(column + 4)z")
        }
        column = end + 1
      }
    }
    return parts.joined()
  }
}
