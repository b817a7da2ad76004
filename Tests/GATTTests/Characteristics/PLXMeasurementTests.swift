import GATT
import TestSupport
import Testing

struct PLXMeasurementTests {
  @Test
  func `a spot check with everything in it`() throws {
    let hex = "1f 6100 4800 ea07060c143008 8001 200800 19f0"
    let value = try PLXSpotCheckMeasurement(bytes(hex))
    #expect(value.oximetry.saturation.doubleValue == 97)
    #expect(value.oximetry.pulseRate.doubleValue == 72)
    #expect(value.timeStamp?.description == "2026-06-12T20:48:08")
    #expect(value.status == [.validated, .fullyQualified])
    #expect(value.condition == [.lowPerfusion, .sensorUnconnectedToUser])
    #expect(value.pulseAmplitudeIndex?.doubleValue == 2.5)
    #expect(value.isClockUnset)
    #expect(value.encoded == bytes(hex))
  }

  @Test
  func `the smallest spot check`() throws {
    let value = try PLXSpotCheckMeasurement(bytes("00 cff3 f207"))
    #expect(value.oximetry.saturation.doubleValue == 97.5)
    #expect(
      value
        == PLXSpotCheckMeasurement(
          oximetry: PulseOximetry(
            saturation: .value(mantissa: 975, exponent: -1),
            pulseRate: .value(mantissa: 2034, exponent: 0))))
  }

  @Test
  func `a continuous measurement with everything in it`() throws {
    let hex = "1f 6100 4800 6000 4900 6200 4700 2000 020000 19f0"
    let value = try PLXContinuousMeasurement(bytes(hex))
    #expect(value.oximetry.saturation.doubleValue == 97)
    #expect(value.fast?.saturation.doubleValue == 96)
    #expect(value.fast?.pulseRate.doubleValue == 73)
    #expect(value.slow?.saturation.doubleValue == 98)
    #expect(value.slow?.pulseRate.doubleValue == 71)
    #expect(value.status == .measurementOngoing)
    #expect(value.condition == .equipmentMalfunction)
    #expect(value.pulseAmplitudeIndex?.doubleValue == 2.5)
    #expect(value.encoded == bytes(hex))
  }

  @Test
  func `without a finger there is no saturation`() throws {
    let value = try PLXContinuousMeasurement(bytes("08 ff07 ff07 000800"))
    #expect(value.oximetry.saturation == .nan)
    #expect(value.oximetry.pulseRate.doubleValue == nil)
    #expect(value.condition == .sensorUnconnectedToUser)
  }

  @Test(
    arguments: [
      ("00 6100", .truncated(field: "spot-check pulse rate", needed: 2, available: 0)),
      ("01 6100 4800", .truncated(field: "date time", needed: 7, available: 0)),
      ("02 6100 4800 80", .truncated(field: "measurement status", needed: 2, available: 1)),
      (
        "04 6100 4800 8001", .truncated(field: "device and sensor status", needed: 3, available: 2)
      ),
      ("08 6100 4800", .truncated(field: "pulse amplitude index", needed: 2, available: 0)),
    ] as [(String, GATTError)])
  func `a spot check that does not work out names the field`(hex: String, error: GATTError) {
    #expect(throws: error) { try PLXSpotCheckMeasurement(bytes(hex)) }
  }

  @Test(
    arguments: [
      ("00 61", .truncated(field: "normal SpO2", needed: 2, available: 1)),
      ("01 6100 4800 6000", .truncated(field: "fast pulse rate", needed: 2, available: 0)),
      ("02 6100 4800", .truncated(field: "slow SpO2", needed: 2, available: 0)),
    ] as [(String, GATTError)])
  func `a continuous measurement that does not work out names the field`(
    hex: String, error: GATTError
  ) {
    #expect(throws: error) { try PLXContinuousMeasurement(bytes(hex)) }
  }
}
