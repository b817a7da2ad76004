import Care
import Foundation
import GATT
import Radio
import TestSupport
import Testing

@testable import DeviceCatalog

struct XiaomiScaleCodecTests {
  private static let address = DeviceAddress(rawValue: 0x8C_D0_B2_F6_BE_EF)
  private static let key = bytes("0728974d657a4b60964c1b1677f35f7c")
  private static let weight = bytes("4859d53b0abc078ff2348c844138e930220000009e538599")
  private static let second = bytes("4859d53b0bd6ef0b25db72785e7e2f46d6000000d8642df6")

  private func codec(
    key: [UInt8]? = key, address: DeviceAddress = address, timeZone: TimeZone = .gmt
  ) -> XiaomiScaleCodec {
    XiaomiScaleCodec(
      CodecContext(
        address: address, timeZone: timeZone,
        credentials: DeviceCredentials(key: key.map(Secret.init(_:)))))
  }

  /// Frames of real scales, in published tests: address, key, frame, kg, beats a minute, Ω.
  static let real: [(UInt64, String, String, Double, Double?, Double?)] = [
    (
      0x84_46_93_64_A5_E6, "58305740b64e4b425e518aa1f4e51339",
      "4859d53b2d3314943c58b133638c7457a4000000c3e670dc", 74.2, 52, 400.9
    ),
    (
      0x84_46_93_64_A5_E6, "58305740b64e4b425e518aa1f4e51339",
      "4859d53b3bde6bc8d05b51c0cdfd9021c9000000925c5039", 73.2, 75, 414.3
    ),
    (
      0x84_46_93_64_A5_E6, "58305740b64e4b425e518aa1f4e51339",
      "4859d53b4d6f359ce56f1f7e7e0adddc260000000c13d3c4", 73.3, nil, nil
    ),
    (
      0x84_46_93_64_A5_E6, "58305740b64e4b425e518aa1f4e51339",
      "4859d53b63bb587950e1042cac1c5f18f6000000dbe97034", 75.2, nil, nil
    ),
    // Encrypted for this test: an impedance that uses the top bit.
    (
      0x02_00_00_00_00_01, "00112233445566778899aabbccddeeff",
      "4859d53b072ee59431ca8a3a99837c0e64000000e045abeb", 80, 70, 900
    ),
  ]

  @Test(arguments: real.indices)
  func `reads real scales`(index: Int) throws {
    let (address, key, frame, kilograms, beats, ohms) = Self.real[index]
    var codec = codec(key: bytes(key), address: DeviceAddress(rawValue: address))
    let values = try codec.decode(bytes(frame)).values
    let expected: [(Quantity, Double?)] = [
      (.bodyMass, kilograms), (.heartRate, beats), (.impedance, ohms),
    ]
    #expect(values.map(\.quantity) == expected.filter { $0.1 != nil }.map(\.0))
    #expect(values.map(\.value) == expected.compactMap(\.1))
  }

  /// Eleven bits that are all set are no 204.7 kg, but a place that a scale leaves empty.
  @Test func `all ones are no weight`() throws {
    var codec = synthetic
    let values = try codec.decode(bytes("4859d53b08b5354d8474acbc209e198b610000001c1fd756")).values
    #expect(values.map(\.quantity) == [.heartRate, .impedance])
    #expect(values.map(\.value) == [70, 900])
  }

  @Test func `puts the scales time into the plans zone`() throws {
    let berlin = try #require(TimeZone(identifier: "Europe/Berlin"))
    var codec = codec(timeZone: berlin)
    let value = try #require(try codec.decode(Self.weight).values.first)
    #expect(value.time == LocalDateTime("2025-04-10T04:03:25"))
    #expect(value.userIndex == 1)
  }

