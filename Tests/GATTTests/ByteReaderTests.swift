import GATT
import TestSupport
import Testing

struct ByteReaderTests {
  @Test
  func `unsigned numbers of every width, in both orders`() throws {
    let input: [UInt8] = [0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0xF8]
    func read<T>(_ body: (inout ByteReader) throws(GATTError) -> T) throws(GATTError) -> T {
      var reader = ByteReader(input)
      return try body(&reader)
    }
    #expect(try read { r throws(GATTError) in try r.u8("f") } == 0x01)
    #expect(try read { r throws(GATTError) in try r.u16("f") } == 0x0201)
    #expect(try read { r throws(GATTError) in try r.u16("f", .big) } == 0x0102)
    #expect(try read { r throws(GATTError) in try r.u24("f") } == 0x030201)
    #expect(try read { r throws(GATTError) in try r.u24("f", .big) } == 0x010203)
    #expect(try read { r throws(GATTError) in try r.u32("f") } == 0x0403_0201)
    #expect(try read { r throws(GATTError) in try r.u32("f", .big) } == 0x0102_0304)
    #expect(try read { r throws(GATTError) in try r.u48("f") } == 0x0605_0403_0201)
    #expect(try read { r throws(GATTError) in try r.u48("f", .big) } == 0x0102_0304_0506)
    #expect(try read { r throws(GATTError) in try r.u64("f") } == 0xF807_0605_0403_0201)
    #expect(try read { r throws(GATTError) in try r.u64("f", .big) } == 0x0102_0304_0506_07F8)
  }

  @Test(
    arguments: [
      ("00", 0), ("7f", 127), ("80", -128), ("ff", -1),
      ("ff7f", 32767), ("0080", -32768), ("59ff", -167),
      ("ffff7f", 8_388_607), ("000080", -8_388_608), ("feffff", -2),
      ("ffffff7f", 2_147_483_647), ("00000080", -2_147_483_648),
      ("ffffffffffffff7f", Int64.max), ("0000000000000080", Int64.min),
    ] as [(String, Int64)])
  func `signed numbers are two's complement at every width`(hex: String, expected: Int64) throws {
    var little = ByteReader(bytes(hex))
    #expect(try little.signed("f", width: hex.count / 2) == expected)
    var big = ByteReader(bytes(hex).reversed())
    #expect(try big.signed("f", width: hex.count / 2, .big) == expected)
  }

  @Test
  func `the named widths of signed numbers keep the sign`() throws {
    var reader = ByteReader(bytes("ff feff fdffff fcffffff fffb 0000803f"))
    #expect(try reader.s8("f") == -1)
    #expect(try reader.s16("f") == -2)
    #expect(try reader.s24("f") == -3)
    #expect(try reader.s32("f") == -4)
    #expect(try reader.s16("f", .big) == -5)
    #expect(try reader.f32("f") == 1)
    try reader.finish()
  }

  @Test
  func `a field that does not fit is named, and consumes nothing`() throws {
    var reader = ByteReader([0x01, 0x02])
    #expect(throws: GATTError.truncated(field: "weight", needed: 4, available: 2)) {
      try reader.u32("weight")
    }
    #expect(throws: GATTError.truncated(field: "name", needed: 3, available: 2)) {
      try reader.bytes(3, "name")
    }
    #expect(try reader.u16("rest") == 0x0201)
    #expect(throws: GATTError.truncated(field: "more", needed: 1, available: 0)) {
      try reader.u8("more")
    }
  }

  @Test(arguments: [-1, Int.min])
  func `a length that no field can have is refused`(count: Int) {
    var reader = ByteReader([0x01])
    #expect(throws: GATTError.invalid(field: "f", reason: "its length is negative")) {
      try reader.bytes(count, "f")
    }
  }

  @Test(arguments: [-8, 0, 9, Int.max])
  func `a width that no number has is refused`(width: Int) {
    var reader = ByteReader([UInt8](repeating: 0, count: 16))
    let refusal = GATTError.invalid(
      field: "f", reason: "a number of \(width) bytes cannot be read")
    #expect(throws: refusal) { try reader.unsigned("f", width: width) }
    #expect(throws: refusal) { try reader.signed("f", width: width) }
    #expect(reader.remaining == 16)
  }

  @Test
  func `what is left is counted, and must be nothing at the end`() throws {
    var reader = ByteReader(bytes("0a0b0c0d"))
    #expect(reader.remaining == 4)
    #expect(throws: GATTError.trailing(count: 4)) { try reader.finish() }
    #expect(try reader.bytes(1, "f") == [0x0A])
    #expect(reader.remainder() == [0x0B, 0x0C, 0x0D])
    #expect(reader.isAtEnd)
    #expect(reader.remainder() == [])
    try reader.finish()
  }

  @Test
  func `a reader of a slice starts where the slice does`() throws {
    var reader = ByteReader(bytes("00112233")[2...])
    #expect(try reader.u16("f", .big) == 0x2233)
  }
}
