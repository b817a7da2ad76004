import StrictYAML
import Testing

@Suite struct MappingReaderTests {
  private func reader(_ text: String) throws -> MappingReader {
    try YAMLDocument.parse(text, file: "plan.yaml").mapping()
  }

  @Test func namesTheUnknownKeyItsLineAndTheLikelyOne() throws {
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

  @Test func suggestsNothingForAWordThatIsLikeNone() throws {
    var reader = try reader("colour: red\n")
    _ = reader.optional("interval")
    #expect(
      throws: YAMLError(
        file: "plan.yaml", line: 1, column: 1,
        reason: "unknown key ‘colour’; the keys here are interval")
    ) { try reader.finish() }
  }

  @Test func aMissingKeyIsNamed() throws {
    var reader = try reader("start: now\n")
    #expect(
      throws: YAMLError(
        file: "plan.yaml", line: 1, column: 1, reason: "the key ‘title’ is missing")
    ) { try reader.required("title") }
  }

  @Test func aMisspeltRequiredKeyIsNamedWhereItStands() throws {
    var reader = try reader("start: now\ntitel: x\n")
    #expect(
      throws: YAMLError(
        file: "plan.yaml", line: 2, column: 1,
        reason: "unknown key ‘titel’ (did you mean ‘title’?)")
    ) { try reader.required("title") }
  }

  @Test func anEmptyValueIsLeftOut() throws {
    var reader = try reader("end:\nnote: ~\ntext: ''\n")
    #expect(reader.optional("end") == nil)
    #expect(reader.optional("note") == nil)
    #expect(try reader.required("text").scalar() == YAMLScalar("", isQuoted: true))
    #expect(throws: Never.self) { try reader.finish() }
  }
}
