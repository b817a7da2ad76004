import Care
import Radio
import TestSupport
import Testing

@testable import DeviceCatalog

/// The answers to the frames of a link.
struct AnswerRuleTests {
  private func bench() throws -> SessionBench {
    let definition = try SampleDefinition.definition(
      "    - subscribe: \"2A9D\"\n",
      """
          - subscribe: "2A9D"
        answers:
          - to: {characteristic: "2A9D", bytes: 0?, length: 3}
            write: {characteristic: FFF1, data: [{hex: b0}, {copy: {at: 0}}], response: false}

      """)
    var bench = SessionBench(definition)
    _ = try bench.connect(["2A9D", "FFF1"])
    return bench
  }

  private func written(_ data: String) throws -> RadioCommand {
    .write(
      SessionBench.address, characteristic: try uuid("FFF1"), data: bytes(data),
      withResponse: false)
  }

  @Test func `follow the reading`() throws {
    var bench = try bench()
    let outputs = try bench.value("2A9D", "01 803e")
    #expect(outputs.count == 2)
    #expect(outputs.readings.first == outputs.first.flatMap { [$0].readings.first })
    #expect(outputs.commands == [try written("b001")])
    #expect(try bench.value("2A9D", "02 803e").commands == [try written("b002")])
  }

  @Test func `are only for frames that fit`() throws {
    var bench = try bench()
    #expect(try bench.value("2A9D", "11 803e").commands == [])
    #expect(try bench.value("FFF1", "01 803e").commands == [])
  }

  @Test func `are not for frames that are refused`() throws {
    var bench = try bench()
    let outputs = try bench.value("2A9D", "01 80")
    #expect(outputs.rejections.count == 1)
    #expect(outputs.commands == [])
  }

  /// A record that could not be read must stay on the device, until a link on which all could be.
  @Test func `delete nothing after a refused frame`() throws {
    let definition = try SampleDefinition.definition(
      "    - subscribe: \"2A9D\"\n",
      """
          - subscribe: "2A9D"
        answers:
          - to: {characteristic: "2A9D", bytes: 0?, length: 3}
            write: {characteristic: FFF1, hex: b1, response: false}
          - to: {characteristic: "2A9D", bytes: 0?, length: 3}
            write: {characteristic: FFF1, hex: d1, response: false}
            deletes: true

      """)
    var bench = SessionBench(definition)
    let both = [try written("b1"), try written("d1")]
    _ = try bench.connect(["2A9D", "FFF1"])
    #expect(try bench.value("2A9D", "01 803e").commands == both)
    #expect(try bench.value("2A9D", "01 80", at: 1).rejections.count == 1)
    #expect(try bench.value("2A9D", "02 803e", at: 2).commands == [try written("b1")])
    _ = bench.handle(.disconnected(SessionBench.address), at: 3)
    _ = try bench.connect(["2A9D", "FFF1"], at: 10)
    #expect(try bench.value("2A9D", "03 803e", at: 11).commands == both)
  }

  @Test func `are not for values that are held back`() {
    let text = SampleDefinition.lines
      .replacing(
        "    - subscribe: \"2A9D\"\n",
        with: """
              - subscribe: "2A9D"
            answers:
              - to: {characteristic: "2A9D", bytes: "01"}
                write: {characteristic: FFF1, hex: "00"}

          """
      )
      .replacing(
        "    length: 3\n",
        with: "    length: 3\n    commit: {equal: 2, quantity: bodyMass}\n"
      )
    #expect(
      DeviceCatalog.lint([[DefinitionFile(name: "sample.yaml", text: text)]]).map(\.reason) == [
        "a frame is answered whose value is held back until another frame comes"
      ])
  }

  @Test func `need a subscription`() {
    let file = SampleDefinition.file(
      "    - subscribe: \"2A9D\"\n",
      """
          - subscribe: "2A9D"
        answers:
          - to: {characteristic: FFF2, bytes: "00"}
            write: {characteristic: FFF1, hex: "00"}

      """)
    #expect(
      DeviceCatalog.lint([[file]]).map(\.reason) == [
        "the session answers FFF2, which nothing subscribes to"
      ])
  }
}
