import GATT
import Radio
import RadioTestSupport
import SystemBus
import Testing

@testable import BluetoothdRadio

@Suite struct AdvertisementTests {
  static let device = DeviceObject(
    path: "/d",
    properties: [
      "Address": .string("C4:12:34:56:78:9A"), "AddressType": .string("random"),
      "Name": .string("Scale"), "RSSI": .int16(-61), "AdvertisingFlags": .bytes([6]),
      "TxPower": .int16(4), "Appearance": .uint16(0x0C80),
      "UUIDs": .array(
        of: "s",
        [
          .string("0000181d-0000-1000-8000-00805f9b34fb"),
          .string("fb005c80-02e7-f387-1cad-8acd2d8df0c8"), .string("no uuid"),
        ]),
      "ManufacturerData": .dictionary(
        of: "qv",
        [
          .uint16(0x0157): .variant(.bytes([1, 2])), .uint16(0x004C): .variant(.bytes([3])),
          .uint16(2): .variant(.string("no bytes")),
        ]),
      "ServiceData": .dictionary(
        of: "sv",
        [.string("0000181b-0000-1000-8000-00805f9b34fb"): .variant(.bytes([4, 5]))]),
    ])

  static func data(_ advertisement: Advertisement?) throws -> AdvertisingData {
    try AdvertisingData(#require(advertisement).data)
  }

  @Test func `encodes the reported fields`() throws {
    let advertisement = Advertisement(
      Self.device, reported: ["RSSI", "ManufacturerData", "ServiceData"])
    #expect(advertisement?.address == BluetoothdBench.scale)
    #expect(advertisement?.addressType == .random)
    #expect(advertisement?.rssi == -61)
    let data = try Self.data(advertisement)
    #expect(data.flags == [.generalDiscoverable, .classicNotSupported])
    #expect(data.localName == "Scale")
    #expect(data.txPower == 4)
    #expect(data.appearance == 0x0C80)
    #expect(
      data.serviceUUIDs.map(\.description) == ["181D", "FB005C80-02E7-F387-1CAD-8ACD2D8DF0C8"])
    #expect(data.manufacturerData.map(\.company) == [0x004C, 0x0157])
    #expect(data.manufacturerData(for: 0x0157) == [1, 2])
    #expect(data.serviceData(for: .bodyCompositionService) == [4, 5])
  }

  @Test func `omits data that was not reported now`() throws {
    let data = try Self.data(Advertisement(Self.device, reported: ["RSSI", "ServiceData"]))
    #expect(data.manufacturerData.isEmpty)
    #expect(data.serviceData(for: .bodyCompositionService) == [4, 5])
    #expect(data.localName == "Scale")
    let linked = try Self.data(Advertisement(linked: Self.device))
    #expect(linked.manufacturerData.isEmpty && linked.serviceData.isEmpty)
    #expect(linked.serviceUUIDs.first == .weightScaleService)
  }

  @Test(
    arguments: [
      ([], false), (["Connected"], false), (["UUIDs", "Name"], false), (["ServiceData"], true),
      (["ManufacturerData"], true), (["RSSI"], true),
    ] as [(Set<String>, Bool)])
  func `requires a reported field`(reported: Set<String>, isOne: Bool) {
    #expect((Advertisement(Self.device, reported: reported) != nil) == isOne)
  }

  @Test func `requires an address and a signal`() {
    var device = Self.device
    device.properties["RSSI"] = .int16(127)
    #expect(Advertisement(device, reported: ["RSSI"]) == nil)
    device.properties["RSSI"] = .int16(-60)
    device.properties["Address"] = .string("nonsense")
    #expect(Advertisement(device, reported: ["RSSI"]) == nil)
    #expect(Advertisement(linked: device) == nil)
  }

  @Test func `is bounded by the advertisement length`() throws {
    var device = Self.device
    device.properties["Name"] = .string(String(repeating: "x", count: 300))
    let companies = (0..<100).map {
      (BusValue.uint16($0), BusValue.variant(.bytes(Array(0..<200))))
    }
    device.properties["ManufacturerData"] = .dictionary(
      of: "qv", Dictionary(uniqueKeysWithValues: companies))
    let advertisement = try #require(Advertisement(device, reported: ["RSSI", "ManufacturerData"]))
    #expect((1...AdvertisingData.maximumLength).contains(advertisement.data.count))
    let data = try AdvertisingData(advertisement.data)
    #expect(data.localName == nil)
    #expect(data.manufacturerData(for: 0)?.count == 200)
  }
}
