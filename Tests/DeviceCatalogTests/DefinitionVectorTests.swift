import DeviceCatalog
import Testing

/// Vectors with other results fail, with the difference.
struct DefinitionVectorTests {
  private func failures(_ old: String, _ new: String) throws -> [String] {
    try DeviceCatalog.load([[SampleDefinition.file(old, new)]]).runVectors()
      .flatMap(\.failures)
  }

  /// A change of the vector, and the expected failure.
  static let changes: [(old: String, new: String, failure: String)] = [
    ("value: 80}", "value: 81}", "bodyMass 80.0 instead of bodyMass 81.0"),
    (
      "{quantity: bodyMass, value: 80}", "{quantity: muscleMass, value: 80}",
      "bodyMass 80.0 instead of muscleMass 80.0"
    ),
    (
      "value: 80}", "value: 80, time: 2026-11-20T07:00:00}",
      "bodyMass has the time none instead of 2026-11-20T07:00:00"
    ),
    ("value: 80}", "value: 80, user: 1}", "bodyMass has the user none instead of 1"),
    (
      "value: 80}", "value: 80, sourceValue: 176, sourceUnit: lb}",
      "bodyMass was sent as 80.0 instead of 176.0 [lb_av]"
    ),
    (
      "      - {quantity: bodyMass, value: 80}",
      "      - {quantity: bodyMass, value: 80}\n      - {quantity: bodyMass, value: 80}",
      "1 readings instead of 2"
    ),
    (
      "      - {quantity: bodyMass, value: 80}",
      "      - {quantity: bodyMass, value: 80}\n      - {acceleration: [0, 0, 1]}",
      "the motion is [] instead of [(0, 0, 1000000)]"
    ),
  ]

  @Test(arguments: changes.indices)
  func `reports the difference`(index: Int) throws {
    let (old, new, failure) = Self.changes[index]
    #expect(try failures(old, new) == [failure])
  }

  @Test func `reports every difference of a reading`() throws {
    #expect(
      try failures("value: 80}", "value: 81, user: 1, time: 2026-11-20T07:00:00, context: [ear]}")
        == [
          "bodyMass 80.0 instead of bodyMass 81.0",
          "bodyMass has the time none instead of 2026-11-20T07:00:00",
          "bodyMass has the user none instead of 1",
          "bodyMass has the context [] instead of [ear]",
        ])
  }

  @Test func `a tolerance takes what a publication rounded`() throws {
    #expect(try failures("value: 80}", "value: 80.04, tolerance: 0.05}") == [])
    #expect(
      try failures("value: 80}", "value: 80.06, tolerance: 0.05}")
        == ["bodyMass 80.0 instead of bodyMass 80.06"])
    #expect(throws: CatalogError.self) { try failures("value: 80}", "value: 80, tolerance: 8}") }
    #expect(throws: CatalogError.self) { try failures("value: 80}", "value: 80, tolerance: -1}") }
    #expect(throws: CatalogError.self) {
      try failures("value: 80}", "value: 80, context: [tail]}")
    }
  }

  /// The text that is printed to be pasted makes the vector pass.
  @Test func `what comes out can be pasted`() throws {
    let catalog = try Repository.catalog()
    for result in catalog.runVectors() where result.failures.isEmpty {
      let definition = try #require(catalog.definition(result.definition))
      let vector = try #require(definition.vectors.first { $0.name == result.vector })
      #expect(result.actual.count == vector.expectedCount)
    }
    let own = try DeviceCatalog.load([[SampleDefinition.file("value: 80}", "value: 7}")]])
    let actual = try #require(own.runVectors().first?.actual.first)
    #expect(actual == "- {quantity: bodyMass, value: 80}")
    let mended = SampleDefinition.file("- {quantity: bodyMass, value: 80}", actual)
    #expect(try DeviceCatalog.load([[mended]]).runVectors().flatMap(\.failures) == [])
  }

  private static let session = "    - subscribe: \"2A9D\""
  private static let acknowledging =
    session + """

          - write: {characteristic: "2A9E", hex: 0102}
        answers:
          - to: {characteristic: "2A9D", bytes: "00"}
            write: {characteristic: "2A9F", data: [{hex: aa}, {copy: {at: 1}}, {checksum: {kind: sum}}]}
      """

  /// Over a link, in order: the steps first, then the answer to the frame.
  @Test(
    arguments: [
      (
        "      - {characteristic: 2A9E, hex: 01 02}\n      - {characteristic: 2A9F, hex: aa802a}",
        []
      ),
      // A dialect without the characteristic.
      ("      - {characteristic: 2A9F, hex: aa802a}", []),
      (
        "      - {characteristic: 2A9F, hex: aa802b}",
        [
          "write 1 is {characteristic: \"2A9F\", hex: \"aa802a\"}"
            + " instead of {characteristic: \"2A9F\", hex: \"aa802b\"}"
        ]
      ),
      (
        "      - {characteristic: 2A9F, hex: aa802a}\n      - {characteristic: 2A9F, hex: \"00\"}",
        ["1 writes instead of 2"]
      ),
      (
        "      []",
        [
          "2 writes instead of 0", "not expected: {characteristic: \"2A9E\", hex: \"0102\"}",
          "not expected: {characteristic: \"2A9F\", hex: \"aa802a\"}",
        ]
      ),
    ])
  func `compares what is written`(writes: String, failures: [String]) throws {
    let text = SampleDefinition.text(Self.session, Self.acknowledging)
      .replacing("    expect:", with: "    writes:\n\(writes)\n    expect:")
    let file = DefinitionFile(name: "sample.yaml", text: text)
    let result = try #require(try DeviceCatalog.load([[file]]).runVectors().first)
    #expect(result.failures == failures)
    #expect(result.actual == ["- {quantity: bodyMass, value: 80}"])
    if failures.isEmpty { #expect(!result.writes.isEmpty) }
  }

  @Test func `without writes there is no link`() throws {
    let file = SampleDefinition.file(Self.session, Self.acknowledging)
    let result = try #require(try DeviceCatalog.load([[file]]).runVectors().first)
    #expect(result.isPassed && result.writes == [])
  }

  @Test func `reports why a frame is refused`() throws {
    #expect(
      try failures("hex: 00 803e", "hex: 00 80") == [
        "0 readings instead of 1", "1 frames are refused instead of 0",
        "characteristic 2A9D: the frame has 2 bytes instead of 3",
      ])
  }

  @Test func `reports a misrecognised advertisement`() throws {
    // An advertisement of the name alone, half of the definition's clauses.
    let frame = "{characteristic: \"2A9D\", hex: 00 803e}"
    #expect(
      try failures(frame, "{advertisement: 07 09 53414d504c45}\n      - \(frame)")
        == ["the advertisement is recognised as nothing"])
    #expect(
      try failures(frame, "{advertisement: 07 09 53414d504c45 03 03 1d18}\n      - \(frame)") == [])
  }

  @Test func `knows the provenance`() throws {
    let results = try Repository.catalog().runVectors()
    let real = Set(results.filter { $0.provenance == .real }.map(\.definition))
    #expect(real.isSuperset(of: ["xiaomi-mi-scale-1", "xiaomi-mi-scale-2", "sig-weight-scale"]))
    #expect(results.allSatisfy { !$0.vector.isEmpty })
  }
}
