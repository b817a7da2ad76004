import GATT
import TestSupport
import Testing

struct BloodPressureMeasurementTests {
  @Test
  func `a frame with everything in it`() throws {
    let hex = "1e 7800 5000 5d00 ea07060c143008 4200 01 0500"
    let value = try BloodPressureMeasurement(bytes(hex))
    #expect(value.unit == .millimetresOfMercury)
    #expect(value.systolic.doubleValue == 120)
    #expect(value.diastolic.doubleValue == 80)
    #expect(value.meanArterial.doubleValue == 93)
    #expect(value.timeStamp?.description == "2026-06-12T20:48:08")
    #expect(value.pulseRate?.doubleValue == 66)
    #expect(value.userIndex == 1)
    #expect(value.status == [.bodyMovement, .irregularPulse])
    #expect(value.encoded == bytes(hex))
  }

  @Test
  func `pressures in kPa have their decimals`() throws {
    let value = try BloodPressureMeasurement(bytes("01 a0f0 6bf0 7cf0"))
    #expect(value.unit == .kilopascals)
    #expect(value.systolic.doubleValue == 16)
    #expect(value.diastolic.doubleValue == 10.7)
    #expect(value.meanArterial.doubleValue == 12.4)
    #expect(value.encoded == bytes("01 a0f0 6bf0 7cf0"))
  }

  @Test
  func `an intermediate frame has a cuff pressure and nothing else`() throws {
    let value = try BloodPressureMeasurement(bytes("00 8c00 ff07 ff07"))
    #expect(value.systolic.doubleValue == 140)
    #expect(value.diastolic == .nan)
    #expect(value.meanArterial == .nan)
    #expect(value.diastolic.doubleValue == nil)
    #expect(BloodPressureMeasurement.intermediateUUID.short == 0x2A36)
    #expect(BloodPressureMeasurement.uuid.short == 0x2A35)
  }

  @Test
  func `a pulse that is not a number is no pulse, and user 0xFF is no user`() throws {
    let value = try BloodPressureMeasurement(bytes("0c 7800 5000 5d00 ff07 ff"))
    #expect(value.pulseRate == .nan)
    #expect(value.userIndex == nil)
  }

  @Test(
    arguments: [
      ("1e", .truncated(field: "systolic", needed: 2, available: 0)),
      ("1e 7800 50", .truncated(field: "diastolic", needed: 2, available: 1)),
      ("1e 7800 5000", .truncated(field: "mean arterial pressure", needed: 2, available: 0)),
      ("1e 7800 5000 5d00 ea07", .truncated(field: "date time", needed: 7, available: 2)),
      ("04 7800 5000 5d00", .truncated(field: "pulse rate", needed: 2, available: 0)),
      ("08 7800 5000 5d00", .truncated(field: "user ID", needed: 1, available: 0)),
      ("10 7800 5000 5d00 05", .truncated(field: "measurement status", needed: 2, available: 1)),
    ] as [(String, GATTError)])
  func `a frame that does not work out names the field`(hex: String, error: GATTError) {
    #expect(throws: error) { try BloodPressureMeasurement(bytes(hex)) }
  }
}
