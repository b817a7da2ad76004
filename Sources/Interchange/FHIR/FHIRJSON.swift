public import Foundation

/// Reads and writes FHIR's JSON: strict, of bounded depth and size, without a trap on any input.
public enum FHIRJSON {
  /// The largest input of the reader, in bytes.
  public static let largest = 64 << 20
  /// The most values: one of two bytes takes many times that in memory.
  public static let mostValues = 4 << 20
  /// How deep objects and lists may lie in each other.
  public static let deepest = 64

  /// Reads a text.
  ///
  /// - Parameters:
  ///   - data: The text, in UTF-8.
  ///   - largest: The most bytes.
  ///   - mostValues: The most objects, lists, texts, numbers and words.
  /// - Returns: The value.
  /// - Throws: ``FHIRRefusal`` for what is no JSON (RFC 8259), a key that an object has twice, and
  ///   beyond the bounds.
  public static func value(
    of data: Data, largest: Int = largest, mostValues: Int = mostValues
  ) throws(FHIRRefusal) -> FHIRValue {
    guard data.count <= largest else {
      throw FHIRRefusal(at: "", .tooLarge(limit: largest))
    }
    var parser = JSONParser(bytes: Array(data), mostValues: mostValues)
    let value = try parser.value(depth: 0)
    parser.skipSpace()
    guard parser.isAtEnd else { throw parser.mistake }
    return value
  }

  /// The text of a value, on one line.
  public static func text(of value: FHIRValue) -> Data {
    var bytes: [UInt8] = []
    write(value, to: &bytes)
    return Data(bytes)
  }

  private static func write(_ value: FHIRValue, to bytes: inout [UInt8]) {
    switch value {
    case .null: bytes += "null".utf8
    case .boolean(let flag): bytes += (flag ? "true" : "false").utf8
    case .number(let number): bytes += number.description.utf8
    case .string(let text): write(text, to: &bytes)
    case .array(let list):
      bytes.append(UInt8(ascii: "["))
      for (place, element) in list.enumerated() {
        if place > 0 { bytes.append(UInt8(ascii: ",")) }
        write(element, to: &bytes)
      }
      bytes.append(UInt8(ascii: "]"))
    case .object(let object):
      bytes.append(UInt8(ascii: "{"))
      for (place, member) in object.members.enumerated() {
        if place > 0 { bytes.append(UInt8(ascii: ",")) }
        write(member.key, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
        write(member.value, to: &bytes)
      }
      bytes.append(UInt8(ascii: "}"))
    }
  }

  private static func write(_ text: String, to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
      case 0x0A: bytes += "\\n".utf8
      case 0x0D: bytes += "\\r".utf8
      case 0x09: bytes += "\\t".utf8
      case ..<0x20: bytes += ("\\u00" + [byte].hexDigits).utf8
      default: bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }
}

extension [UInt8] {
  fileprivate var hexDigits: String {
    map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}

/// Reads one value after the other.
private struct JSONParser {
  let bytes: [UInt8]
  private let mostValues: Int
  private var place = 0
  private var count = 0

  init(bytes: [UInt8], mostValues: Int) { (self.bytes, self.mostValues) = (bytes, mostValues) }

  var isAtEnd: Bool { place == bytes.count }
  var mistake: FHIRRefusal { FHIRRefusal(at: "", .notJSON(offset: place)) }

  private var next: UInt8? { place < bytes.count ? bytes[place] : nil }

  mutating func skipSpace() {
    while let byte = next, byte == 0x20 || (0x09...0x0A).contains(byte) || byte == 0x0D {
      place += 1
    }
  }

  private mutating func take(_ byte: UInt8) -> Bool {
    guard next == byte else { return false }
    place += 1
    return true
  }

  private mutating func take(_ word: String) -> Bool {
    guard bytes[place...].starts(with: word.utf8) else { return false }
    place += word.utf8.count
    return true
  }

