import Care
import GATT
import StrictYAML

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

  func uuid() throws(YAMLError) -> BluetoothUUID {
    let text = try string()
    guard let uuid = BluetoothUUID(text) else {
      throw error("‘\(text)’ is no UUID: 4 or 8 hex digits, or 32 with hyphens")
    }
    return uuid
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

  /// Seconds, above zero, at most an hour.
  func seconds() throws(YAMLError) -> Double {
    let value = try number()
    guard value > 0, value <= 3600 else {
      throw error("\(value) is not between 0 and 3600 seconds")
    }
    return value
  }

  /// A rate in thousandths of a sample a second.
  func milliHertz() throws(YAMLError) -> Int {
    let value = try number()
    guard value >= 0.001, value <= 10_000 else {
      throw error("\(value) is not between 0.001 and 10000 samples a second")
    }
    return Int((value * 1000).rounded())
  }

  func quantity() throws(YAMLError) -> Quantity {
    let text = try string()
    guard let quantity = Quantity(rawValue: text) else {
      throw error(
        "there is no quantity ‘\(text)’" + Spelling.suggestion(for: text, among: Quantity.allNames))
    }
    return quantity
  }

  func unit() throws(YAMLError) -> UnitOfMeasure {
    let text = try string()
    guard let unit = UnitOfMeasure(text) else { throw error("there is no unit ‘\(text)’") }
    return unit
  }

  /// A test of a field's bit: `flags.1`, `not flags.1`.
  func flagTest() throws(YAMLError) -> FlagTest {
    let text = try string()
    var words = text.split(separator: " ")
    let isSet = words.first != "not"
    if !isSet { words.removeFirst() }
    let parts = words.first?.split(separator: ".", omittingEmptySubsequences: false) ?? []
    guard words.count == 1, parts.count == 2, !parts[0].isEmpty, let bit = Int(parts[1]),
      (0..<32).contains(bit)
    else { throw error("‘\(text)’ is no test of a bit: ‘flags.1’ or ‘not flags.1’") }
    return FlagTest(field: String(parts[0]), bit: bit, isSet: isSet)
  }
}
