/// Writes values as YAML that reads back the same.
enum YAMLText {
  /// A text: plain if it cannot be read as anything else, otherwise in double quotes.
  static func scalar(_ text: String) -> String {
    isPlain(text) ? text : quoted(text)
  }

  /// A mapping on one line; pairs without a value are left out.
  static func flow(_ pairs: KeyValuePairs<String, String?>) -> String {
    flow(pairs.map { ($0.key, $0.value) })
  }

  /// A mapping on one line, without keys that have no value.
  static func flow(_ pairs: [(key: String, value: String?)]) -> String {
    "{" + pairs.compactMap { key, value in value.map { "\(key): \($0)" } }.joined(separator: ", ")
      + "}"
  }

  /// A list on one line.
  static func flow(_ elements: [String]) -> String {
    "[" + elements.joined(separator: ", ") + "]"
  }

  /// Whether a text of letters, digits and a few signs begins with a letter and is no word of
  /// YAML's.
  private static func isPlain(_ text: String) -> Bool {
    guard let first = text.utf8.first, isLetter(first) else { return false }
    let words: Set = ["true", "false", "null", "yes", "no", "on", "off"]
    return !words.contains(text.lowercased())
      && text.utf8.allSatisfy { isLetter($0) || "0123456789-_./".utf8.contains($0) }
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
  }

  /// Escapes control characters and those that YAML does not print.
  private static func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\t": result += "\\t"
      // StrictYAML looks for anchors before quotes.
      case "&": result += "\\u0026"
      case " "..."~", "\u{A1}"..."\u{1FFF}", "\u{3041}"..."\u{D7FF}":
        result.unicodeScalars.append(scalar)
      default: result += escaped(scalar)
      }
    }
    return result + "\""
  }

  private static func escaped(_ scalar: Unicode.Scalar) -> String {
    let digits = String(scalar.value, radix: 16)
    let width = scalar.value > 0xFFFF ? 8 : 4
    return (width == 8 ? "\\U" : "\\u")
      + String(repeating: "0", count: max(0, width - digits.count)) + digits
  }
}
