import StrictYAML
import Testing

@Suite struct MappingReaderTests {
  private func reader(_ text: String) throws -> MappingReader {
    try YAMLDocument.parse(text, file: "plan.yaml").mapping()
  }

  @Test func `names the unknown key its line and the likely one`() throws {
    var reader = try reader("start: now\nintervall: 3\n")
    _ = try reader.required("start")
    _ = reader.optional("interval")
    let expected = YAMLError(
      file: "plan.yaml", line: 2, column: 1,
      fault: .unknownKey(
        "intervall", meant: Spelling.Suggestion(["interval"]), known: ["start", "interval"]))
    #expect(throws: expected) { try reader.finish() }
    #expect(
      expected.description == "plan.yaml:2: unknown key ‘intervall’ (did you mean ‘interval’?)")
  }

  @Test func `suggests nothing for a word that is like none`() throws {
    var reader = try reader("colour: red\n")
    _ = reader.optional("interval")
    #expect(
      throws: YAMLError(
        file: "plan.yaml", line: 1, column: 1,
        fault: .unknownKey("colour", meant: Spelling.Suggestion([]), known: ["interval"]))
    ) { try reader.finish() }
  }

  @Test func `a missing key is named`() throws {
    var reader = try reader("start: now\n")
    #expect(
      throws: YAMLError(
        file: "plan.yaml", line: 1, column: 1, fault: .missingKey("title"))
    ) { try reader.required("title") }
  }

  @Test func `a misspelt required key is named where it stands`() throws {
    var reader = try reader("start: now\ntitel: x\n")
    #expect(
      throws: YAMLError(
        file: "plan.yaml", line: 2, column: 1,
        fault: .unknownKey("titel", meant: Spelling.Suggestion(["title"])))
    ) { try reader.required("title") }
  }

  @Test(
    arguments: [
      (.missingKey("title"), "the key ‘title’ is missing", []),
      (
        .unknownKey("titel", meant: Spelling.Suggestion(["title"]), known: ["title", "start"]),
        "unknown key ‘titel’ (did you mean ‘title’?)", ["title"]
      ),
      (
        .unknownKey("colour", meant: Spelling.Suggestion([]), known: ["title", "start"]),
        "unknown key ‘colour’; the keys here are title, start", []
      ),
      (
        .unknownKey("raed", noun: "step", meant: Spelling.Suggestion(["read"])),
        "unknown step ‘raed’ (did you mean ‘read’?)", ["read"]
      ),
      (
        .unknownWord(
          "there is no scale ‘s’", meant: Spelling.Suggestion(["s1", "s2"], isChoice: true)),
        "there is no scale ‘s’ (did you mean ‘s1’ or ‘s2’?)", ["s1", "s2"]
      ),
      (
        .unknownWord("there is no quantity ‘p’", meant: Spelling.Suggestion(["s", "d"])),
        "there is no quantity ‘p’ (did you mean ‘s’ and ‘d’?)", ["s", "d"]
      ),
      (.repetition("‘a’ is given twice"), "‘a’ is given twice", []),
    ] as [(YAMLError.Fault, String, [String])])
  func `a fault has its facts and its text`(
    fault: YAMLError.Fault, text: String, meant: [String]
  ) {
    #expect(fault.text == text)
    #expect(fault.meant == meant)
  }

  @Test func `an empty value is left out`() throws {
    var reader = try reader("end:\nnote: ~\ntext: ''\n")
    #expect(reader.optional("end") == nil)
    #expect(reader.optional("note") == nil)
    #expect(try reader.required("text").scalar() == YAMLScalar("", isQuoted: true))
    #expect(throws: Never.self) { try reader.finish() }
  }
}
