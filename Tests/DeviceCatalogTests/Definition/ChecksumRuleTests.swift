import TestSupport
import Testing

@testable import DeviceCatalog

struct ChecksumRuleTests {
  /// A rule, and a frame that a device sent or that its documentation gives.
  static let frames: [(rule: ChecksumRule, frame: String)] = [
    (ChecksumRule(kind: .sum), "100bff1522000000000051"),
    (ChecksumRule(kind: .sum, first: 2, last: 6), "ac0226b60000caa6"),
    (
      ChecksumRule(kind: .sum, first: 3, last: 18, mask: 0x1F),
      "030800a300012dc2000000000000000000000013"
    ),
    (ChecksumRule(kind: .sum, mask: 0x7F), "eb010453637f0025"),
    (ChecksumRule(kind: .sum, at: 5, total: 0xFF), "a502bb10002f0161a100521b01130213c0986a010101"),
    (ChecksumRule(kind: .xor), "cf7b132a1c000000000091"),
    (ChecksumRule(kind: .xor, first: 1), "0d1e14020065f69f88000000011e9b0200086062"),
    (ChecksumRule(kind: .xor, first: 2), "cf0e00cf5c1260221113f10000000030"),
    (ChecksumRule(kind: .xor, first: 1, at: -2), "5a0b261100000000000189b4aa"),
    (ChecksumRule(kind: .xor, at: 12, start: 0x20), "00112233445505001aba13aa2d000000000000"),
    (
      ChecksumRule(kind: .xor, at: 16, start: 0xDB),
      "0000001aba00000000040000000000007f000000000000"
    ),
    (ChecksumRule(kind: .xor, total: 0), "08010002c02000eb"),
    (ChecksumRule(kind: .crc8), "aa17e8000000001b"),
    (ChecksumRule(kind: .crc8Maxim), "aa550f08015f55005700c0da"),
  ]

  @Test(arguments: frames.indices)
  func `holds for a real frame`(index: Int) throws {
    let (rule, frame) = Self.frames[index]
    try rule.verify(bytes(frame))
  }

  @Test(arguments: frames.indices)
  func `refuses every flipped bit`(index: Int) throws {
    let (rule, frame) = Self.frames[index]
    let sound = bytes(frame)
    let places = try #require(rule.places(in: sound.count))
    for place in Set(places.covered).union([places.checksum]) {
      // A sum of which only some bits are sent does not see the others.
      for bit in 0..<8 where rule.mask >> UInt8(bit) & 1 == 1 {
        var damaged = sound
        damaged[place] ^= 1 << UInt8(bit)
        #expect(throws: FrameDefect.self) { try rule.verify(damaged) }
      }
    }
  }

  @Test(arguments: frames.indices)
  func `is computed`(index: Int) throws {
    let (rule, frame) = Self.frames[index]
    let sound = bytes(frame)
    var written = sound
    written[try #require(rule.places(in: sound.count)).checksum] = 0xA5
    rule.complete(&written)
    #expect(written == sound)
  }

  @Test(arguments: [0, 1, 3])
  func `refuses a frame that is too short`(count: Int) {
    let rule = ChecksumRule(kind: .xor, first: 1, at: 3)
    #expect(throws: FrameDefect.noChecksum(count: count)) {
      try rule.verify(Array(repeating: 0, count: count))
    }
  }

  /// A checksum in YAML, and the reason for which it is refused.
  static let refusals: [(checksum: String, reason: String)] = [
    ("{kind: crc16}", "‘crc16’ is not one of sum, xor, crc8, crc8-maxim"),
    ("{kind: xor, mask: 0}", "a mask without a bit checks nothing"),
    ("{kind: crc8, total: 0}", "‘total’ is for ‘sum’ and ‘xor’ without a ‘mask’"),
    ("{kind: xor, start: 256}", "256 is not between 0 and 255"),
    ("{kind: xor, last: -1}", "a checksum cannot cover itself, unless it has a ‘total’"),
  ]

  @Test(arguments: refusals.indices)
  func `is refused`(index: Int) {
    let (checksum, reason) = Self.refusals[index]
    let file = SampleDefinition.file(
      "    length: 3\n", "    length: 3\n    checksum: \(checksum)\n")
    #expect(DeviceCatalog.lint([[file]]).map(\.reason) == [reason])
  }

  @Test func `a record refuses a damaged frame`() throws {
    let file = SampleDefinition.file(
      "    length: 3\n", "    length: 3\n    checksum: {kind: xor, last: 1}\n")
    let definition = try #require(try DeviceCatalog.load([[file]]).definition("sample"))
    var decoders = FrameDecoders(definition)
    let source = FrameSource.characteristic(try uuid("2A9D"))
    #expect(try decoders.decode(bytes("014041"), from: source)?.content.values.count == 1)
    #expect(throws: FrameDefect.wrongChecksum(0x41, expected: 0x42)) {
      try decoders.decode(bytes("024041"), from: source)
    }
    #expect(
      FrameDefect.wrongChecksum(0x41, expected: 0x42).description
        == "the checksum is 0x41 instead of 0x42")
  }

  @Test func `must fit into the frame`() {
    let file = SampleDefinition.file(
      "    length: 3\n", "    length: 3\n    checksum: {kind: xor, at: 3}\n")
    #expect(
      DeviceCatalog.lint([[file]]).map(\.reason) == [
        "the checksum does not fit into a frame of 3 bytes"
      ])
  }
}
