import StrictYAML

/// One byte of a frame that is computed from others.
struct ChecksumRule: Hashable, Sendable {
  /// How the byte is computed.
  enum Kind: String, Hashable, Sendable, CaseIterable {
    /// The low byte of the sum.
    case sum
    /// Exclusive or.
    case xor
    /// CRC-8 with the polynomial 07, high bit first.
    case crc8
    /// CRC-8 of Maxim's one-wire devices: the polynomial 31, low bit first.
    case crc8Maxim = "crc8-maxim"
  }

  var kind: Kind
  /// The first byte that is covered; negative numbers count from the end, -1 is the last byte.
  var first = 0
  /// The last byte that is covered; `nil` for the byte before the checksum, or with ``total`` for
  /// the last byte.
  var last: Int?
  /// The place of the checksum.
  var at = -1
  /// The value before the first byte.
  var start: UInt8 = 0
  /// The bits of the result that are sent.
  var mask: UInt8 = 0xFF
  /// The expected result over the covered bytes, which include the checksum; `nil` if the checksum
  /// is the result itself.
  var total: UInt8?

  /// The result over `bytes`.
  func result(over bytes: some Sequence<UInt8>) -> UInt8 {
    let result: UInt8 =
      switch kind {
      case .sum: bytes.reduce(start, &+)
      case .xor: bytes.reduce(start, ^)
      case .crc8: bytes.reduce(start) { Self.crc8($0 ^ $1) }
      case .crc8Maxim: bytes.reduce(start) { Self.crc8Maxim($0 ^ $1) }
      }
    return result & mask
  }

  private static func crc8(_ byte: UInt8) -> UInt8 {
    (0..<8).reduce(byte) { byte, _ in byte & 0x80 == 0 ? byte << 1 : byte << 1 ^ 0x07 }
  }

  private static func crc8Maxim(_ byte: UInt8) -> UInt8 {
    (0..<8).reduce(byte) { byte, _ in byte & 1 == 0 ? byte >> 1 : byte >> 1 ^ 0x8C }
  }
}

// MARK: - Frames

extension ChecksumRule {
  /// The places of the checksum and of the bytes that it covers in a frame of `count` bytes; `nil`
  /// if the frame is too short.
  func places(in count: Int) -> (covered: Range<Int>, checksum: Int)? {
    func index(_ place: Int) -> Int { place < 0 ? count + place : place }
    let checksum = index(at)
    let first = index(first)
    let last = last.map(index) ?? (total == nil ? checksum - 1 : count - 1)
    guard (0..<count).contains(checksum), first >= 0, first <= last, last < count else {
      return nil
    }
    return (first..<last + 1, checksum)
  }

  /// Refuses a frame whose checksum is not that of its bytes.
  func verify(_ frame: [UInt8]) throws(FrameDefect) {
    guard let places = places(in: frame.count) else {
      throw .noChecksum(count: frame.count)
    }
    let result = result(over: frame[places.covered])
    let found = total == nil ? frame[places.checksum] : result
    guard found == total ?? result else {
      throw .wrongChecksum(found, expected: total ?? result)
    }
  }

  /// Puts the checksum into its place in `bytes`, which are long enough.
  func complete(_ bytes: inout [UInt8]) {
    guard let places = places(in: bytes.count) else { return }
    bytes[places.checksum] = 0
    let result = result(over: bytes[places.covered])
    bytes[places.checksum] =
      switch (total, kind) {
      case (let total?, .xor): total ^ result
      case (let total?, _): total &- result
      case (nil, _): result
      }
  }
}

// MARK: - Reading

extension ChecksumRule {
  /// Reads the checksum of a frame.
  init(_ node: YAMLNode) throws(YAMLError) {
    var rule = try node.mapping()
    try self.init(&rule)
    at = try rule.optional("at")?.integer(in: -512...511) ?? -1
    try rule.finish()
    guard last == nil || last != at || total != nil else {
      throw node.error("a checksum cannot cover itself, unless it has a ‘total’")
    }
  }

  /// Reads everything but the place.
  init(_ rule: inout MappingReader) throws(YAMLError) {
    kind = try rule.required("kind").choice()
    first = try rule.optional("first")?.integer(in: -512...511) ?? 0
    last = try rule.optional("last")?.integer(in: -512...511)
    start = try rule.optional("start")?.byte() ?? 0
    mask = try rule.optional("mask")?.byte() ?? 0xFF
    total = try rule.optional("total")?.byte()
    if let last, (first < 0) == (last < 0), last < first {
      throw rule.location(of: "last").error("the checksum covers nothing: ‘last’ is before ‘first’")
    }
    guard mask != 0 else {
      throw rule.location(of: "mask").error("a mask without a bit checks nothing")
    }
    guard total == nil || (kind == .sum || kind == .xor) && mask == 0xFF else {
      throw rule.location(of: "total").error("‘total’ is for ‘sum’ and ‘xor’ without a ‘mask’")
    }
  }
}

extension YAMLNode {
  /// A number from 0 to 255.
  func byte() throws(YAMLError) -> UInt8 {
    UInt8(truncatingIfNeeded: try integer(in: 0...0xFF))
  }
}
