import GATT
import TestSupport
import Testing

struct BatteryLevelTests {
  @Test(arguments: [0, 1, 57, 100] as [UInt8])
  func `a level is a percentage`(percent: UInt8) throws {
    let value = try BatteryLevel([percent])
    #expect(value.percent == percent)
    #expect(value.encoded == [percent])
  }

  @Test(arguments: [101, 255] as [UInt8])
  func `more than full is refused`(percent: UInt8) {
    let error = GATTError.invalid(
      field: "battery level", reason: "\(percent) % is more than full")
    #expect(throws: error) { try BatteryLevel([percent]) }
    #expect(throws: error) { try BatteryLevel(percent: percent) }
  }

  @Test
  func `it is one byte long`() {
    #expect(throws: GATTError.truncated(field: "battery level", needed: 1, available: 0)) {
      try BatteryLevel([])
    }
  }
}
