import GATT
import TestSupport
import Testing

struct CharacteristicTests {
  @Test
  func `an attribute is at most 512 bytes long`() throws {
    let longest = bytes("1048") + [UInt8](repeating: 4, count: 510)
    #expect(try HeartRateMeasurement(longest).rrIntervals.count == 255)
    #expect(throws: GATTError.oversized(count: 514, limit: 512)) {
      try HeartRateMeasurement(longest + [0, 4])
    }
  }

  @Test
  func `a slice is read like an array`() throws {
    #expect(try BatteryLevel(bytes("ff39ff")[1...1]).percent == 57)
  }

  @Test
  func `every characteristic has its assigned number`() {
    #expect(BatteryLevel.uuid.short == 0x2A19)
    #expect(BloodPressureMeasurement.uuid.short == 0x2A35)
    #expect(BodyCompositionMeasurement.uuid.short == 0x2A9C)
    #expect(CurrentTime.uuid.short == 0x2A2B)
    #expect(DateTime.uuid.short == 0x2A08)
    #expect(GlucoseMeasurement.uuid.short == 0x2A18)
    #expect(HeartRateMeasurement.uuid.short == 0x2A37)
    #expect(PLXContinuousMeasurement.uuid.short == 0x2A5F)
    #expect(PLXSpotCheckMeasurement.uuid.short == 0x2A5E)
    #expect(TemperatureMeasurement.uuid.short == 0x2A1C)
    #expect(WeightMeasurement.uuid.short == 0x2A9D)
    #expect(WeightScaleFeature.uuid.short == 0x2A9E)
  }
}
