import StrictYAML
import TestSupport
import Testing

@Suite struct YAMLDocumentTests {
  @Test func `keeps text and places`() throws {
    let root = try YAMLDocument.parse("a: 0x2A\nlist:\n  - '1.50'\n  - x\n", file: "f.yaml")
    let pairs = try root.pairs()
    #expect(pairs.map(\.key) == ["a", "list"])
    #expect(pairs[1].location == YAMLLocation(file: "f.yaml", line: 2, column: 1))
    #expect(try pairs[0].value.scalar() == YAMLScalar("0x2A"))
    let elements = try pairs[1].value.sequence()
    #expect(try elements[0].scalar() == YAMLScalar("1.50", isQuoted: true))
    #expect(elements[1].location == YAMLLocation(file: "f.yaml", line: 4, column: 5))
  }

  @Test func `reads JSON`() throws {
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
  func `reads pairs of surrogates`(json: String, expected: String) throws {
    #expect(try YAMLDocument.parse(json, file: "f").sequence()[0].string() == expected)
  }

  @Test(arguments: [#"["\ud83d"]"#, #"["\ude00\ud83d"]"#, #"["\ud83d\u0041"]"#, #"["\ud83"#])
  func `refuses half a pair`(json: String) {
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
      "a: [1, 2\nb: 3\n", 1,
      "not YAML: the [ of this line is not closed, or a comma is missing"
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

  @Test(arguments: ["\"- &a [*a]\"", "'&a and *a'", "|\n  &a [*a]"])
  func `a text in quotes has neither anchors nor aliases`(text: String) throws {
    var reader = try YAMLDocument.parse("title: \(text)\n", file: "p").mapping()
    let title = try reader.required("title").string()
    #expect(title.contains("&a") && title.contains("*a"))
  }

  @Test(arguments: [
    "a: it's &x [1]\nb: [*x, *x]\nc: it's\n", "a: \"&x\"\nb: &x [1]\nc: [*x]\n",
    "a: &x\n  - 1\nb: '*x'\nc: *x\n",
  ])
  func `quotes elsewhere hide no alias`(text: String) {
    #expect(throws: YAMLError.self) { try YAMLDocument.parse(text, file: "p") }
  }

  @Test func `prose with ampersands and stars is no alias`() throws {
    let root = try YAMLDocument.parse("a: R&D says *so* & more, D*D\n", file: "f")
    #expect(try root.pairs()[0].value.string() == "R&D says *so* & more, D*D")
  }

  @Test func `describes itself with file and line`() {
    let error = YAMLError(file: "plan.yaml", line: 7, column: 3, reason: "no")
    #expect(error.description == "plan.yaml:7: no")
  }

  @Test func `refuses what is too large`() {
    let limits = YAMLDocument.Limits(bytes: 8)
    let expected = YAMLError(
      file: "f", line: 1, column: 1, reason: "the file is larger than 8 bytes")
    #expect(throws: expected) { try YAMLDocument.parse("a: 123456", file: "f", limits: limits) }
    #expect(throws: expected) {
      try YAMLDocument.parse(Array("a: 123456".utf8), file: "f", limits: limits)
    }
    #expect(throws: Never.self) { try YAMLDocument.parse("a: 12345", file: "f", limits: limits) }
  }

  @Test func `refuses bytes that are not UTF 8`() {
    #expect(
      throws: YAMLError(file: "f", line: 1, column: 1, reason: "the file is not UTF-8 text")
    ) {
      try YAMLDocument.parse([0x61, 0x3A, 0x20, 0xFF], file: "f")
    }
  }
}

// MARK: - Hostile input

/// For any bytes the parser gives a tree or a typed error.
@Suite struct HostileInputTests {
  private static let plan = """
    timeZone: America/Los_Angeles
    patients:
      - {id: john, name: {given: John, family: "Apple\\tseed"}, expects: {bodyMass: 82 kg}}
    tasks:
      - id: weigh-in   # daily
        instructions: |
          Before breakfast,
          without shoes.
        schedule:
          - {start: 2026-11-01, interval: {days: 1}, duration: allDay}
    """

  /// Parses, and gives whether the result is within the documented limits.
  private func isTreeOrError(_ bytes: [UInt8]) -> Bool {
    do throws(YAMLError) {
      return depth(try YAMLDocument.parse(bytes, file: "f")) <= 64
    } catch {
      return error.file == "f" && error.line >= 1 && !error.reason.isEmpty
    }
  }

  private func depth(_ node: YAMLNode) -> Int {
    switch node.content {
    case .scalar: 1
    case .sequence(let elements): 1 + (elements.map(depth).max() ?? 0)
    case .mapping(let pairs): 1 + (pairs.map { depth($0.value) }.max() ?? 0)
    }
  }

  @Test(arguments: 0..<10)
  func `random bytes`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    // Indicators and spaces reach deeper into the grammar than uniform bytes.
    let alphabet = Array("  \n\n--::?,[]{}&*!|>'\"%@`#~ab01\t\\.\u{0}ü".utf8)
    let failures = (0..<5000).count { round in
      let length = Int.random(in: 0...40, using: &generator)
      let bytes =
        round.isMultiple(of: 2)
        ? generator.bytes(length)
        : (0..<length).map { _ in alphabet.randomElement(using: &generator) ?? 0 }
      return !isTreeOrError(bytes)
    }
    #expect(failures == 0)
  }

  @Test(arguments: 100..<110)
  func `mutations of a plan`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let original = Array(Self.plan.utf8)
    let failures = (0..<5000).count { _ in
      var bytes = original
      for _ in 0...Int.random(in: 0...3, using: &generator) {
        let at = Int.random(in: 0..<bytes.count, using: &generator)
        switch Int.random(in: 0..<3, using: &generator) {
        case 0: bytes[at] = UInt8.random(in: 0...127, using: &generator)
        case 1: bytes.remove(at: at)
        default: bytes.insert(contentsOf: bytes[at...].prefix(20), at: at)
        }
      }
      return !isTreeOrError(bytes)
    }
    #expect(failures == 0)
  }

  @Test(arguments: [
    "[", "{", "- ", "? ", "{a: ", "[[{", "- - ? ", "{? ", "'", "\"", "|", "&a ", "!a ",
  ])
  func `hostile nesting`(unit: String) {
    for count in [65, 999, 1001, 100_000] {
      #expect(isTreeOrError(Array(String(repeating: unit, count: count).utf8)))
    }
  }

  @Test func `balanced nesting is refused by depth`() {
    let text = String(repeating: "[", count: 70) + String(repeating: "]", count: 70)
    #expect(
      throws: YAMLError(
        file: "f", line: 1, column: 65, reason: "lists and mappings are nested more than 64 deep")
    ) { try YAMLDocument.parse(text, file: "f") }
  }

  @Test func `nesting by indentation is refused by depth`() {
    let text = (0..<100).map { String(repeating: " ", count: $0) + "a:\n" }.joined()
    let error = #expect(throws: YAMLError.self) { try YAMLDocument.parse(text, file: "f") }
    #expect(error?.reason == "lists and mappings are nested more than 64 deep")
  }

  @Test func `aliases of aliases are refused before expansion`() {
    var text = "a0: &a0 [x, x]\n"
    for level in 1...60 { text += "a\(level): &a\(level) [*a\(level - 1), *a\(level - 1)]\n" }
    text += "? *a60\n: 1\n"
    let error = #expect(throws: YAMLError.self) { try YAMLDocument.parse(text, file: "f") }
    #expect(error?.reason == "‘&a0’ and ‘*a0’: anchors and aliases are not taken")
  }
}
