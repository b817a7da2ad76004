import Care
import TestSupport
import Testing

@testable import DeviceCatalog

struct RecordInterpreterTests {
  /// The content of a frame by the fields of a record of the characteristic 2A9D in YAML.
  private func read(
    _ fields: [String], _ hex: String, extra: String = "streamed: false"
  ) throws -> FrameContent {
    let list = fields.map { "\n      - \($0)" }.joined()
    let old = SampleDefinition.lines.split(separator: "    length: 3\n")[1]
      .split(separator: "vectors:")[0]
    let definition = try SampleDefinition.definition(
      "    length: 3\n" + old, "    \(extra)\n    fields:\(list)\n")
    var decoders = FrameDecoders(definition)
    let decoded = try decoders.decode(bytes(hex), from: .characteristic(try uuid("2A9D")))
    return try #require(decoded).content
  }

  private let flags = "{name: flags, type: u8}"

  @Test func `fields follow each other`() throws {
    let content = try read(
      [
        flags, "{name: weight, type: u16le, quantity: bodyMass, scale: 0.005}",
        "{name: fat, type: u16be, quantity: bodyFatPercentage, scale: 0.1}",
      ], "03 803e 00c8")
    #expect(content.values.map(\.value) == [80, 20])
    #expect(
      ["flags", "weight", "fat", "other"].map { content.fields[$0] } == [3, 16_000, 200, nil])
    #expect(["flags", "weight", "other"].map(content.fields.place) == [0..<1, 1..<3, nil])
  }

  @Test func `an absent field takes no bytes`() throws {
    let fields = [
      flags, "{name: a, type: u16le, if: flags.0, quantity: height, unit: cm}",
      "{name: b, type: u8, if: not flags.0, quantity: height, unit: cm}",
    ]
    #expect(try read(fields, "01 b400").values.map(\.sourceValue?.value) == [180])
    #expect(try read(fields, "00 aa").values.map(\.sourceValue?.value) == [170])
  }

  @Test func `an invalid field takes its bytes`() throws {
    let fields = [
      flags, "{name: a, type: u16le, validIf: flags.0, invalid: [0, 0xFFFD], quantity: impedance}",
      "{name: b, type: u8, quantity: heartRate}",
    ]
    #expect(try read(fields, "01 f401 48").values.map(\.value) == [500, 72])
    #expect(try read(fields, "00 f401 48").values.map(\.value) == [72])
    #expect(try read(fields, "01 fdff 48").values.map(\.value) == [72])
    #expect(try read(fields, "01 0000 48").values.map(\.value) == [72])
  }

  @Test func `a field repeats to the end`() throws {
    let fields = [
      flags, "{name: rr, type: u16le, repeat: toEnd, quantity: rrInterval, scale: 1/1024}",
    ]
    #expect(try read(fields, "00 0004 0002 0001").values.map(\.value) == [1, 0.5, 0.25])
    #expect(
      throws: FrameDefect.truncatedField("rr", bytes: 3..<5, count: 4)
    ) { try read(fields, "00 0004 00") }
  }

  @Test func `the unit depends on a flag`() throws {
    let fields = [
      flags,
      "{name: w, type: u16le, quantity: bodyMass, scales: ["
        + "{if: flags.0, scale: 0.01, unit: lb}, {scale: 0.005, unit: kg}]}",
    ]
    #expect(try read(fields, "00 803e").values.map(\.value) == [80])
    let pounds = try #require(try read(fields, "01 803e").values.first)
    #expect(abs(pounds.value - 72.5747792) < 1e-12)
    #expect(pounds.sourceValue == SourceValue(value: 160, unit: .pound))
  }

  @Test func `a field may use some bits`() throws {
    let fields = [
      "{name: power, type: u16be, bits: {first: 5, count: 11}, quantity: batteryVoltage,"
        + " offset: 1600, unit: mV, invalid: [2047]}",
      "{name: tx, at: 0, type: u16be, bits: {first: 0, count: 5}}",
    ]
    let content = try read(fields, "ac36")
    #expect(content.values.map(\.value) == [2.977])
    #expect(content.fields["tx"] == 22)
    #expect(try read(fields, "ffff").values == [])
  }

  @Test func `time and user are on every value`() throws {
    let fields = [
      "{name: weight, type: u16le, quantity: bodyMass, scale: 0.005}",
      "{name: slot, type: u8}", "{name: time, type: dateTime}",
    ]
    let content = try read(fields, "803e 02 ea07050c123536", extra: "user: slot")
    #expect(content.values.map(\.userIndex) == [2])
    #expect(content.values.map(\.time?.description) == ["2026-05-12T18:53:54"])
    let unknown = try read(fields, "803e ff ea07000c123536", extra: "user: slot")
    #expect(unknown.values.map(\.userIndex) == [nil])
    #expect(unknown.values.map(\.time) == [nil])
  }

  @Test func `every shorter frame is refused`() throws {
    let fields = [
      "{name: time, type: dateTime}", "{name: t, type: float, quantity: bodyTemperature}",
    ]
    let whole = "ea07050c1235366e0100ff"
    #expect(try read(fields, whole).values.map(\.value) == [36.6])
    for count in 0..<11 {
      #expect(throws: FrameDefect.self) { try read(fields, String(whole.prefix(2 * count))) }
    }
  }

  @Test func `a frame of another kind is ignored`() throws {
    var decoders = FrameDecoders(try Repository.definition("ruuvitag"))
    #expect(try decoders.decode(bytes("03 2903"), from: .manufacturerData(0x0499)) == nil)
    #expect(
      throws: FrameDefect.wrongLength(count: 2, expected: 24)
    ) { try decoders.decode(bytes("0512"), from: .manufacturerData(0x0499)) }
  }
}
