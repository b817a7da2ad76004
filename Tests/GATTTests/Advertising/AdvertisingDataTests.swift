import TestSupport
import Testing

@testable import GATT

@Suite("AdvertisingData")
struct AdvertisingDataTests {
  @Test("A Mi scale's advertisement, read field by field")
  func miScale() throws {
    let hex =
      "020106 03021b18 10161b180226e607020e10293af7019a38 05ff5701c821 06094d49424653"
      + "020af4 0319400c"
    let data = try AdvertisingData(bytes(hex))
    #expect(data.flags == [.generalDiscoverable, .classicNotSupported])
    #expect(data.serviceUUIDs == [.bodyCompositionService])
    #expect(
      data.serviceData(for: .bodyCompositionService) == bytes("0226e607020e10293af7019a38"))
    #expect(data.serviceData(for: .weightScaleService) == nil)
    #expect(data.manufacturerData(for: 0x0157) == bytes("c821"))
    #expect(data.manufacturerData(for: 0x0499) == nil)
    #expect(data.localName == "MIBFS")
    #expect(data.txPower == -12)
    #expect(data.appearance == 0x0C40)
    #expect(data.encoded == bytes(hex))
  }

  @Test("Nothing is an advertisement that says nothing")
  func empty() throws {
    let data = try AdvertisingData([UInt8]())
    #expect(data.structures == [])
    #expect(data.flags == nil)
    #expect(data.localName == nil)
    #expect(data.txPower == nil)
    #expect(data.appearance == nil)
    #expect(data.serviceUUIDs == [])
    #expect(data.serviceData == [])
    #expect(data.manufacturerData == [])
    #expect(data.encoded == [])
  }

  @Test(
    "A zero length ends the advertisement early, whatever follows", arguments: ["", "00", "05ff"])
  func earlyEnd(rest: String) throws {
    let data = try AdvertisingData(bytes("020106 00" + rest))
    #expect(data.structures.count == 1)
    #expect(data.encoded == bytes("020106"))
  }

  @Test("A structure longer than the rest is an error that leaves those before it")
  func truncated() {
    let input = bytes("020106 0509414243")
    let error = GATTError.truncated(field: "AD structure", needed: 5, available: 4)
    #expect(throws: error) { try AdvertisingData(input) }
    let (data, defect) = AdvertisingData.readable(in: input)
    #expect(defect == error)
    #expect(data.flags == [.generalDiscoverable, .classicNotSupported])
    #expect(data.structures.count == 1)
  }

  @Test("A length without a structure is an error")
  func loneLength() {
    #expect(throws: GATTError.truncated(field: "AD structure", needed: 255, available: 0)) {
      try AdvertisingData([0xFF])
    }
  }

  @Test("A structure may have a type and no data")
  func noData() throws {
    let data = try AdvertisingData(bytes("0101 0109 010a 0216aa 02ffaa 021941"))
    #expect(data.flags == nil)
    #expect(data.localName == "")
    #expect(data.txPower == nil)
    #expect(data.appearance == nil)
    #expect(data.serviceData == [])
    #expect(data.manufacturerData == [])
  }

  @Test("At most 1650 bytes are read")
  func limit() throws {
    let longest = [UInt8](repeating: 0, count: 1650)
    #expect(try AdvertisingData(longest).structures == [])
    let error = GATTError.oversized(count: 1651, limit: 1650)
    #expect(throws: error) { try AdvertisingData(longest + [0]) }
    let (data, defect) = AdvertisingData.readable(in: longest + [0])
    #expect(defect == error)
    #expect(data.structures == [])
  }

  @Test("At most 1650 bytes are made")
  func madeLimit() throws {
    let full = try AdvertisingStructure(
      type: .manufacturerData, data: [UInt8](repeating: 7, count: 254))
    let rest = try AdvertisingStructure(
      type: .manufacturerData, data: [UInt8](repeating: 7, count: 112))
    let structures = [AdvertisingStructure](repeating: full, count: 6)
    #expect(try AdvertisingData(structures: structures + [rest]).encoded.count == 1650)
    #expect(throws: GATTError.oversized(count: 1652, limit: 1650)) {
      try AdvertisingData(
        structures: structures + [rest, AdvertisingStructure(type: rest.type, data: [])])
    }
  }
}