  @Test func `a value is identified by its own bits`() throws {
    var codec = codec()
    let values = try codec.decode(Self.weight).values
    // Profile 1; 699, 42 << 11 and 5432 << 18; 1744250605 seconds.
    #expect(
      values.map(\.raw) == [
        bytes("01 bb020000 ed26f767"), bytes("01 00500100 ed26f767"), bytes("01 0000e054 ed26f767"),
      ])
  }

  @Test func `gives each value once`() throws {
    var codec = codec()
    #expect(try codec.decode(Self.weight).values.count == 3)
    #expect(try codec.decode(Self.weight) == FrameContent())
    #expect(try codec.decode(Self.second).values.map(\.quantity) == [.impedanceHighFrequency])
    // Repeated after the next frame, it is an old one.
    let again = try codec.decode(Self.weight)
    #expect(again.values == [])
    #expect(again.note == .replayed)
  }

  @Test func `ignores old weighings`() throws {
    // The counter goes from 0x63 back to 0x2D and then 0x3B, and the clock goes back too.
    var codec = codec(
      key: bytes(Self.real[0].1), address: DeviceAddress(rawValue: Self.real[0].0))
    let weights = try [3, 0, 1, 3].map {
      try codec.decode(bytes(Self.real[$0].2)).values.first?.value
    }
    #expect(weights == [75.2, nil, nil, nil])
    var other = self.codec(
      key: bytes(Self.real[0].1), address: DeviceAddress(rawValue: Self.real[0].0))
    let rising = try [0, 1, 2, 3].map {
      try other.decode(bytes(Self.real[$0].2)).values.first?.value
    }
    #expect(rising == [74.2, 73.2, 73.3, 75.2])
  }

  /// A codec for frames that were encrypted for these tests, with the key of the last real one.
  private var synthetic: XiaomiScaleCodec {
    codec(key: bytes(Self.real[4].1), address: DeviceAddress(rawValue: Self.real[4].0))
  }

  @Test func `gives the weight once`() throws {
    var codec = synthetic
    // 80.0 kg alone, then with 70 beats a minute and 900 Ω, of the same second.
    let first = try codec.decode(bytes("4859d53b05e9dd5e08902fddddc1af675a0000004d85227f")).values
    let then = try codec.decode(bytes("4859d53b06fd87fe43d712657d4c818deb000000d818d882")).values
    #expect(first.map(\.value) == [80])
    #expect(then.map(\.value) == [70, 900])
    // Received in the other order after a restart, it is the same weight.
    var other = synthetic
    let again = try other.decode(bytes("4859d53b06fd87fe43d712657d4c818deb000000d818d882")).values
    #expect(again.first == first.first)
    #expect(again.first?.raw == first.first?.raw)
  }

  @Test func `accepts a counter that wraps`() throws {
    var codec = synthetic
    // 255 and then 0 within one weighing.
    let frames = [
      "4859d53bffb1c6ef448270ab1a53b383b70000000c4570bf",
      "4859d53b00ba63e10a8b41da9dcca28bfb00000067cad98a",
    ]
    let quantities = try frames.map { try codec.decode(bytes($0)).values.map(\.quantity) }
    #expect(quantities == [[.bodyMass], [.impedanceHighFrequency]])
  }

  @Test func `accepts a counter that restarts`() throws {
    var codec = synthetic
    // Number 6, and a day later number 0.
    let frames = [
      "4859d53b06fd87fe43d712657d4c818deb000000d818d882",
      "4859d53b00ba63e10aaa42fad34c1189fb00000015d7b2c1",
    ]
    let weights = try frames.map { try codec.decode(bytes($0)).values.first?.value }
    #expect(weights == [80, 80.1])
  }

  @Test func `skips other objects`() throws {
    var codec = synthetic
    let content = try codec.decode(
      bytes("4859d53b032f3744c2e2fe640c43a95405ab41a778000000cc2707e9"))
    #expect(content.values.map(\.value) == [80, 70, 900])
  }

  /// Encrypted objects that are too short, truncated, and followed by a single byte.
  static let broken: [(hex: String, defect: GATTError)] = [
    (
      "4859d53b014a72658ba64f27954a041f0000004723305a",
      .truncated(field: "time", needed: 4, available: 3)
    ),
    (
      "4859d53b023251f98ecd0e1b2b000000b6a98f54",
      .truncated(field: "object", needed: 9, available: 5)
    ),
    (
      "4859d53b0416357f01eca9680b75e33ea5080000001e310cc5",
      .truncated(field: "object type", needed: 2, available: 1)
    ),
  ]

  @Test(arguments: broken.indices)
  func `refuses malformed objects`(index: Int) {
    var codec = synthetic
    #expect(throws: FrameDefect.malformed(Self.broken[index].defect)) {
      try codec.decode(bytes(Self.broken[index].hex))
    }
  }

  @Test func `reports a missing or wrong key`() throws {
    var without = codec(key: nil)
    #expect(try without.decode(Self.weight).note == .missingKey)
    for key in [bytes("02d2900363ef629c736a4549677acbee"), [UInt8](repeating: 0, count: 16)] {
      var wrong = codec(key: key)
      let content = try wrong.decode(Self.weight)
      #expect(content.values == [])
      #expect(content.note == .wrongKey)
    }
  }

  @Test func `another address does not decrypt`() throws {
    var codec = codec(address: DeviceAddress(rawValue: 0x8C_D0_B2_F6_BE_EE))
    let content = try codec.decode(Self.weight)
    #expect(content.values == [])
    #expect(content.note == .wrongKey)
  }

  @Test func `refuses an unencrypted payload`() {
    var codec = codec()
    #expect(
      throws: FrameDefect.malformed(
        .invalid(
          field: "payload", reason: "it is not encrypted, so its sender is not authenticated"))
    ) {
      try codec.decode(bytes("4059d53b08166e090320a3a08c00b95569"))
    }
  }

  @Test func `damaged frames decrypt nothing`() throws {
    var generator = SeededGenerator(seed: 400)
    var codec = codec()
    for _ in 0..<5000 {
      var frame = Self.weight
      for _ in 0..<Int.random(in: 1...3, using: &generator) {
        // The tag authenticates everything after the frame control.
        frame[Int.random(in: 2..<frame.count, using: &generator)] ^= UInt8.random(
          in: 1...255, using: &generator)
      }
      frame.removeLast(Int.random(in: 0...3, using: &generator))
      // Bytes that were changed back are the valid frame.
      guard frame != Self.weight else { continue }
      #expect((try? codec.decode(frame))?.values ?? [] == [])
    }
  }

  @Test func `a later key applies from the next frame`() throws {
    let definition = try Repository.definition("xiaomi-s400")
    var session = DeviceSession(definition: definition, address: Self.address, timeZone: .gmt)
    func hear() throws -> [SessionOutput] {
      let frame = DefinitionVector.Frame(
        at: 0, content: .source(.serviceData(try uuid("FE95")), Self.weight))
      return session.handle(
        try #require(frame.event(of: Self.address)), at: SessionBench.time(0))
    }
    #expect(try hear().notes.count == 1)
    session.trust(DeviceCredentials(key: Secret(Self.key)))
    let readings = try hear().readings
    #expect(readings.map(\.value) == [69.9, 92, 543.2])
    #expect(readings.first?.raw == bytes("01 bb020000 ed26f767"))
    // The same plan again changes nothing: given values are not given again.
    session.trust(DeviceCredentials(key: Secret(Self.key)))
    #expect(try hear() == [])
  }
}
