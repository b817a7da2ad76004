/// A pattern of bytes with wildcard nibbles: `55 61 ?? 0?`.
struct BytePattern: Hashable, Sendable, CustomStringConvertible {
  /// The required bits of each byte, zero outside the mask.
  private(set) var bytes: [UInt8] = []
  /// The bits that are compared.
  private(set) var masks: [UInt8] = []

  /// Reads hex digits and `?`, two a byte, spaces ignored.
  ///
  /// - Returns: `nil` for an odd number of digits, another character, no byte or more than 64.
  init?(_ text: String) {
    let nibbles = text.filter { $0 != " " }
    guard !nibbles.isEmpty, nibbles.count.isMultiple(of: 2), nibbles.count <= 128 else {
      return nil
    }
    var halves: [(value: UInt8, mask: UInt8)] = []
    for nibble in nibbles {
      if nibble == "?" {
        halves.append((0, 0))
      } else if nibble.isASCII, let digit = nibble.hexDigitValue {
        halves.append((UInt8(digit), 15))
      } else {
        return nil
      }
    }
    for index in stride(from: 0, to: halves.count, by: 2) {
      bytes.append(halves[index].value << 4 | halves[index + 1].value)
      masks.append(halves[index].mask << 4 | halves[index + 1].mask)
    }
  }

  /// The number of bytes, wildcards included.
  var count: Int { bytes.count }

  /// The number of nibbles that are no wildcards.
  var fixedNibbles: Int {
    masks.reduce(0) { $0 + ($1 & 0xF0 == 0 ? 0 : 1) + ($1 & 0x0F == 0 ? 0 : 1) }
  }

  /// Whether `data` begins with the pattern.
  func matches(_ data: some Collection<UInt8>) -> Bool {
    data.count >= count
      && zip(data, zip(bytes, masks)).allSatisfy { byte, wanted in
        byte & wanted.1 == wanted.0
      }
  }

  /// Whether more bytes after `data` can make it begin with the pattern.
  func mayBegin(_ data: some Collection<UInt8>) -> Bool {
    zip(data, zip(bytes, masks)).allSatisfy { byte, wanted in byte & wanted.1 == wanted.0 }
  }

  /// Whether some bytes begin with both patterns.
  func isCompatible(with other: BytePattern) -> Bool {
    zip(zip(bytes, masks), zip(other.bytes, other.masks)).allSatisfy { a, b in
      (a.0 ^ b.0) & a.1 & b.1 == 0
    }
  }

  /// The pattern as written in a definition: `55 61 ?? 0?`.
  var description: String {
    let digits = Array("0123456789abcdef")
    return zip(bytes, masks).map { byte, mask -> String in
      let high: Character = mask & 0xF0 == 0 ? "?" : digits[Int(byte >> 4)]
      let low: Character = mask & 0x0F == 0 ? "?" : digits[Int(byte & 0x0F)]
      return String([high, low])
    }.joined(separator: " ")
  }
}