  mutating func value(depth: Int) throws(FHIRRefusal) -> FHIRValue {
    guard depth < FHIRJSON.deepest else {
      throw FHIRRefusal(at: "", .tooDeep(limit: FHIRJSON.deepest))
    }
    guard count < mostValues else { throw FHIRRefusal(at: "", .tooMany(limit: mostValues)) }
    count += 1
    skipSpace()
    switch next {
    case UInt8(ascii: "{"): return try object(depth: depth)
    case UInt8(ascii: "["): return try list(depth: depth)
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "t") where take("true"): return .boolean(true)
    case UInt8(ascii: "f") where take("false"): return .boolean(false)
    case UInt8(ascii: "n") where take("null"): return .null
    default:
      let digits = bytes[place...].prefix { "+-.eE0123456789".utf8.contains($0) }
      guard digits.count <= FHIRDecimal.longest,
        let number = FHIRDecimal(String(decoding: digits, as: UTF8.self))
      else { throw mistake }
      place += digits.count
      return .number(number)
    }
  }

  private mutating func object(depth: Int) throws(FHIRRefusal) -> FHIRValue {
    place += 1
    var object = FHIRObject()
    var keys: Set<String> = []
    skipSpace()
    guard !take(UInt8(ascii: "}")) else { return .object(object) }
    repeat {
      skipSpace()
      guard next == UInt8(ascii: "\"") else { throw mistake }
      let key = try string()
      guard keys.insert(key).inserted else { throw FHIRRefusal(at: key, .repeatedKey) }
      skipSpace()
      guard take(UInt8(ascii: ":")) else { throw mistake }
      object.appendNew(key, try value(depth: depth + 1))
      skipSpace()
    } while take(UInt8(ascii: ","))
    guard take(UInt8(ascii: "}")) else { throw mistake }
    return .object(object)
  }

  private mutating func list(depth: Int) throws(FHIRRefusal) -> FHIRValue {
    place += 1
    var list: [FHIRValue] = []
    skipSpace()
    guard !take(UInt8(ascii: "]")) else { return .array(list) }
    repeat {
      list.append(try value(depth: depth + 1))
      skipSpace()
    } while take(UInt8(ascii: ","))
    guard take(UInt8(ascii: "]")) else { throw mistake }
    return .array(list)
  }

  private mutating func string() throws(FHIRRefusal) -> String {
    place += 1
    var text: [UInt8] = []
    while let byte = next {
      place += 1
      switch byte {
      case UInt8(ascii: "\""):
        // Lone surrogates and broken sequences would be replaced in silence.
        guard let string = String(validating: text, as: UTF8.self) else { throw mistake }
        return string
      case UInt8(ascii: "\\"): text += try escape()
      case ..<0x20: throw mistake
      default: text.append(byte)
      }
    }
    throw mistake
  }

  private mutating func escape() throws(FHIRRefusal) -> [UInt8] {
    guard let byte = next else { throw mistake }
    place += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return [byte]
    case UInt8(ascii: "b"): return [0x08]
    case UInt8(ascii: "f"): return [0x0C]
    case UInt8(ascii: "n"): return [0x0A]
    case UInt8(ascii: "r"): return [0x0D]
    case UInt8(ascii: "t"): return [0x09]
    case UInt8(ascii: "u"):
      var code = try unit()
      if (0xD800..<0xDC00).contains(code) {
        guard take("\\u") else { throw mistake }
        let low = try unit()
        guard (0xDC00..<0xE000).contains(low) else { throw mistake }
        code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
      }
      guard let scalar = Unicode.Scalar(code) else { throw mistake }
      return Array(String(Character(scalar)).utf8)
    default: throw mistake
    }
  }

  private mutating func unit() throws(FHIRRefusal) -> UInt32 {
    guard place + 4 <= bytes.count else { throw mistake }
    let digits = bytes[place..<place + 4]
    let isHex = digits.allSatisfy { Character(Unicode.Scalar($0)).isHexDigit }
    guard isHex, let code = UInt32(String(decoding: digits, as: UTF8.self), radix: 16) else {
      throw mistake
    }
    place += 4
    return code
  }
}
