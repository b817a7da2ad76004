import GATT
import TestSupport
import Testing

struct HeartRateMeasurementTests {
  @Test(
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
  func `every combination of flags has its own layout`(hex: String, value: HeartRateMeasurement)
    throws
  {
    #expect(try HeartRateMeasurement(bytes(hex)) == value)
    #expect(value.encoded == bytes(hex))
  }

  @Test(
    arguments: [
      ("0048", .notSupported), ("0248", .notSupported), ("0448", .notDetected),
      ("0648", .detected),
    ] as [(String, HeartRateMeasurement.Contact)])
  func `the two contact bits are one answer`(hex: String, expected: HeartRateMeasurement.Contact)
    throws
  {
    #expect(try HeartRateMeasurement(bytes(hex)).contact == expected)
  }

  @Test
  func `a rate of 0 is no rate: the sensor has lost the skin`() throws {
    #expect(try HeartRateMeasurement(bytes("0400")).rate == nil)
    #expect(try HeartRateMeasurement(bytes("0448")).rate == 72)
    #expect(try HeartRateMeasurement(bytes("012c01")).rate == 300)
  }

  @Test
  func `announced intervals may be absent`() throws {
    #expect(try HeartRateMeasurement(bytes("1048")).rrIntervals == [])
  }

  @Test
  func `a narrow rate in a wide field is the same rate`() throws {
    let value = try HeartRateMeasurement(bytes("014800"))
    #expect(value == HeartRateMeasurement(rawRate: 72))
    #expect(value.encoded == bytes("0048"))
  }

  @Test(
    arguments: [
      ("", .truncated(field: "flags", needed: 1, available: 0)),
      ("00", .truncated(field: "heart rate", needed: 1, available: 0)),
      ("0148", .truncated(field: "heart rate", needed: 2, available: 1)),
      ("0848e8", .truncated(field: "energy expended", needed: 2, available: 1)),
    ] as [(String, GATTError)])
  func `a frame that does not work out names the field`(hex: String, error: GATTError) {
    #expect(throws: error) { try HeartRateMeasurement(bytes(hex)) }
  }
}
