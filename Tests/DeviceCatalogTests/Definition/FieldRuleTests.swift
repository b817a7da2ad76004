import TestSupport
import Testing

@testable import DeviceCatalog

struct FieldTypeTests {
  @Test(arguments: [
    (FieldType.u8, "ff", 255 as Int64), (.s8, "ff", -1), (.u16le, "3412", 0x1234),
    (.u16be, "1234", 0x1234), (.s16le, "00f8", -2048), (.s16be, "8000", -32_768),
    (.u24le, "563412", 0x12_3456), (.u24be, "123456", 0x12_3456),
    (.u32le, "ffffffff", 4_294_967_295), (.s32le, "ffffffff", -1),
    (.u32be, "00000001", 1), (.s32be, "80000000", -2_147_483_648),
  ])
  func `reads integers`(type: FieldType, hex: String, value: Int64) {
    #expect(type.integer(bytes(hex)) == value)
    #expect(type.width == bytes(hex).count)
  }

  @Test func `reads no integer of another width`() {
    for type in FieldType.allCases {
      #expect(type.integer([UInt8](repeating: 0, count: type.width + 1)) == nil)
    }
  }

  @Test(arguments: [
    (FieldType.f32le, "0000803f", 1.0), (.sfloat, "6ef1", 36.6), (.sfloat, "7800", 120),
    (.float, "6e0100ff", 36.6),
  ])
  func `reads numbers`(type: FieldType, hex: String, value: Double) {
    #expect(type.number(bytes(hex)) == value)
    #expect(type.integer(bytes(hex)) == nil)
  }

  @Test(arguments: [
    (FieldType.sfloat, "ff07"), (.sfloat, "0008"), (.float, "ffff7f00"), (.u16le, "0100"),
    (.f32le, "00"),
  ])
  func `reads no number from special values`(type: FieldType, hex: String) {
    #expect(type.number(bytes(hex)) == nil)
  }
}
