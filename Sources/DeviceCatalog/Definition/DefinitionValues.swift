import Care
import GATT
import StrictYAML

extension YAMLNode {
  /// Whether it is the word `any`.
  var isAny: Bool {
    guard case .scalar(let scalar) = content else { return false }
    return scalar.text == "any"
  }
}

// The single values of a definition. Values with digits are read as written, so that `181B`, `1e3`
// and `0201` are UUIDs and bytes, not numbers.
extension YAMLNode {
  /// A list of at most `limit` elements.
  func elements<Element>(
    atMost limit: Int, _ read: (YAMLNode) throws(YAMLError) -> Element
  ) throws(YAMLError) -> [Element] {
    let nodes = try sequence()
    guard nodes.count <= limit else { throw error("more than \(limit) elements") }
    var elements: [Element] = []
    for node in nodes { elements.append(try read(node)) }
    return elements
  }

  /// Lower-case letters, digits and hyphens, at most 64.
  func identifier() throws(YAMLError) -> String {
    let text = try string()
    let isSound = text.utf8.allSatisfy {
      (97...122).contains($0) || (48...57).contains($0) || $0 == 45
    }
    guard isSound, text.utf8.count <= 64 else {
      throw error("‘\(text)’ is no id: lower-case letters, digits and hyphens, at most 64")
    }
    return text
  }

  /// One line of text, which is not empty, of at most `limit` characters.
  func line(atMost limit: Int) throws(YAMLError) -> String {
    let text = try string()
    let isSound = text.contains { !$0.isWhitespace } && !text.contains(where: \.isNewline)
    guard isSound, text.count <= limit else {
      throw error("one line of 1 to \(limit) characters is needed")
    }
    return text
  }

  func uuid() throws(YAMLError) -> BluetoothUUID {
    let text = try string()
    guard let uuid = BluetoothUUID(text) else {
      throw error("‘\(text)’ is no UUID: 4 or 8 hex digits, or 32 with hyphens")
    }
    return uuid
  }

  /// One UUID, or a list of those of which a device has one.
  func uuids() throws(YAMLError) -> [BluetoothUUID] {
    guard case .sequence(let nodes) = content else { return [try uuid()] }
    guard (1...8).contains(nodes.count) else { throw error("one to eight UUIDs are needed") }
    return try elements(atMost: 8) { node throws(YAMLError) in try node.uuid() }
  }

  /// `irregularPulse`.
  func measurementContext() throws(YAMLError) -> MeasurementContext {
    let text = try string()
    guard let context = MeasurementContext(name: text) else {
      let known = MeasurementContext.all.map(\.name)
      throw error(
        "‘\(text)’ is not one of \(known.joined(separator: ", "))",
        meant: Spelling.Suggestion(for: text, among: known))
    }
    return context
  }

  func pattern() throws(YAMLError) -> BytePattern {
    let text = try string()
    guard let pattern = BytePattern(text) else {
      throw error("‘\(text)’ is no pattern of bytes: hex digits, ‘?’ for any, two a byte")
    }
    return pattern
  }

  /// Bytes in hex, spaces ignored, at most 512.
  func hexBytes() throws(YAMLError) -> [UInt8] {
    let text = try string()
    guard let bytes = [UInt8](hex: text.filter { $0 != " " }), bytes.count <= 512 else {
      throw error("‘\(text)’ is not bytes in hex, two digits each")
    }
    return bytes
  }

  func ratio() throws(YAMLError) -> Ratio {
    let text = try string()
    guard let ratio = Ratio(text) else {
      throw error("‘\(text)’ is no factor: a decimal number or a quotient like 1/1024")
    }
    return ratio
  }

  /// A moment of a recording: seconds from its start, at most an hour.
  func moment() throws(YAMLError) -> Double {
    let value = try number()
    guard (0...3600).contains(value) else {
      throw error("\(value) is not between 0 and 3600 seconds")
    }
    return value
  }

  /// Seconds, above zero, at most an hour.
  func seconds() throws(YAMLError) -> Double {
    let value = try number()
    guard value > 0, value <= 3600 else {
      throw error("\(value) is not above 0 and at most 3600 seconds")
    }
    return value
  }

  /// A rate in thousandths of a sample a second.
  func milliHertz() throws(YAMLError) -> Int {
    let value = try number()
    guard value >= 0.001, value <= 10_000 else {
      throw error("\(value) is not between 0.001 and 10000 samples a second")
    }
    return Int(saturating: (value * 1000).rounded())
  }

  func quantity() throws(YAMLError) -> Quantity {
    let text = try string()
    guard let quantity = Quantity(rawValue: text) else {
      throw error(
        "there is no quantity ‘\(text)’",
        meant: Spelling.Suggestion(
          for: text, among: Quantity.allNames,
          meaning: Quantity.meant(by: text).map(\.rawValue)))
    }
    return quantity
  }

  func unit() throws(YAMLError) -> UnitOfMeasure {
    let text = try string()
    guard let unit = UnitOfMeasure(text) else {
      throw location.error(
        .unknownWord(
          "there is no unit ‘\(text)’",
          meant: Spelling.Suggestion(for: text, among: UnitOfMeasure.all.map(\.name)),
          advice: "; ‘measured quantities’ lists them"))
    }
    return unit
  }

  /// A test of fields: `flags.1`, `not flags.1`, `unit = 2`, `unit != 0`, several joined by `and`.
  func flagTest() throws(YAMLError) -> FlagTest {
    let text = try string()
    let words = text.split(separator: " ")
      .split(separator: "and", omittingEmptySubsequences: false).map(Array.init)
    var terms: [FlagTest.Term] = []
    for words in words {
      guard let term = FlagTest.Term(words) else {
        throw error("‘\(text)’ is no test: ‘flags.1’, ‘not flags.1’, ‘unit = 2’, ‘a.1 and b != 0’")
      }
      terms.append(term)
    }
    guard !terms.isEmpty, terms.count <= 8 else {
      throw error("‘\(text)’ is no test of one to eight fields")
    }
    return FlagTest(terms)
  }
}

extension FlagTest.Term {
  /// Reads the words `flags.1`, `not flags.1`, `unit = 2`, `unit != 0x10`.
  fileprivate init?(_ words: [Substring]) {
    if words.count == 3, words[1] == "=" || words[1] == "!=", !words[0].contains(".") {
      let isHex = words[2].hasPrefix("0x")
      guard let number = isHex ? Int64(words[2].dropFirst(2), radix: 16) : Int64(words[2]) else {
        return nil
      }
      self.init(field: String(words[0]), operand: .number(number), isTrue: words[1] == "=")
      return
    }
    let isSet = words.first != "not"
    let rest = isSet ? words[...] : words.dropFirst()
    let parts = rest.first?.split(separator: ".", omittingEmptySubsequences: false) ?? []
    guard rest.count == 1, parts.count == 2, !parts[0].isEmpty, let bit = Int(parts[1]),
      (0..<32).contains(bit)
    else { return nil }
    self.init(field: String(parts[0]), operand: .bit(bit), isTrue: isSet)
  }
}
