import GATT
import Radio
import TestSupport
import Testing

@testable import DeviceCatalog

struct MiBeaconTests {
  private let sender = DeviceAddress(rawValue: 0x84_46_93_64_A5_E6)

  @Test func `reads an encrypted beacon`() throws {
    let beacon = try MiBeacon(
      bytes("4859 d53b 0a bc078ff2348c844138e93022 000102 9e538599"), from: sender)
    #expect(beacon.product == 0x3BD5)
    #expect(beacon.counter == MiBeacon.Counter(low: 10, high: [0, 1, 2]))
    #expect(
      beacon.payload
        == .sealed(
          message: bytes("bc078ff2348c844138e93022"), tag: bytes("9e538599"),
          nonceMiddle: bytes("d53b0a")))
  }

  @Test func `skips address and abilities`() throws {
    // With the address, with abilities, and with abilities that announce inputs and outputs.
    for (control, header) in [
      ("58", "e6a564934684"), ("68", "00"), ("68", "20 01"), ("78", "e6a564934684 20 01"),
    ] {
      let beacon = try MiBeacon(
        bytes("\(control)59 d53b 0a \(header) 0102 000000 9e538599"), from: sender)
      #expect(
        beacon.payload
          == .sealed(message: [1, 2], tag: bytes("9e538599"), nonceMiddle: bytes("d53b0a")))
    }
  }

  @Test func `recognises an unencrypted payload`() throws {
    #expect(try MiBeacon(bytes("1059d53b06e6a564934684"), from: sender).payload == .none)
    #expect(try MiBeacon(bytes("4059d53b08166e03010203"), from: sender).payload == .clear)
  }

  /// Refused beacons with the reasons.
  static let refused: [(hex: String, error: GATTError)] = [
    ("", .truncated(field: "frame control", needed: 2, available: 0)),
    ("4859d53b", .truncated(field: "frame counter", needed: 1, available: 0)),
    ("5859d53b0ae6a5", .truncated(field: "address", needed: 6, available: 2)),
    ("4859d53b0a00000000000000", .truncated(field: "encrypted payload", needed: 8, available: 7)),
    (
      "c859d53b0abc078ff2348c844138e930220000009e538599",
      .invalid(field: "frame control", reason: "it is of a mesh, or of a version before 4")
    ),
    (
      "4839d53b0abc078ff2348c844138e930220000009e538599",
      .invalid(field: "frame control", reason: "it is of a mesh, or of a version before 4")
    ),
    (
      "1059d53b06e6a564934685",
      .invalid(field: "address", reason: "the beacon was sent by another device")
    ),
  ]

  @Test(arguments: refused.indices)
  func refuses(index: Int) {
    #expect(throws: Self.refused[index].error) {
      try MiBeacon(bytes(Self.refused[index].hex), from: sender)
    }
  }

  /// An earlier and a later counter: low byte and the three above it, lowest first.
  static let counters: [(UInt8, [UInt8], UInt8, [UInt8])] = [
    (10, [0, 0, 0], 11, [0, 0, 0]), (10, [0, 0, 0], 137, [0, 0, 0]),
    (255, [0, 0, 0], 0, [0, 0, 0]),
    (200, [0, 0, 0], 3, [1, 0, 0]), (0, [255, 0, 0], 0, [0, 1, 0]),
    (9, [255, 255, 0], 1, [0, 0, 1]),
  ]

  @Test(arguments: counters.indices)
  func `counters follow each other`(index: Int) {
    let (low, high, laterLow, laterHigh) = Self.counters[index]
    let earlier = MiBeacon.Counter(low: low, high: high)
    let later = MiBeacon.Counter(low: laterLow, high: laterHigh)
    #expect(later.follows(earlier))
    #expect(!earlier.follows(later))
    #expect(!later.follows(later))
  }

  @Test func `finds the objects`() throws {
    let objects = try MiBeacon.objects(in: bytes("0a1001 64 166e02 0102 0b1000"))
    #expect(objects.map(\.type) == [0x100A, 0x6E16, 0x100B])
    #expect(objects.map(\.bytes) == [[0x64], [1, 2], []])
    #expect(throws: GATTError.truncated(field: "object", needed: 3, available: 2)) {
      try MiBeacon.objects(in: bytes("166e030102"))
    }
  }
}
