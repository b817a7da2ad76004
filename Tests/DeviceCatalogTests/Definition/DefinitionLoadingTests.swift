import DeviceCatalog
import Foundation
import Testing

struct DefinitionLoadingTests {
  private func refusal(_ old: String, _ new: String) -> [DefinitionFinding] {
    DeviceCatalog.read([[SampleDefinition.file(old, new)]]).findings
  }

  @Test func `the sample is valid`() throws {
    let catalog = try DeviceCatalog.load([[SampleDefinition.file()]])
    #expect(catalog.definitions.map(\.id) == ["sample"])
    #expect(catalog.definition("sample")?.link.mode == .connect)
    #expect(catalog.definition("other") == nil)
    #expect(catalog.runVectors().map(\.failures) == [[]])
  }

  /// A change, and the expected line and reason.
  static let refusals: [(old: String, new: String, line: Int, reason: String)] = [
    ("length: 3", "lenght: 3", 14, "unknown key ‘lenght’ (did you mean ‘length’?)"),
    ("vendor: Nobody", "vendors: Nobody", 3, "unknown key ‘vendors’ (did you mean ‘vendor’?)"),
    ("name: Sample\n", "", 1, "the key ‘name’ is missing"),
    (
      "id: sample", "id: Sample 1", 1,
      "‘Sample 1’ is no id: lower-case letters, digits and hyphens, at most 64"
    ),
    (
      "type: u16le", "type: u16", 17,
      "‘u16’ is not one of u8, s8, u16le, s16le, u16be, s16be, u24le, u24be, u32le, s32le, u32be,"
        + " s32be, f32le, sfloat, float, dateTime, bits"
    ),
    (
      "quantity: bodyMass, s", "quantity: bodyMas, s", 17,
      "there is no quantity ‘bodyMas’ (did you mean ‘bodyMass’?)"
    ),
    ("unit: kg", "unit: kilo", 17, "there is no unit ‘kilo’; ‘measured quantities’ lists them"),
    ("unit: kg", "unit: s", 17, "‘s’ does not measure bodyMass, which is in kg"),
    (
      "scale: 0.005", "scale: 5e-3", 17,
      "‘5e-3’ is no factor: a decimal number or a quotient like 1/1024"
    ),
    ("quantity: bodyMass, scale", "scale", 17, "a scale or unit without a ‘quantity’"),
    (
      "fields:", "codec: heart-rate\n    fields:", 13,
      "a record has either a codec, or fields and motion"
    ),
    (
      "subscribe: \"2A9D\"", "subscribe: 2A9", 11,
      "‘2A9’ is no UUID: 4 or 8 hex digits, or 32 with hyphens"
    ),
    ("- subscribe:", "- subscibe:", 11, "unknown step ‘subscibe’ (did you mean ‘subscribe’?)"),
    (
      "- subscribe: \"2A9D\"", "- {}", 11,
      "a step is one of ‘subscribe’, ‘read’, ‘write’, ‘waitFor’, ‘delay’, ‘echo’, ‘increment’,"
        + " ‘consent’, ‘fetchRecords’"
    ),
    (
      "- subscribe: \"2A9D\"",
      "- consent: {characteristic: \"2A9F\", then: [{consent: {characteristic: \"2A9F\"}}]}", 11,
      "a consent within a consent"
    ),
    (
      "length: 3", "joined: true", 13,
      "frames that are joined can only be told apart by their ‘length’"
    ),
    (
      "length: 3", "ignored: true", 13,
      "a record that is ignored has no fields, motion, codec or commit"
    ),
    (
      "provenance: derived", "provenance: derived\n    address: 5C:CA:D3", 21,
      "‘5C:CA:D3’ is no address: six pairs of hex digits, as in 8C:D0:B2:F6:BE:EF"
    ),
    ("00 803e", "00 803", 23, "‘00 803’ is not bytes in hex, two digits each"),
    ("hex: 00 803e}", "hex: 00 803e, at: -1}", 23, "-1.0 is not between 0 and 3600 seconds"),
    ("mode: connect", "mode: broadcast", 8, "‘broadcast’ is not one of advertisement, connect"),
    (
      "provenance: derived", "provenance: invented", 20,
      "‘invented’ is not one of real, published, derived"
    ),
    (
      "    - {service: \"181D\", namePrefix: SAMPLE}", "    - {}", 7,
      "a clause needs one of ‘service’, ‘serviceData’, ‘manufacturerData’, ‘namePrefix’, ‘name’,"
        + " ‘nameContains’, ‘characteristic’"
    ),
    (
      "{name: flags, type: u8}", "{name: flags, type: u8, if: flags}", 16,
      "‘flags’ is no test: ‘flags.1’, ‘not flags.1’, ‘unit = 2’, ‘a.1 and b != 0’"
    ),
    (
      "{name: flags, type: u8}", "{name: flags, type: dateTime, invalid: [0]}", 16,
      "‘bits’ are for integers and ‘invalid’ is for numbers, ‘dateTime’ is none"
    ),
  ]

  @Test(arguments: refusals.indices)
  func `reports file line and reason`(index: Int) {
    let (old, new, line, reason) = Self.refusals[index]
    #expect(
      refusal(old, new).map(\.description) == ["sample.yaml:\(line): \(reason)"])
  }

  @Test(arguments: ["FFF0", "FFE0", "0000FFE5-0000-1000-8000-00805F9B34FB"])
  func `refuses an unassigned service`(service: String) throws {
    let findings = refusal(
      "{service: \"181D\", namePrefix: SAMPLE}", "{service: \"\(service)\"}")
    let finding = try #require(findings.first)
    #expect(finding.line == 6)
    #expect(finding.reason.hasPrefix("a match by nothing but service FF"))
    // With a name it is accepted.
    #expect(refusal("181D", service) == [])
  }

  @Test func `refuses a duplicate id`() {
    let files = [
      SampleDefinition.file(name: "a.yaml"), SampleDefinition.file(name: "b.yaml"),
    ]
    let (catalog, findings) = DeviceCatalog.read([files])
    #expect(findings.map(\.description) == ["b.yaml:1: the id ‘sample’ is a.yaml's already"])
    #expect(catalog.definitions.map(\.id) == ["sample"])
  }

  @Test func `a later layer replaces an earlier`() throws {
    let local = SampleDefinition.file("vendor: Nobody", "vendor: Somebody", name: "local.yaml")
    let catalog = try DeviceCatalog.load([[SampleDefinition.file()], [local]])
    #expect(catalog.definitions.map(\.vendor) == ["Somebody"])
  }

  @Test func `a malformed file leaves the others`() throws {
    let broken = DefinitionFile(name: "broken.yaml", text: "id: [")
    let layers = [[SampleDefinition.file(), broken]]
    let (catalog, findings) = DeviceCatalog.read(layers)
    #expect(catalog.definitions.map(\.id) == ["sample"])
    #expect(findings.map(\.file) == ["broken.yaml"])
    let error = #expect(throws: CatalogError.self) { try DeviceCatalog.load(layers) }
    #expect(error?.findings == findings)
    #expect(error?.description == findings.map(\.description).joined(separator: "\n"))
  }

  @Test func `a missing directory has no files`() throws {
    let nowhere = Repository.devices.appending(path: "nowhere")
    #expect(try DefinitionFile.files(in: nowhere) == [])
  }
}
