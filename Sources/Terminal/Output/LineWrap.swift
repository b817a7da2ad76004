extension String {
  /// The text in lines of at most `width` columns, broken between words; as one line for `nil`.
  ///
  /// Every line begins with `indent`. A word that is longer than a line is cut.
  package func wrapped(to width: Int?, indent: String = "") -> [String] {
    guard let width else { return [indent + self] }
    // A terminal of a few columns has longer lines rather than one for each letter.
    let room = max(20, width - indent.columns)
    var lines: [String] = []
    var line = ""
    for word in split(separator: " ") {
      var rest = String(word)
      if !line.isEmpty, line.columns + 1 + rest.columns <= room {
        line += " " + rest
        continue
      }
      if !line.isEmpty { lines.append(line) }
      while rest.columns > room {
        let part = rest.prefix(columns: room)
        lines.append(part)
        rest = String(rest.dropFirst(part.count))
      }
      line = rest
    }
    if !line.isEmpty || lines.isEmpty { lines.append(line) }
    return lines.map { indent + $0 }
  }

  /// How many columns it takes on a terminal: two for an East Asian character.
  package var columns: Int { reduce(0) { $0 + $1.columns } }

  /// The text with spaces up to that many columns.
  package func padded(to width: Int) -> String {
    self + String(repeating: " ", count: max(0, width - columns))
  }

  private func prefix(columns limit: Int) -> String {
    var count = 0
    return String(
      prefix { character in
        count += character.columns
        return count <= limit
      })
  }
}

extension Character {
  /// One column, or two for the wide blocks (Unicode Standard Annex 11).
  fileprivate var columns: Int {
    guard let scalar = unicodeScalars.first?.value else { return 1 }
    switch scalar {
    case 0x1100...0x115F, 0x2E80...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
      0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1FAFF, 0x20000...0x3FFFD:
      return 2
    default: return 1
    }
  }
}
