/// JSON's escapes of characters beyond U+FFFF, which YAML writes differently.
///
/// JSON spells them as a pair of surrogates (`\ud83d\ude00`), YAML as one code (`\U0001f600`).
enum SurrogateEscapes {
  /// `text` with every pair joined where it looks like JSON, else as it is.
  static func joined(in text: String) -> String {
    guard let first = text.first(where: { !$0.isWhitespace }), first == "{" || first == "[",
      text.contains("\\u")
    else { return text }
    let bytes = Array(text.utf8)
    var result: [UInt8] = []
    var index = 0
    while index < bytes.count {
      if let scalar = pair(bytes[index...]) {
        let digits = String(scalar, radix: 16)
        result += "\\U".utf8
        result += repeatElement(UInt8(ascii: "0"), count: 8 - digits.utf8.count)
        result += digits.utf8
        index += 12
      } else {
        // A backslash takes the next byte with it, so that `\\u` is no escape.
        let length = bytes[index] == UInt8(ascii: "\\") ? 2 : 1
        result += bytes[index...].prefix(length)
        index += length
      }
    }
    return String(decoding: result, as: UTF8.self)
  }

  /// The scalar that a pair of escapes at the beginning of `bytes` spells.
  private static func pair(_ bytes: ArraySlice<UInt8>) -> UInt32? {
    guard let high = unit(bytes), (0xD800...0xDBFF).contains(high),
      let low = unit(bytes.dropFirst(6)), (0xDC00...0xDFFF).contains(low)
    else { return nil }
    return 0x10000 + (high - 0xD800) << 10 + (low - 0xDC00)
  }

  private static func unit(_ bytes: ArraySlice<UInt8>) -> UInt32? {
    guard bytes.starts(with: "\\u".utf8) else { return nil }
    let digits = bytes.dropFirst(2).prefix(4)
    let text = String(decoding: digits, as: UTF8.self)
    guard digits.count == 4, text.allSatisfy(\.isHexDigit) else { return nil }
    return UInt32(text, radix: 16)
  }
}
