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
      reason: "unknown key ‘intervall’ (did you mean ‘interval’?)")
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
        reason: "unknown key ‘colour’; the keys here are interval")
    ) { try reader.finish() }
  }

  @Test func `a missing key is named`() throws {
    var reader = try reader("start: now\n")
    #expect(
      throws: YAMLError(
        file: "plan.yaml", line: 1, column: 1, reason: "the key ‘title’ is missing")
    ) { try reader.required("title") }
  }

  @Test func `a misspelt required key is named where it stands`() throws {
    var reader = try reader("start: now\ntitel: x\n")
    #expect(
      throws: YAMLError(
        file: "plan.yaml", line: 2, column: 1,
        reason: "unknown key ‘titel’ (did you mean ‘title’?)")
    ) { try reader.required("title") }
  }

  @Test func `an empty value is left out`() throws {
    var reader = try reader("end:\nnote: ~\ntext: ''\n")
    #expect(reader.optional("end") == nil)
    #expect(reader.optional("note") == nil)
    #expect(try reader.required("text").scalar() == YAMLScalar("", isQuoted: true))
    #expect(throws: Never.self) { try reader.finish() }
  }
}
