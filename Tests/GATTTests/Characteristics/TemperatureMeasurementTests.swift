import GATT
import TestSupport
import Testing

struct TemperatureMeasurementTests {
  @Test
  func `a frame with everything in it`() throws {
    let hex = "06 6e0100ff ea07060c143008 03"
    let value = try TemperatureMeasurement(bytes(hex))
    #expect(value.unit == .celsius)
    #expect(value.temperature.doubleValue == 36.6)
    #expect(value.timeStamp?.description == "2026-06-12T20:48:08")
    #expect(value.site == .ear)
    #expect(value.encoded == bytes(hex))
  }

  @Test
  func `fahrenheit is the frame's own unit`() throws {
    let value = try TemperatureMeasurement(bytes("01 da0300ff"))
    #expect(value.unit == .fahrenheit)
    #expect(value.temperature.doubleValue == 98.6)
    #expect(value.encoded == bytes("01 da0300ff"))
  }

  @Test
  func `no measurement is not a temperature of eight million degrees`() throws {
    let value = try TemperatureMeasurement(bytes("00 ffff7f00"))
    #expect(value.temperature == .nan)
    #expect(value.temperature.doubleValue == nil)
  }

  @Test
  func `an unknown site is preserved`() throws {
    let value = try TemperatureMeasurement(bytes("04 6e0100ff 0a"))
    #expect(value.site?.rawValue == 10)
    #expect(value.encoded == bytes("04 6e0100ff 0a"))
  }

  @Test
  func `the intermediate temperature has its own number`() {
    #expect(TemperatureMeasurement.uuid.short == 0x2A1C)
    #expect(TemperatureMeasurement.intermediateUUID.short == 0x2A1E)
  }

  @Test(
    arguments: [
      ("00 6e0100", .truncated(field: "temperature", needed: 4, available: 3)),
      ("02 6e0100ff", .truncated(field: "date time", needed: 7, available: 0)),
      ("04 6e0100ff", .truncated(field: "temperature type", needed: 1, available: 0)),
    ] as [(String, GATTError)])
  func `a frame that does not work out names the field`(hex: String, error: GATTError) {
    #expect(throws: error) { try TemperatureMeasurement(bytes(hex)) }
  }
}
