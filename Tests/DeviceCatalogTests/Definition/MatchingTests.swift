import DeviceCatalog
import GATT
import Radio
import TestSupport
import Testing

struct MatchingTests {
  private let address = DeviceAddress(rawValue: 0xA1)

  private func advertisement(
    _ structures: [AdvertisingStructure]
  ) throws -> Advertisement {
    Advertisement(
      address: address, addressType: .public, rssi: nil,
      data: try AdvertisingData(structures: structures).encoded)
  }

  private func ids(_ device: AdvertisedDevice) throws -> [String] {
    try Repository.catalog().matches(for: device).map(\.definition.id)
  }

  @Test func `the most specific comes first`() throws {
    let strap = try advertisement(
      AdvertisingStructure.serviceUUIDs([.heartRateService])
        + [.localName("Polar H10 12345678")])
    #expect(try ids(AdvertisedDevice(strap)) == ["polar-h10", "sig-heart-rate"])
    let scale = try advertisement(
      AdvertisingStructure.serviceUUIDs([.weightScaleService])
        + [.serviceData(.weightScaleService, bytes("223e30e607020e10293a"))])
    #expect(try ids(AdvertisedDevice(scale)) == ["xiaomi-mi-scale-1", "sig-weight-scale"])
  }

  @Test func `later advertisements are added`() throws {
    var device = AdvertisedDevice(
      try advertisement(AdvertisingStructure.serviceUUIDs([.heartRateService])))
    #expect(try ids(device) == ["sig-heart-rate"])
    device.merge(try advertisement([.localName("Polar Sense 12345678")]))
    #expect(try ids(device) == ["polar-verity-sense", "sig-heart-rate"])
    // A shorter name does not replace it.
    device.merge(try advertisement([.localName("Polar", isComplete: false)]))
    #expect(device.name == "Polar Sense 12345678")
  }

  @Test func `a device matches by its services alone`() throws {
    var device = AdvertisedDevice(address: address)
    #expect(try ids(device) == [])
    let service = try uuid("E95D0753-251D-470A-A062-FA1922DFA9A8")
    device.merge(services: [GATTService(uuid: service, characteristics: [])])
    #expect(try ids(device) == ["microbit-accelerometer"])
    var polar = AdvertisedDevice(address: address)
    polar.merge(services: [
      GATTService(uuid: .heartRateService, characteristics: []),
      GATTService(
        uuid: try uuid("FB005C80-02E7-F387-1CAD-8ACD2D8DF0C8"), characteristics: []),
    ])
    #expect(try ids(polar) == ["polar-h10", "sig-heart-rate"])
  }

  @Test(arguments: [0xFFF0 as UInt16, 0xFFE0, 0xFFE5, 0xFFFF])
  func `an unassigned service matches nothing`(service: UInt16) throws {
    let data = try advertisement(
      AdvertisingStructure.serviceUUIDs([BluetoothUUID(service)]))
    #expect(try ids(AdvertisedDevice(data)) == [])
  }

  @Test func `data of another length is another device`() throws {
    for count in 0..<32 where count != 13 {
      let data = try advertisement([
        .serviceData(.bodyCompositionService, [UInt8](repeating: 2, count: count))
      ])
      #expect(try ids(AdvertisedDevice(data)) == [])
    }
  }

  /// Makers mix the cases of a name.
  @Test(arguments: ["YG", "yg", "Yg", "icomon", "ICOMON", "SWAN", "swan"])
  func `a name matches in any case`(name: String) throws {
    let data = try advertisement([.localName(name)])
    #expect(try !ids(AdvertisedDevice(data)).isEmpty)
  }

  /// A thermometer of Xiaomi's advertises the service too, with data of its own.
  @Test func `a clause may exclude`() throws {
    let plain = try advertisement(
      AdvertisingStructure.serviceUUIDs([BluetoothUUID(0x1809)]))
    #expect(try ids(AdvertisedDevice(plain)) == ["sig-thermometer"])
    let beacon = AdvertisedDevice(
      Advertisement(
        address: address, addressType: .public, rssi: nil,
        data: bytes("02010603020918171695fe7022db006fc16fddf9810009002005c60d630d51")))
    #expect(try ids(beacon) == [])
    let thermometer = try #require(
      try Repository.catalog().explain(beacon).first { $0.definition.id == "sig-thermometer" })
    #expect(thermometer.missing.first?.hasPrefix("no ") == true)
  }

  @Test func `explains what matches and what is missing`() throws {
    let device = AdvertisedDevice(
      try advertisement([.manufacturerData(0x0499, bytes("03"))]))
    let catalog = try Repository.catalog()
    #expect(catalog.matches(for: device).isEmpty)
    let ruuvi = try #require(
      catalog.explain(device).first { $0.definition.id == "ruuvitag" })
    #expect(!ruuvi.isMatch)
    #expect(ruuvi.missing == ["manufacturer data 0x499 of 24 bytes beginning 05"])
    let strap = AdvertisedDevice(try advertisement([.localName("Polar H10 1")]))
    let match = try #require(catalog.matches(for: strap).first)
    #expect(match.matched == ["name begins with ‘Polar H10’"])
    #expect(match.score == 28)
  }

  @Test func `the entries of a device are bounded`() throws {
    var device = AdvertisedDevice(address: address)
    for number in 0..<1000 as Range<UInt16> {
      device.merge(
        try advertisement(
          AdvertisingStructure.serviceUUIDs([BluetoothUUID(number)])
            + [
              .serviceData(BluetoothUUID(number), [1]), .manufacturerData(number, [1]),
            ]))
    }
    #expect(device.services.count == 64)
    #expect(device.serviceData.count == 64)
    #expect(device.manufacturerData.count == 64)
    // Known entries are still updated.
    device.merge(try advertisement([.manufacturerData(7, [9])]))
    #expect(device.manufacturerData[7] == [9])
  }
}
