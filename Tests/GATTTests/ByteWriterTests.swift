import GATT
import TestSupport
import Testing

struct ByteWriterTests {
  @Test
  func `numbers are written in the order that is asked for`() {
    var writer = ByteWriter()
    writer.u8(0x01)
    writer.u16(0x0203)
    writer.u16(0x0203, .big)
    writer.u24(0xFF04_0506)
    writer.u24(0x0004_0506, .big)
    writer.u32(0x0708_090A)
    writer.u32(0x0708_090A, .big)
    writer.s16(-2)
    writer.append([0xAA, 0xBB])
    #expect(
      writer.bytes == bytes("01 0302 0203 060504 040506 0a090807 0708090a feff aabb"))
  }

  @Test
  func `widths beyond a number are zeros, and none is nothing`() {
    var writer = ByteWriter()
    writer.unsigned(0x0102, width: 0)
    writer.unsigned(0x0102, width: -1)
    #expect(writer.bytes.isEmpty)
    writer.unsigned(.max, width: 10)
    #expect(writer.bytes == bytes("ffffffffffffffff 0000"))
  }

  @Test(arguments: 1...8)
  func `what is written is read again`(width: Int) throws {
    var generator = SeededGenerator(seed: UInt64(width))
    for _ in 0..<200 {
      let value = UInt64.random(in: 0...(.max >> (64 - 8 * width)), using: &generator)
      for order in [ByteOrder.little, .big] {
        var writer = ByteWriter()
        writer.unsigned(value, width: width, order)
        var reader = ByteReader(writer.bytes)
        #expect(try reader.unsigned("f", width: width, order) == value)
        try reader.finish()
      }
    }
  }
}
