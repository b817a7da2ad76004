import GATT
import TestSupport
import Testing

struct WeightMeasurementTests {
  @Test
  func `a frame of a BF720 with everything in it`() throws {
    let value = try WeightMeasurement(bytes("0e783eea07050c12353601ee002607"))
    #expect(value.unitSystem == .si)
    #expect(value.rawWeight == 15_992)
    #expect(value.weight?.doubleValue == 79.96)
    #expect(value.timeStamp?.description == "2026-05-12T18:53:54")
    #expect(value.userIndex == 1)
    #expect(value.bodyMassIndex?.doubleValue == 23.8)
    #expect(value.height?.doubleValue == 1.83)
    #expect(value.encoded == bytes("0e783eea07050c12353601ee002607"))
  }

  @Test
  func `a frame of a BF788 with everything in it`() throws {
    let value = try WeightMeasurement(bytes("0e205cea07070e1729200140018007"))
    #expect(value.weight?.doubleValue == 117.92)
    #expect(value.timeStamp?.description == "2026-07-14T23:41:32")
    #expect(value.userIndex == 1)
    #expect(value.bodyMassIndex?.doubleValue == 32)
    #expect(value.height?.doubleValue == 1.92)
  }

  @Test(
    arguments: [
      ("00 783e", WeightMeasurement(rawWeight: 15_992)),
      (
        "02 783e ea07050c123536",
        WeightMeasurement(
          rawWeight: 15_992,
          timeStamp: DateTime(year: 2026, month: 5, day: 12, hour: 18, minute: 53, second: 54))
      ),
      ("04 783e 02", WeightMeasurement(rawWeight: 15_992, userIndex: 2)),
      (
        "08 783e ee002607",
        WeightMeasurement(
          rawWeight: 15_992, build: .init(rawBodyMassIndex: 238, rawHeight: 1830))
      ),
      ("01 de44", WeightMeasurement(unitSystem: .imperial, rawWeight: 17_630)),
    ])
  func `each flag stands for its own field`(hex: String, value: WeightMeasurement) throws {
    #expect(try WeightMeasurement(bytes(hex)) == value)
    #expect(value.encoded == bytes(hex))
  }

  @Test
  func `user 0xFF is no user`() throws {
    #expect(try WeightMeasurement(bytes("04783eff")).userIndex == nil)
    #expect(try WeightMeasurement(bytes("04783e00")).userIndex == 0)
  }

  @Test
  func `an unsuccessful weighing has a time stamp and a user`() throws {
    let value = try WeightMeasurement(bytes("06 ffff ea07050c123536 01"))
    #expect(value.weight == nil)
    #expect(value.timeStamp?.year == 2026)
    #expect(value.userIndex == 1)
    #expect(value.encoded == bytes("06 ffff ea07050c123536 01"))
  }

  @Test
  func `reserved flag bits are ignored if the length agrees`() throws {
    let value = try WeightMeasurement(bytes("f0783e"))
    #expect(value == WeightMeasurement(rawWeight: 15_992))
    #expect(value.encoded == bytes("00783e"))
  }

  @Test(
    arguments: [
      ("", "flags", 1, 0), ("0e", "weight", 2, 0), ("0e78", "weight", 2, 1),
      ("0e783eea07", "date time", 7, 2), ("0e783eea07050c123536", "user ID", 1, 0),
      ("0e783eea07050c12353601", "BMI", 2, 0), ("0e783eea07050c12353601ee0026", "height", 2, 1),
    ])
  func `a frame that ends early names the field`(
    hex: String, field: String, needed: Int, available: Int
  ) {
    #expect(throws: GATTError.truncated(field: field, needed: needed, available: available)) {
      try WeightMeasurement(bytes(hex))
    }
  }
}
