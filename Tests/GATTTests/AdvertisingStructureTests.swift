import GATT
import TestSupport
import Testing

struct AdvertisingStructureTests {
  private let vendor = BluetoothUUID(high: 0xFB00_5C80_02E7_F387, low: 0x1CAD_8ACD_2D8D_F0C8)

  @Test
  func `fields are encoded and decoded again`() throws {
    let data = try AdvertisingData(
      structures: [
        .flags([.generalDiscoverable, .classicNotSupported]), .localName("MIBFS"),
        .localName("MI", isComplete: false),
        .serviceData(.bodyCompositionService, [1, 2]),
        .serviceData(BluetoothUUID(abbreviation: 0x1234_5678), [3]),
        .manufacturerData(0x0157, [0xC8]), .txPower(-12), .appearance(0x0C40),
      ])
    #expect(
      data.encoded
        == bytes(
          "020106 06094d49424653 03084d49 05161b180102 06207856341203 04ff5701c8 020af4 0319400c"))
    #expect(try AdvertisingData(data.encoded) == data)
  }

  @Test
  func `service UUIDs are listed by their length, complete or not`() throws {
    let uuids = [
      vendor, .weightScaleService, BluetoothUUID(abbreviation: 0x1234_5678), .batteryService,
    ]
    let complete = AdvertisingStructure.serviceUUIDs(uuids)
    #expect(
      try AdvertisingData(structures: complete).encoded
        == bytes("05031d180f18 050578563412 1107c8f08d2dcd8aad1c87f3e702805c00fb"))
    let incomplete = AdvertisingStructure.serviceUUIDs(uuids, isComplete: false)
    #expect(
      incomplete.map(\.type) == [
        .incompleteServices16, .incompleteServices32, .incompleteServices128,
      ])
    #expect(AdvertisingStructure.serviceUUIDs([]) == [])
  }

  @Test
  func `a full list continues in another one`() throws {
    let short = (0..<128).map { BluetoothUUID(UInt16($0)) }
    let lists = AdvertisingStructure.serviceUUIDs(short)
    #expect(lists.map(\.data.count) == [254, 2])
    #expect(try AdvertisingData(structures: lists).serviceUUIDs == short)
    let long = (0..<16).map { BluetoothUUID(high: $0, low: 1) }
    #expect(AdvertisingStructure.serviceUUIDs(long).map(\.data.count) == [240, 16])
  }

  @Test
  func `a structure holds at most 254 bytes`() throws {
    let most = [UInt8](repeating: 1, count: 254)
    #expect(try AdvertisingStructure(type: .flags, data: most).data == most)
    let error = GATTError.oversized(count: 255, limit: 254)
    #expect(throws: error) { try AdvertisingStructure(type: .flags, data: most + [1]) }
    #expect(throws: error) {
      try AdvertisingStructure.localName(String(repeating: "x", count: 255))
    }
    #expect(throws: error) {
      try AdvertisingStructure.serviceData(.batteryService, Array(most.prefix(253)))
    }
    #expect(throws: error) {
      try AdvertisingStructure.serviceData(vendor, Array(most.prefix(239)))
    }
    #expect(throws: error) {
      try AdvertisingStructure.manufacturerData(1, Array(most.prefix(253)))
    }
  }
}
