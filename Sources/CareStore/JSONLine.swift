/// A JSON object on one line.
struct JSONLine {
  private var fields: [(key: String, text: String)]

  init(kind: String? = nil) {
    fields = kind.map { [("kind", Self.quoted($0))] } ?? []
  }

  /// The line, with sorted keys.
  var text: String {
    let sorted = fields.sorted { $0.key < $1.key }
    return "{" + sorted.map { "\(Self.quoted($0.key)):\($0.text)" }.joined(separator: ",") + "}"
  }

  mutating func set(_ key: String, _ value: String?) {
    if let value { fields.append((key, Self.quoted(value))) }
  }

  mutating func set(_ key: String, _ value: (some FixedWidthInteger)?) {
    if let value { fields.append((key, String(value))) }
  }

  mutating func set(_ key: String, _ value: Double?) {
    if let value { fields.append((key, String(value))) }
  }

  /// Sets a flag, if it is set.
  mutating func set(_ key: String, _ flag: Bool) {
    if flag { fields.append((key, "true")) }
  }

  /// Sets a JSON text.
  mutating func set(_ key: String, json: String) {
    fields.append((key, json))
  }

  /// Sets an array of JSON texts, unless it is empty.
  mutating func set(_ key: String, array: [String]) {
    if !array.isEmpty { fields.append((key, "[" + array.joined(separator: ",") + "]")) }
  }

  /// No fewer bytes than the JSON string of a text has.
  static func mostBytes(of text: String) -> Int { 6 * text.utf8.count + 2 }

  /// A JSON string.
  static func quoted(_ text: String) -> String {
    guard text.utf8.contains(where: { $0 < 0x20 || $0 == 0x22 || $0 == 0x5C }) else {
      return "\"" + text + "\""
    }
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\u{0}"..<" ":
        let digits = String(scalar.value, radix: 16)
        result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}
