import Care
import TestSupport
import Testing

@Suite struct HexadecimalTests {
  @Test(
    arguments: [
      ("", []), ("00", [0]), ("ff", [255]), ("FFfF", [255, 255]), ("0a1B", [10, 27]),
    ] as [(String, [UInt8])])
  func `reads digits of either case`(text: String, bytes: [UInt8]) {
    #expect([UInt8](hex: text) == bytes)
  }

  @Test(arguments: ["0", "abc", "0x10", "1 2 ", "12 34", "+1", "-1", "g0", "٠٠", "１２", "é0"])
  func `refuses anything else`(text: String) {
    #expect([UInt8](hex: text) == nil)
  }

  @Test func `reads back what it writes`() {
    var random = SeededGenerator(seed: 4)
    for count in 0..<64 {
      let bytes = random.bytes(count)
      #expect(bytes.hexString.utf8.count == 2 * count)
      #expect([UInt8](hex: bytes.hexString) == bytes)
      #expect([UInt8](hex: bytes.hexString.uppercased()) == bytes)
    }
  }
}
