import Care
import Radio
import TestSupport
import Testing

@testable import DeviceCatalog

/// Tests of several fields, masks, and numbers from bits in several bytes.
struct ConditionTests {
  private func values(_ field: String, _ hex: String, extra: String = "") throws -> [Double] {
    let text = SampleDefinition.lines
      .replacing("    length: 3\n", with: extra)
      .replacing(
        "{name: weight, type: u16le, quantity: bodyMass, scale: 0.005, unit: kg}", with: field)
    let file = DefinitionFile(name: "sample.yaml", text: text)
    let definition = try #require(try DeviceCatalog.load([[file]]).definition("sample"))
    var bench = SessionBench(definition)
    return try bench.value("2A9D", hex).readings.map(\.value)
  }

  /// A test, the flags, and whether it holds.
  static let tests: [(test: String, flags: String, holds: Bool)] = [
    ("flags.0 and flags.2", "05", true), ("flags.0 and flags.2", "04", false),
    ("flags.0 and not flags.2", "01", true), ("flags = 5", "05", true),
    ("flags = 0x10", "10", true),
    ("flags = 5", "15", false), ("flags != 5", "15", true),
    ("flags != 0 and flags != 1", "01", false),
  ]

  @Test(arguments: tests.indices)
  func `a test has terms`(index: Int) throws {
    let (test, flags, holds) = Self.tests[index]
    let field = "{name: pulse, type: u8, validIf: \(test), quantity: heartRate}"
    #expect(try values(field, flags + "48") == (holds ? [72] : []))
  }

  @Test(arguments: [
    "flags", "flags = ", "flags =5", "flags.0 and", "and", "not flags = 5", "flags.1 = 1",
  ])
  func `a test must be whole`(text: String) {
    let file = SampleDefinition.file("scale: 0.005,", "validIf: \(text), scale: 0.005,")
    #expect(DeviceCatalog.lint([[file]]).count == 1)
  }

  @Test func `bits of several bytes are one number`() throws {
    let field =
      "{name: pulse, type: bits, parts: [{at: 0, first: 6, count: 1}, {at: 1, count: 7}], quantity: heartRate}"
    #expect(try values(field, "40 05") == [133])
    #expect(try values(field, "bf 85") == [5])
    #expect(try values(field, "40") == [])
  }

  @Test func `a mask is removed`() throws {
    let field = "{name: pulse, type: u8, quantity: heartRate}"
    #expect(try values(field, "05 4d", extra: "    unmask: {from: 1, byteAt: 0}\n") == [72])
    #expect(try values(field, "05 e8", extra: "    unmask: {from: 1, byte: 0xA0}\n") == [72])
    // The bench's address is 5C:CA:D3:70:D4:A2.
    #expect(try values(field, "5c 82", extra: "    unmask: {from: 0, address: forward}\n") == [72])
    #expect(try values(field, "05 ea", extra: "    unmask: {from: 1, address: reversed}\n") == [72])
  }

  @Test func `the own address and the name decide`() throws {
    let address = SessionBench.address
    func device(_ name: String?, _ company: UInt16, _ data: String) -> AdvertisedDevice {
      var device = AdvertisedDevice(address: address)
      device.merge(
        name: name, services: [], serviceData: [], manufacturerData: [(company, bytes(data))])
      return device
    }
    let any = MatchClause(
      anyManufacturerData: DataClause(
        key: AnyCompany(), length: 9, bytes: BytePattern("c0"), address: AddressPlace(at: 3)))
    #expect(any.holds(for: device(nil, 0x07C0, "00 5ccad370d4a2")))
    #expect(any.holds(for: device(nil, 0x08C0, "00 5ccad370d4a2")))
    #expect(!any.holds(for: device(nil, 0x07C1, "00 5ccad370d4a2")))
    #expect(!any.holds(for: device(nil, 0x07C0, "00 5ccad370d4a3")))
    let reversed = MatchClause(
      manufacturerData: DataClause(key: 1, address: AddressPlace(at: 0, order: .reversed)))
    #expect(reversed.holds(for: device(nil, 1, "a2d470d3ca5c")))
    #expect(!reversed.holds(for: device(nil, 1, "5ccad370d4a2")))
    let named = device("QN-Scale1", 1, "")
    #expect(MatchClause(name: "QN-Scale1").holds(for: named))
    #expect(!MatchClause(name: "QN-Scale").holds(for: named))
    #expect(MatchClause(nameContains: "scale").holds(for: named))
    #expect(!MatchClause(nameContains: "scales").holds(for: named))
  }

  @Test func `data of any company needs more`() {
    let file = SampleDefinition.file(
      "namePrefix: SAMPLE", "manufacturerData: {company: any, bytes: C0}")
    #expect(
      DeviceCatalog.lint([[file]]).map(\.reason) == [
        "data of any company needs the device's ‘address’ in it, or four fixed ‘bytes’"
      ])
  }

  @Test func `equal frames are final`() throws {
    var filter = FinalFrameFilter(CommitRule(quantity: .bodyMass, equal: 3))
    func offer(_ mass: Double, _ seconds: Double) -> Int {
      var content = FrameContent()
      content.values = [DecodedValue(.bodyMass, mass)].compactMap(\.self)
      return filter.offer(content, raw: [], mainRaw: [], at: SessionBench.time(seconds)).count
    }
    #expect(
      [80, 80, 81, 81, 80, 80, 80, 80].enumerated().map { offer($1, Double($0)) }
        == [0, 0, 0, 0, 0, 0, 1, 0])
  }
}
