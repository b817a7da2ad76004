import GATT
import TestSupport
import Testing

@Suite("HeartRateMeasurement")
struct HeartRateMeasurementTests {
  @Test(
    "Every combination of flags has its own layout",
    arguments: [
      ("00 48", HeartRateMeasurement(rawRate: 72)),
      ("01 2c01", HeartRateMeasurement(rawRate: 300)),
      ("04 00", HeartRateMeasurement(rawRate: 0, contact: .notDetected)),
      ("06 48", HeartRateMeasurement(rawRate: 72, contact: .detected)),
      ("08 48 e803", HeartRateMeasurement(rawRate: 72, energyExpended: 1000)),
      ("10 48 0004", HeartRateMeasurement(rawRate: 72, rrIntervals: [1024])),
      (
        "16 3c 0004 ff03 0104",
        HeartRateMeasurement(rawRate: 60, contact: .detected, rrIntervals: [1024, 1023, 1025])
      ),
      (
        "1f 2c01 ffff cd00 ce00",
        HeartRateMeasurement(
          rawRate: 300, contact: .detected, energyExpended: 0xFFFF, rrIntervals: [205, 206])
      ),
    ])
  func layouts(hex: String, value: HeartRateMeasurement) throws {
    #expect(try HeartRateMeasurement(bytes(hex)) == value)
    #expect(value.encoded == bytes(hex))
  }

  @Test(
    "The two contact bits are one answer",
    arguments: [
      ("0048", .notSupported), ("0248", .notSupported), ("0448", .notDetected),
      ("0648", .detected),
    ] as [(String, HeartRateMeasurement.Contact)])
  func contact(hex: String, expected: HeartRateMeasurement.Contact) throws {
    #expect(try HeartRateMeasurement(bytes(hex)).contact == expected)
  }

  @Test("A rate of 0 is no rate: the sensor has lost the skin")
  func zero() throws {
    #expect(try HeartRateMeasurement(bytes("0400")).rate == nil)
    #expect(try HeartRateMeasurement(bytes("0448")).rate == 72)
    #expect(try HeartRateMeasurement(bytes("012c01")).rate == 300)
  }

  @Test("Announced intervals may be absent")
  func emptyList() throws {
    #expect(try HeartRateMeasurement(bytes("1048")).rrIntervals == [])
  }

  @Test("A narrow rate in a wide field is the same rate")
  func wide() throws {
    let value = try HeartRateMeasurement(bytes("014800"))
    #expect(value == HeartRateMeasurement(rawRate: 72))
    #expect(value.encoded == bytes("0048"))
  }

  @Test(
    "A frame that does not work out names the field",
    arguments: [
      ("", .truncated(field: "flags", needed: 1, available: 0)),
      ("00", .truncated(field: "heart rate", needed: 1, available: 0)),
      ("0148", .truncated(field: "heart rate", needed: 2, available: 1)),
      ("0848e8", .truncated(field: "energy expended", needed: 2, available: 1)),
      ("1048 0004 ff", .truncated(field: "RR-interval", needed: 2, available: 1)),
      ("0048 0004", .trailing(count: 2)),
    ] as [(String, GATTError)])
  func refused(hex: String, error: GATTError) {
    #expect(throws: error) { try HeartRateMeasurement(bytes(hex)) }
  }
}
