import Care
import DeviceCatalog
import GATT
import TestSupport
import Testing

/// Frames that a newer firmware has made longer, or that a link has cut.
struct FrameLengthTests {
  /// A layout of random fields after a head, of which each gives a quantity of its own.
  private func layout(
    _ random: inout SeededGenerator, atLeast least: Int = 3
  ) throws -> (definition: DeviceDefinition, length: Int) {
    let quantities = [
      "bodyMass", "bodyFatPercentage", "bodyWaterMass", "boneMass", "muscleMass", "impedance",
      "basalMetabolicRate",
    ]
    var length = 1
    var fields = ["      - {name: head, type: u8}"]
    var index = 0
    while length < least || index < 2 {
      let (type, size) =
        [("u8", 1), ("u16le", 2), ("u24be", 3), ("u32le", 4)].randomElement(using: &random)
        ?? ("u8", 1)
      let value =
        quantities.indices.contains(index)
        ? ", quantity: \(quantities[index]), scale: 0.5" : ""
      fields.append("      - {name: f\(index), type: \(type)\(value)}")
      length += size
      index += 1
    }
    let text = SampleDefinition.text(
      """
          length: 3
          fields:
            - {name: flags, type: u8}
            - {name: weight, type: u16le, quantity: bodyMass, scale: 0.005, unit: kg}
      """, "    bytes: a5\n    length: \(length)\n    fields:\n" + fields.joined(separator: "\n"))
    let file = DefinitionFile(name: "sample.yaml", text: text)
    let loaded = try DeviceCatalog.load([[file]]).definition("sample")
    return (try #require(loaded), length)
  }

  private func values(_ outputs: [SessionOutput]) -> [String] {
    outputs.readings.map { "\($0.quantity.rawValue) \($0.value)" }
  }

  @Test(arguments: 1...40 as ClosedRange<UInt64>)
  func `a longer frame equals the shorter one`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let (definition, length) = try layout(&random)
    let frame = [0xA5] + random.bytes(length - 1)
    var plain = SessionBench(definition)
    var longer = SessionBench(definition)
    let expected = try plain.value("2A9D", frame.hexString)
    #expect(!expected.readings.isEmpty && expected.notes.isEmpty)
    let tail = random.bytes(Int.random(in: 1...9, using: &random))
    let outputs = try longer.value("2A9D", (frame + tail).hexString)
    #expect(values(outputs) == values(expected))
    // It is said once.
    #expect(outputs.notes.count == 1)
    #expect(try longer.value("2A9D", (frame + tail).hexString, at: 1).notes.isEmpty)
    // One that is too short is refused.
    var shorter = SessionBench(definition)
    let cut = try shorter.value("2A9D", frame.dropLast().map(\.self).hexString)
    #expect(length - 1 == 20 || cut.readings.isEmpty && cut.rejections.count == 1)
  }

  @Test(arguments: 1...40 as ClosedRange<UInt64>)
  func `a frame that is cut gives its whole fields`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let (definition, length) = try layout(&random, atLeast: 21)
    let frame = [0xA5] + random.bytes(length - 1)
    var plain = SessionBench(definition)
    let expected = values(try plain.value("2A9D", frame.hexString))
    var bench = SessionBench(definition)
    let outputs = try bench.value("2A9D", frame.prefix(20).map(\.self).hexString)
    let found = values(outputs)
    #expect(!found.isEmpty && found == Array(expected.prefix(found.count)))
    #expect(outputs.rejections.isEmpty && outputs.notes.count == 1)
  }

  /// Adopted characteristics that are longer or shorter than their flags announce.
  @Test(
    arguments: [
      (
        "sig-blood-pressure", "2A35", "0078005000 5d00 0500",
        "bloodPressureSystolic 120.0"
      ),
      ("sig-heart-rate", "2A37", "0048 00", "heartRate 72.0"),
      ("sig-weight-scale", "2A9D", "02783eea07050c123536 0102", "bodyMass 79.96"),
      ("sig-thermometer", "2A1C", "006e0100ff 03", "bodyTemperature 36.6"),
      ("sig-fitness-machine", "2AD1", "ff0a34cb0000c000cf00320027008c0000540000", "power 50.0"),
      ("sig-fitness-machine", "2ACD", "9e1f5100b2005800000000ff7f0000ffff0c0097", "speed 0.225"),
      ("sig-cycling-power", "2A63", "0000 8b00 00", "power 139.0"),
    ])
  func `a frame of another length than its flags say is read, and that is said once`(
    id: String, characteristic: String, hex: String, expected: String
  ) throws {
    var bench = try SessionBench(id)
    let outputs = try bench.value(characteristic, hex)
    #expect(values(outputs).first == expected)
    #expect(outputs.notes.count == 1 && outputs.rejections.isEmpty)
    let again = try bench.value(characteristic, hex, at: 3600)
    #expect(again.notes.isEmpty)
  }

  @Test func `a frame alone is decoded with the reason why something of it was not read`() throws {
    let frame = try Repository.catalog().frame(
      of: BluetoothUUID(0x2A37), bytes: bytes("0048 0004"))
    #expect(frame.values.map(\.value) == [72])
    #expect(frame.layout == .otherLength(count: 4, expected: 2))
  }

  /// A cuff that appends its user also sends its pulse with the high byte first.
  @Test func `of a longer frame only what can be is read`() throws {
    let frame = bytes("566a0047000000ea07080b121f00003f000000")
    let read = try CharacteristicDecoding.decode(BluetoothUUID(0x2A35), bytes: frame)
    #expect(read.map(\.value) == [106, 71])
    // Of another layout nothing can be.
    let other = bytes("fe202700750055005f00e407091810093a690001")
    #expect(throws: DecodeError.malformed(.malformed(.trailing(count: 1)))) {
      try CharacteristicDecoding.decode(BluetoothUUID(0x2A35), bytes: other)
    }
  }
}
