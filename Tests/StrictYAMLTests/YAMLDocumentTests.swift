import StrictYAML
import Testing

@Suite struct YAMLDocumentTests {
  @Test func keepsTextAndPlaces() throws {
    let root = try YAMLDocument.parse("a: 0x2A\nlist:\n  - '1.50'\n  - x\n", file: "f.yaml")
    let pairs = try root.pairs()
    #expect(pairs.map(\.key) == ["a", "list"])
    #expect(pairs[1].location == YAMLLocation(file: "f.yaml", line: 2, column: 1))
    #expect(try pairs[0].value.scalar() == YAMLScalar("0x2A"))
    let elements = try pairs[1].value.sequence()
    #expect(try elements[0].scalar() == YAMLScalar("1.50", isQuoted: true))
    #expect(elements[1].location == YAMLLocation(file: "f.yaml", line: 4, column: 5))
  }

  @Test func readsJSON() throws {
    let json = "{\"title\": \"Weigh\\/in\",\n\t\"days\": [1, 2], \"open\": null}"
    let root = try YAMLDocument.parse(json, file: "plan.json")
    let pairs = try root.pairs()
    #expect(try pairs[0].value.string() == "Weigh/in")
    #expect(try pairs[1].value.sequence().map { try $0.integer() } == [1, 2])
    #expect(pairs[2].value.isNull)
  }

  @Test(arguments: [
    (#"["\ud83d\ude00"]"#, "😀"), (#"  ["a\uD834\uDD1Eb\u00fc"]"#, "a𝄞bü"),
    (#"["\\ud83d\\ude00"]"#, #"\ud83d\ude00"#), (#"["\\\ud83d\ude00"]"#, #"\😀"#),
  ])
  func readsPairsOfSurrogates(json: String, expected: String) throws {
    #expect(try YAMLDocument.parse(json, file: "f").sequence()[0].string() == expected)
  }

  @Test(arguments: [#"["\ud83d"]"#, #"["\ude00\ud83d"]"#, #"["\ud83d\u0041"]"#, #"["\ud83"#])
  func refusesHalfAPair(json: String) {
    let error = #expect(throws: YAMLError.self) { try YAMLDocument.parse(json, file: "f") }
    #expect(error?.reason.hasPrefix("not YAML: while parsing a quoted scalar") == true)
  }

  @Test(arguments: [
    ("", 1, "the file is empty"),
    ("# only a comment\n", 1, "the file is empty"),
    ("a: 1\nb: 2\na: 3\n", 1, "the key ‘a’ is given more than once"),
    ("a: 1\n'a': 3\n", 1, "the key ‘a’ is given more than once"),
    ("a: &x 1\nb: *x\n", 1, "‘&x’ and ‘*x’: anchors and aliases are not taken"),
    ("a: 1\nb: &x 2\n", 2, "anchors are not taken"),
    ("b: &x {c: 2}\n", 1, "anchors are not taken"),
    ("b: &x [2]\n", 1, "anchors are not taken"),
    ("a: *x\n", 1, "not YAML: found undefined alias"),
    ("a: !!str 5\n", 1, "tags are not taken, here ‘tag:yaml.org,2002:str’"),
    ("a:\n  - !set {b: 1}\n", 2, "tags are not taken, here ‘!set’"),
    ("a: !list [1]\n", 1, "tags are not taken, here ‘!list’"),
    ("? [1, 2]\n: 3\n", 1, "a key must be a single value"),
    ("{a: 1}: 3\n", 1, "a key must be a single value"),
    ("!int 1: 3\n", 1, "tags are not taken, here ‘!int’"),
    ("&x a: 3\n", 1, "anchors are not taken"),
    ("a: 1\n---\nb: 2\n", 2, "not YAML: but found another document"),
    (
      "a: [1, 2\nb: 3\n", 2,
      "not YAML: while parsing a flow sequence, did not find expected ',' or ']'"
    ),
    ("a: 1\n\u{1}\n", 2, "not YAML: control characters are not allowed"),
  ])
  func refuses(text: String, line: Int, reason: String) {
    let error = #expect(throws: YAMLError.self) {
      try YAMLDocument.parse(text, file: "f.yaml")
    }
    #expect(error?.line == line)
    #expect(error?.reason == reason)
    #expect(error?.file == "f.yaml")
  }

  @Test func proseWithAmpersandsAndStarsIsNoAlias() throws {
    let root = try YAMLDocument.parse("a: R&D says *so* & more, D*D\n", file: "f")
    #expect(try root.pairs()[0].value.string() == "R&D says *so* & more, D*D")
  }

  @Test func describesItselfWithFileAndLine() {
    let error = YAMLError(file: "plan.yaml", line: 7, column: 3, reason: "no")
    #expect(error.description == "plan.yaml:7: no")
  }

  @Test func refusesWhatIsTooLarge() {
    let limits = YAMLDocument.Limits(bytes: 8)
    let expected = YAMLError(
      file: "f", line: 1, column: 1, reason: "the file is larger than 8 bytes")
    #expect(throws: expected) { try YAMLDocument.parse("a: 123456", file: "f", limits: limits) }
    #expect(throws: expected) {
      try YAMLDocument.parse(Array("a: 123456".utf8), file: "f", limits: limits)
    }
    #expect(throws: Never.self) { try YAMLDocument.parse("a: 12345", file: "f", limits: limits) }
  }

  @Test func refusesBytesThatAreNotUTF8() {
    #expect(
      throws: YAMLError(file: "f", line: 1, column: 1, reason: "the file is not UTF-8 text")
    ) {
      try YAMLDocument.parse([0x61, 0x3A, 0x20, 0xFF], file: "f")
    }
  }
}
