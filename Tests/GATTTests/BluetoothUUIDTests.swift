import GATT
import Testing

struct BluetoothUUIDTests {
  private let weightScale = BluetoothUUID(0x181D)

  @Test(
    arguments: [
      "181D", "181d", "0x181D", "0X181d", "0000181D", "0x0000181d",
      "0000181D-0000-1000-8000-00805F9B34FB", "0000181d-0000-1000-8000-00805f9b34fb",
    ])
  func `every spelling of an assigned number is the same UUID`(text: String) {
    #expect(BluetoothUUID(text) == weightScale)
  }

  @Test(
    arguments: [
      "", "0x", "18", "181", "181DD", "181G", "0000181D-0000-1000-8000", "+181", "18 D",
      "0000181D00001000800000805F9B34FB", "0000181D-0000-1000-8000-00805F9B34F",
      "0000181D-0000-1000-8000-00805F9B34FG", "١٨١D",
    ])
  func `other text is refused`(text: String) {
    #expect(BluetoothUUID(text) == nil)
  }

  @Test
  func `text is the shortest form, in upper case`() throws {
    #expect(weightScale.description == "181D")
    #expect(BluetoothUUID(0x000F).description == "000F")
    let vendor = "FB005C80-02E7-F387-1CAD-8ACD2D8DF0C8"
    #expect(try #require(BluetoothUUID(vendor)).description == vendor)
    #expect(
      BluetoothUUID(abbreviation: 0x1234_5678).description
        == "12345678-0000-1000-8000-00805F9B34FB")
  }

  @Test
  func `only UUIDs over the Bluetooth base have abbreviations`() throws {
    #expect(weightScale.short == 0x181D)
    #expect(weightScale.abbreviation == 0x181D)
    #expect(BluetoothUUID(abbreviation: 0x181D) == weightScale)
    let long = BluetoothUUID(abbreviation: 0x1_0000)
    #expect(long.short == nil)
    #expect(long.abbreviation == 0x1_0000)
    // WitMotion's UUIDs look like the base and end in 9A34FB instead of 9B34FB.
    let lookalike = try #require(BluetoothUUID("0000ffe5-0000-1000-8000-00805f9a34fb"))
    #expect(lookalike.short == nil)
    #expect(lookalike.abbreviation == nil)
    #expect(lookalike != BluetoothUUID(0xFFE5))
  }

  @Test
  func `the shortest encoding has 2, 4 or 16 bytes`() throws {
    #expect(weightScale.shortestBytes == [0x1D, 0x18])
    #expect(BluetoothUUID(abbreviation: 0x1234_5678).shortestBytes == [0x78, 0x56, 0x34, 0x12])
    let vendor = try #require(BluetoothUUID("00112233-4455-6677-8899-AABBCCDDEEFF"))
    #expect(
      vendor.shortestBytes == [
        0xFF, 0xEE, 0xDD, 0xCC, 0xBB, 0xAA, 0x99, 0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11,
        0x00,
      ])
  }

  @Test
  func `services have their assigned numbers`() {
    #expect(BluetoothUUID.weightScaleService == weightScale)
    #expect(BluetoothUUID.bodyCompositionService.short == 0x181B)
    #expect(BluetoothUUID.userDataService.short == 0x181C)
    #expect(BluetoothUUID.heartRateService.short == 0x180D)
    #expect(BluetoothUUID.batteryService.short == 0x180F)
    #expect(BluetoothUUID.bloodPressureService.short == 0x1810)
    #expect(BluetoothUUID.healthThermometerService.short == 0x1809)
    #expect(BluetoothUUID.glucoseService.short == 0x1808)
    #expect(BluetoothUUID.pulseOximeterService.short == 0x1822)
    #expect(BluetoothUUID.currentTimeService.short == 0x1805)
  }
}
