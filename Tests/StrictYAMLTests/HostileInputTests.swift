import StrictYAML
import TestSupport
import Testing

/// Whatever the bytes, the parser gives a tree or a typed error.
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

  /// Parses, and says whether what came is within the promised limits.
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
  func randomBytes(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    // Indicators and spaces lead deeper into the grammar than even bytes do.
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
  func mutationsOfAPlan(seed: UInt64) {
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
  func hostileNesting(unit: String) {
    for count in [65, 999, 1001, 100_000] {
      #expect(isTreeOrError(Array(String(repeating: unit, count: count).utf8)))
    }
  }

  @Test func nestingThatIsClosedIsRefusedByDepth() {
    let text = String(repeating: "[", count: 70) + String(repeating: "]", count: 70)
    #expect(
      throws: YAMLError(
        file: "f", line: 1, column: 65, reason: "lists and mappings are nested more than 64 deep")
    ) { try YAMLDocument.parse(text, file: "f") }
  }

  @Test func nestingByIndentationIsRefusedByDepth() {
    let text = (0..<100).map { String(repeating: " ", count: $0) + "a:\n" }.joined()
    let error = #expect(throws: YAMLError.self) { try YAMLDocument.parse(text, file: "f") }
    #expect(error?.reason == "lists and mappings are nested more than 64 deep")
  }

  @Test func aliasesOfAliasesAreRefusedBeforeTheySpellOut() {
    var text = "a0: &a0 [x, x]\n"
    for level in 1...60 { text += "a\(level): &a\(level) [*a\(level - 1), *a\(level - 1)]\n" }
    text += "? *a60\n: 1\n"
    let error = #expect(throws: YAMLError.self) { try YAMLDocument.parse(text, file: "f") }
    #expect(error?.reason == "‘&a0’ and ‘*a0’: anchors and aliases are not taken")
  }
}
