import TestSupport
import Testing

@testable import DeviceCatalog

struct FrameAssemblerTests {
  /// Frames of a PC-60FW, of which several come in one notification, cut anywhere.
  private static let oximeter = [
    "aa550f08015f55005700c0da", "aa55f0030303f6", "aa550f08016239004400c0e3",
  ]

  private func assembler(_ rules: [String]) throws -> FrameAssembler {
    let lines = rules.map { "\n  - \($0)" }.joined()
    let definition = try SampleDefinition.definition("records:\n", "assembly:\(lines)\nrecords:\n")
    return FrameAssembler(definition.assembly)
  }

  private func oximeter() throws -> FrameAssembler {
    try assembler([
      "{characteristic: \"2A9D\", start: AA 55, length: {at: 3, plus: 4}, checksum: {kind: crc8-maxim}}"
    ])
  }

  private func frames(_ found: [FrameAssembler.Found]) -> [[UInt8]] {
    found.compactMap { if case .frame(let frame) = $0 { frame } else { nil } }
  }

  @Test(arguments: 1...40)
  func `a stream may be cut anywhere`(length: Int) throws {
    var assembler = try oximeter()
    let stream = Self.oximeter.flatMap { bytes($0) }
    var found: [FrameAssembler.Found] = []
    for start in stride(from: 0, to: stream.count, by: length) {
      found += assembler.frames(with: Array(stream[start..<min(start + length, stream.count)]))
    }
    #expect(frames(found) == Self.oximeter.map { bytes($0) })
    #expect(found.count == 3)
  }

  @Test func `damage costs the damaged frame alone`() throws {
    let stream = Self.oximeter.flatMap { bytes($0) }
    let good = Self.oximeter.map { bytes($0) }
    for place in stream.indices {
      for bit in 0..<8 {
        var damaged = stream
        damaged[place] ^= 1 << UInt8(bit)
        var assembler = try oximeter()
        // A frame that a wrong length swallows is found again when enough bytes have come.
        let found =
          frames(assembler.frames(with: damaged))
          + frames(assembler.frames(with: Array(repeating: 0, count: 300)))
        #expect(found.allSatisfy(good.contains))
        #expect(found.count == 2)
      }
    }
  }

  @Test func `noise is bounded`() throws {
    var generator = SeededGenerator(seed: 5)
    var assembler = try oximeter()
    for _ in 0..<2000 {
      let value = generator.bytes(Int.random(in: 0...200, using: &generator))
      #expect(frames(assembler.frames(with: value)).count <= 200)
    }
    #expect(assembler.frames(with: Array(repeating: 0, count: 513)).count == 1)
  }

  /// A memory of records of three bytes behind a head of five; it may be longer than any value.
  @Test(arguments: [0, 1, 2, 40, 900])
  func `a frame may be a list of records`(count: Int) throws {
    var assembler = try assembler([
      "{characteristic: \"2A9D\", start: 4D 3A, length: {at: 2, type: u16be, plus: 4}, "
        + "checksum: {kind: sum}, records: {from: 5, length: 3, until: -1}}"
    ])
    func list(_ content: [UInt8]) -> [UInt8] {
      let size = content.count + 2
      let list = [0x4D, 0x3A, UInt8(size >> 8), UInt8(size & 0xFF), 0] + content
      return list + [list.reduce(0, &+)]
    }
    let records = (0..<count).map { [UInt8($0 & 0xFF), UInt8($0 >> 8), 7] }
    // An answer without room for a record stays whole, and so does what is less than one.
    let answer = bytes("4d3a000188")
    let stream = answer + list(records.flatMap(\.self)) + list([1, 2, 3, 4, 5])
    var found: [FrameAssembler.Found] = []
    for start in stride(from: 0, to: stream.count, by: 20) {
      found += assembler.frames(with: Array(stream[start..<min(start + 20, stream.count)]))
    }
    #expect(frames(found) == [answer] + records + [[1, 2, 3], [4, 5]])
    #expect(found.count == frames(found).count)
  }

  private func parts() throws -> FrameAssembler {
    try assembler([
      "{characteristic: \"2A9D\", bytes: \"?7 59\", parts: {count: 2, number: 3, payload: 4}}"
    ])
  }

  @Test func `parts are joined`() throws {
    var assembler = try parts()
    #expect(assembler.frames(with: bytes("e7590301aa")) == [])
    #expect(assembler.frames(with: bytes("e7590302bbcc")) == [])
    // Another kind of frame passes between them, and a part may come twice.
    #expect(assembler.frames(with: bytes("e758")) == [.frame(bytes("e758"))])
    #expect(assembler.frames(with: bytes("e7590302bbcc")) == [])
    #expect(assembler.frames(with: bytes("e7590303dd")) == [.frame(bytes("e7590301aabbccdd"))])
    #expect(assembler.frames(with: bytes("e7590303dd")) == [])
  }

  /// Parts of which one is missing, comes too early, or contradicts the first.
  @Test(arguments: [
    ["e7590301aa", "e7590303dd"], ["e7590302aa", "e7590303dd"],
    ["e7590301aa", "e7590202bb"], ["e7590301aa", "e7590300bb", "e7590302cc", "e7590303dd"],
  ])
  func `an incomplete frame is none`(values: [String]) throws {
    var assembler = try parts()
    #expect(values.flatMap { assembler.frames(with: bytes($0)) } == [])
  }

  @Test func `a part without content is refused`() throws {
    var assembler = try parts()
    #expect(frames(assembler.frames(with: bytes("e7590301"))) == [])
  }

  /// An assembly, and the reason for which it is refused.
  static let refusals: [(rule: String, reason: String)] = [
    (
      "{characteristic: \"2A9D\"}",
      "an assembly has either ‘start’ and ‘length’, or ‘bytes’ and ‘parts’"
    ),
    ("{characteristic: \"2A9D\", start: AA 55, length: 1}", "1 is not between 2 and 512"),
    (
      "{characteristic: \"2A9D\", start: AA, length: {at: 1, type: s8}}",
      "a length is a u8, u16le or u16be"
    ),
    (
      "{characteristic: \"2A9D\", bytes: AA, parts: {count: 1, number: 3, payload: 3}}",
      "the content of a part begins behind its number and their count"
    ),
    ("{characteristic: FFF1, start: AA, length: 2}", "the frames of FFF1 have no record"),
  ]

  @Test(arguments: refusals.indices)
  func `is refused`(index: Int) {
    let (rule, reason) = Self.refusals[index]
    let file = SampleDefinition.file("records:\n", "assembly:\n  - \(rule)\nrecords:\n")
    #expect(DeviceCatalog.lint([[file]]).map(\.reason) == [reason])
  }
}
