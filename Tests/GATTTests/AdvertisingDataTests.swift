import GATT
import TestSupport
import Testing

struct AdvertisingDataTests {
  @Test
  func `a Mi scale's advertisement, read field by field`() throws {
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

  @Test
  func `an empty advertisement has no fields`() throws {
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
    arguments: ["", "00", "05ff"])
  func `a zero length ends the advertisement early`(rest: String) throws {
    let data = try AdvertisingData(bytes("020106 00" + rest))
    #expect(data.structures.count == 1)
    #expect(data.encoded == bytes("020106"))
  }

  @Test
  func `a structure longer than the rest is an error`() {
    let input = bytes("020106 0509414243")
    let error = GATTError.truncated(field: "AD structure", needed: 5, available: 4)
    #expect(throws: error) { try AdvertisingData(input) }
    let (data, defect) = AdvertisingData.readable(in: input)
    #expect(defect == error)
    #expect(data.flags == [.generalDiscoverable, .classicNotSupported])
    #expect(data.structures.count == 1)
  }

  @Test
  func `a length without a structure is an error`() {
    #expect(throws: GATTError.truncated(field: "AD structure", needed: 255, available: 0)) {
      try AdvertisingData([0xFF])
    }
  }

  @Test
  func `a structure may have a type and no data`() throws {
    let data = try AdvertisingData(bytes("0101 0109 010a 0216aa 02ffaa 021941"))
    #expect(data.flags == nil)
    #expect(data.localName == "")
    #expect(data.txPower == nil)
    #expect(data.appearance == nil)
    #expect(data.serviceData == [])
    #expect(data.manufacturerData == [])
  }

  @Test
  func `at most 1650 bytes are read`() throws {
    let longest = [UInt8](repeating: 0, count: 1650)
    #expect(try AdvertisingData(longest).structures == [])
    let error = GATTError.oversized(count: 1651, limit: 1650)
    #expect(throws: error) { try AdvertisingData(longest + [0]) }
    let (data, defect) = AdvertisingData.readable(in: longest + [0])
    #expect(defect == error)
    #expect(data.structures == [])
  }

  @Test
  func `at most 1650 bytes are made`() throws {
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

// MARK: - Fields

struct AdvertisingFieldsTests {
  @Test
  func `the complete name is preferred over the shortened one, in either order`() throws {
    for hex in ["0308 4d49 0509 4d494243", "0509 4d494243 0308 4d49"] {
      let data = try AdvertisingData(bytes(hex))
      #expect(data.localName == "MIBC")
      #expect(data.completeLocalName == "MIBC")
      #expect(data.shortenedLocalName == "MI")
    }
    #expect(try AdvertisingData(bytes("0308 4d49")).localName == "MI")
  }

  @Test
  func `a name ends at a NUL, and invalid UTF-8 is replaced`() throws {
    #expect(try AdvertisingData(bytes("0709 414243000000")).localName == "ABC")
    #expect(try AdvertisingData(bytes("0409 41ff42")).localName == "A\u{FFFD}B")
    #expect(try AdvertisingData(bytes("0309 c3bc")).localName == "ü")
  }

  @Test
  func `service UUIDs of every length, in transmission order`() throws {
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

  @Test
  func `a list that ends inside a UUID keeps those before it`() throws {
    #expect(try AdvertisingData(bytes("04031d180f")).serviceUUIDs == [.weightScaleService])
    #expect(try AdvertisingData(bytes("03051d18")).serviceUUIDs == [])
  }

  @Test
  func `service data is found for every length of its UUID`() throws {
    for hex in [
      "04161d18aa", "06201d180000aa", "1221fb349b5f80000080001000001d180000aa",
    ] {
      let data = try AdvertisingData(bytes(hex))
      #expect(data.serviceData(for: .weightScaleService) == [0xAA])
    }
    #expect(try AdvertisingData(bytes("03161d18")).serviceData(for: .weightScaleService) == [])
  }

  @Test
  func `repeated data of one sender are all read, in order`() throws {
    let data = try AdvertisingData(bytes("0416951601 0416951602 04ff990403 04ff990404"))
    #expect(data.serviceData.map(\.data) == [[1], [2]])
    #expect(data.serviceData(for: BluetoothUUID(0x1695)) == [1])
    #expect(data.manufacturerData.map(\.company) == [0x0499, 0x0499])
    #expect(data.manufacturerData(for: 0x0499) == [3])
  }
}

// MARK: - Properties

struct AdvertisingPropertyTests {
  private static let frames = [
    bytes("020106 03021b18 10161b180226e607020e10293af7019a38 05ff5701c821"),
    bytes("020106 1107c8f08d2dcd8aad1c87f3e702805c00fb 0a09506f6c617220483130"),
    bytes("06201d180000aa 0308 4d49 020af4 0319400c 0000"),
  ]

  @Test
  func `malformed inputs are read up to their defect and not beyond`() {
    var source = MalformedBytes(varying: Self.frames, seed: 1650)
    var broken: [[UInt8]] = []
    var whole = 0
    let count = Rounds.count(100_000)
    for _ in 0..<count {
      let input = source.next()
      let (data, defect) = AdvertisingData.readable(in: input)
      if !input.starts(with: data.encoded) || !Self.isConsistent(data) { broken.append(input) }
      do throws(GATTError) {
        if try AdvertisingData(input) != data || defect != nil { broken.append(input) }
        whole += 1
      } catch {
        if error != defect { broken.append(input) }
      }
    }
    #expect(broken.prefix(3) == [])
    #expect(whole > count / 10 && whole < count / 10 * 9)
  }

  /// Whether the fields agree with the structures.
  private static func isConsistent(_ data: AdvertisingData) -> Bool {
    let kinds = Set(data.structures.map(\.type))
    let isNamed = kinds.contains(.completeLocalName) || kinds.contains(.shortenedLocalName)
    return (data.localName != nil) == isNamed
      && (data.flags == nil || kinds.contains(.flags))
      && (data.txPower == nil || kinds.contains(.txPower))
      && (data.appearance == nil || kinds.contains(.appearance))
      && data.serviceData.allSatisfy { data.serviceData(for: $0.uuid) != nil }
      && data.manufacturerData.allSatisfy { data.manufacturerData(for: $0.company) != nil }
      && data.serviceUUIDs.count <= data.encoded.count / 2
  }

  @Test(arguments: 0..<50 as Range<UInt64>)
  func `encoded structures are decoded to the same values`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let uuids = (0..<Int.random(in: 0...20, using: &generator)).map { _ in
      let bits = generator.next()
      return switch bits % 3 {
      case 0: BluetoothUUID(UInt16(truncatingIfNeeded: bits >> 8))
      case 1: BluetoothUUID(abbreviation: UInt32(truncatingIfNeeded: bits >> 8) | 0x1_0000)
      default: BluetoothUUID(high: bits, low: generator.next())
      }
    }
    let payload = generator.bytes(Int.random(in: 0...200, using: &generator))
    var structures = AdvertisingStructure.serviceUUIDs(uuids)
    for uuid in uuids.prefix(3) { structures.append(try .serviceData(uuid, payload)) }
    structures.append(try .manufacturerData(0x0499, payload))
    structures.append(.txPower(Int8(truncatingIfNeeded: generator.next())))

    let data = try AdvertisingData(structures: structures)
    #expect(try AdvertisingData(data.encoded) == data)
    #expect(Set(data.serviceUUIDs) == Set(uuids))
    #expect(data.serviceData.map(\.uuid) == Array(uuids.prefix(3)))
    #expect(data.manufacturerData(for: 0x0499) == payload)
  }
}
