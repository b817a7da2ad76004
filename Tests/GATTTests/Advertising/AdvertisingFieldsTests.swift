import TestSupport
import Testing

@testable import GATT

@Suite("AdvertisingData fields")
struct AdvertisingFieldsTests {
  @Test("The whole name wins over the beginning of it, in either order")
  func names() throws {
    for hex in ["0308 4d49 0509 4d494243", "0509 4d494243 0308 4d49"] {
      let data = try AdvertisingData(bytes(hex))
      #expect(data.localName == "MIBC")
      #expect(data.completeLocalName == "MIBC")
      #expect(data.shortenedLocalName == "MI")
    }
    #expect(try AdvertisingData(bytes("0308 4d49")).localName == "MI")
  }

  @Test("A name ends at a NUL, and broken UTF-8 does not break it")
  func oddNames() throws {
    #expect(try AdvertisingData(bytes("0709 414243000000")).localName == "ABC")
    #expect(try AdvertisingData(bytes("0409 41ff42")).localName == "A\u{FFFD}B")
    #expect(try AdvertisingData(bytes("0309 c3bc")).localName == "ü")
  }

  @Test("Service UUIDs of every length, in the order of the air")
  func serviceUUIDs() throws {
    let data = try AdvertisingData(
      bytes(
        "05031d180f18 030255fe 050578563412 0504f0debc9a"
          + "1106 c8f08d2dcd8aad1c87f3e702805c00fb 1107 fb349a5f8000008000100000e5ff0000"))
    #expect(
      data.serviceUUIDs.map(\.description) == [
        "181D", "180F", "FE55", "12345678-0000-1000-8000-00805F9B34FB",
        "9ABCDEF0-0000-1000-8000-00805F9B34FB", "FB005C80-02E7-F387-1CAD-8ACD2D8DF0C8",
        "0000FFE5-0000-1000-8000-00805F9A34FB",
      ])
  }

  @Test("A list that ends inside a UUID keeps those before it")
  func oddList() throws {
    #expect(try AdvertisingData(bytes("04031d180f")).serviceUUIDs == [.weightScaleService])
    #expect(try AdvertisingData(bytes("03051d18")).serviceUUIDs == [])
  }

  @Test("Service data is found however its UUID is spelled")
  func serviceData() throws {
    for hex in [
      "04161d18aa", "06201d180000aa", "1221fb349b5f80000080001000001d180000aa",
    ] {
      let data = try AdvertisingData(bytes(hex))
      #expect(data.serviceData(for: .weightScaleService) == [0xAA])
    }
    #expect(try AdvertisingData(bytes("03161d18")).serviceData(for: .weightScaleService) == [])
  }

  @Test("Several data of the same sender are all there, the first one first")
  func repeated() throws {
    let data = try AdvertisingData(bytes("0416951601 0416951602 04ff990403 04ff990404"))
    #expect(data.serviceData.map(\.data) == [[1], [2]])
    #expect(data.serviceData(for: BluetoothUUID(0x1695)) == [1])
    #expect(data.manufacturerData.map(\.company) == [0x0499, 0x0499])
    #expect(data.manufacturerData(for: 0x0499) == [3])
  }
}
