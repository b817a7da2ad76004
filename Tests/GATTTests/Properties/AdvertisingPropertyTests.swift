import TestSupport
import Testing

@testable import GATT

@Suite("AdvertisingData properties")
struct AdvertisingPropertyTests {
  private static let frames = [
    bytes("020106 03021b18 10161b180226e607020e10293af7019a38 05ff5701c821"),
    bytes("020106 1107c8f08d2dcd8aad1c87f3e702805c00fb 0a09506f6c617220483130"),
    bytes("06201d180000aa 0308 4d49 020af4 0319400c 0000"),
  ]

  @Test("100 000 foreign inputs are read up to their defect and never beyond")
  func foreign() {
    var source = ForeignBytes(varying: Self.frames, seed: 1650)
    var broken: [[UInt8]] = []
    var whole = 0
    for _ in 0..<100_000 {
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
    #expect(whole > 10_000 && whole < 90_000)
  }

  /// Whether what the fields say is what the structures hold.
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

  @Test("What is made is read again", arguments: 0..<50 as Range<UInt64>)
  func roundTrip(seed: UInt64) throws {
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
