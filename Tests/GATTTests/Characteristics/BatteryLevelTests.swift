import GATT
import TestSupport
import Testing

@Suite("BatteryLevel")
struct BatteryLevelTests {
  @Test("A level is a percentage", arguments: [0, 1, 57, 100] as [UInt8])
  func levels(percent: UInt8) throws {
    let value = try BatteryLevel([percent])
    #expect(value.percent == percent)
    #expect(value.encoded == [percent])
  }

  @Test("More than full is refused", arguments: [101, 255] as [UInt8])
  func tooMuch(percent: UInt8) {
    let error = GATTError.invalid(
      field: "battery level", reason: "\(percent) % is more than full")
    #expect(throws: error) { try BatteryLevel([percent]) }
    #expect(throws: error) { try BatteryLevel(percent: percent) }
  }

  @Test("It is one byte long")
  func lengths() {
    #expect(throws: GATTError.truncated(field: "battery level", needed: 1, available: 0)) {
      try BatteryLevel([])
    }
    #expect(throws: GATTError.trailing(count: 1)) { try BatteryLevel([57, 0]) }
  }
}
