import GATT
import TestSupport
import Testing

struct GlucoseMeasurementTests {
  @Test
  func `a record with everything in it`() throws {
    let hex = "1b 0500 ea07060c143008 c4ff 5fb0 11 0100"
    let value = try GlucoseMeasurement(bytes(hex))
    #expect(value.sequenceNumber == 5)
    #expect(value.baseTime.description == "2026-06-12T20:48:08")
    #expect(value.timeOffset == -60)
    let concentration = try #require(value.concentration)
    #expect(concentration.unit == .kilogramsPerLitre)
    #expect(concentration.value.doubleValue == 0.00095)
    #expect(concentration.type == 1)
    #expect(concentration.location == 1)
    #expect(value.status == .batteryLow)
    #expect(value.hasContext)
    #expect(value.encoded == bytes(hex))
  }

  @Test
  func `a concentration in mol/L`() throws {
    let hex = "06 0600 ea07060c143008 37c0 f8"
    let concentration = try #require(try GlucoseMeasurement(bytes(hex)).concentration)
    #expect(concentration.unit == .molesPerLitre)
    #expect(concentration.value.doubleValue == 0.0055)
    #expect(concentration.type == 8)
    #expect(concentration.location == 15)
    #expect(try GlucoseMeasurement(bytes(hex)).encoded == bytes(hex))
  }

  @Test(
    arguments: [("1a", true), ("41", true), ("11", false)])
  func `a control solution is not a person's blood`(nibbles: String, isControl: Bool) throws {
    let value = try GlucoseMeasurement(bytes("02 0600 ea07060c143008 5fb0" + nibbles))
    #expect(value.concentration?.isControlSolution == isControl)
  }

  @Test
  func `type and location keep to their 4 bits`() {
    let value = GlucoseMeasurement.Concentration(
      value: .nan, unit: .molesPerLitre, type: 0xF1, location: 0x32)
    #expect(value.type == 1)
    #expect(value.location == 2)
  }

  @Test
  func `a record without a concentration`() throws {
    let value = try GlucoseMeasurement(bytes("00 ffff ea07060c143008"))
    #expect(
      value
        == GlucoseMeasurement(
          sequenceNumber: 0xFFFF,
          baseTime: DateTime(year: 2026, month: 6, day: 12, hour: 20, minute: 48, second: 8)))
  }

  @Test(
    arguments: [
      ("00 05", .truncated(field: "sequence number", needed: 2, available: 1)),
      ("00 0500 ea07", .truncated(field: "date time", needed: 7, available: 2)),
      ("01 0500 ea07060c143008 c4", .truncated(field: "time offset", needed: 2, available: 1)),
      (
        "02 0500 ea07060c143008",
        .truncated(field: "glucose concentration", needed: 2, available: 0)
      ),
      (
        "02 0500 ea07060c143008 5fb0",
        .truncated(field: "type-sample location", needed: 1, available: 0)
      ),
      (
        "08 0500 ea07060c143008",
        .truncated(field: "sensor status annunciation", needed: 2, available: 0)
      ),
    ] as [(String, GATTError)])
  func `a record that does not work out names the field`(hex: String, error: GATTError) {
    #expect(throws: error) { try GlucoseMeasurement(bytes(hex)) }
  }
}
