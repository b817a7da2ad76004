import Actions
import ArgumentParser
import Care
import Localization
import Testing

@testable import Commands
@testable import Terminal

/// `measured outcome set`: values with the units and kinds that follow them.
@Suite struct OutcomeCommandTests {
  private func entries(_ arguments: String...) throws -> [EnteredValue] {
    let command = try OutcomeCommand.Set.parse(
      ["--task", "check-in", "--occurrence", "3"] + arguments)
    return try command.values.entries()
  }

  @Test func `gives each value the unit and kind behind it`() throws {
    let kilograms = try #require(UnitOfMeasure("kg"))
    let hours = try #require(UnitOfMeasure("h"))
    #expect(
      try entries("--value", "4", "--kind", "pain", "--value", "7.5", "--unit", "h")
        == [
          EnteredValue(text: "4", kind: "pain"),
          EnteredValue(text: "7.5", unit: hours),
        ])
    #expect(
      try entries("--value=1", "--value=2", "--kind=late", "--unit=kg")
        == [
          EnteredValue(text: "1"),
          EnteredValue(text: "2", unit: kilograms, kind: "late"),
        ])
    #expect(try entries().isEmpty)
  }

  /// Only the parser knows which words are operands of another option.
  @Test func `takes no operand of another option for a value`() throws {
    let command = try OutcomeCommand.Set.parse([
      "--task=--value", "--occurrence", "3", "--value", "5", "--patient=--kind", "--kind", "pain",
    ])
    #expect(command.reference.task == "--value")
    #expect(
      try command.values.entries() == [EnteredValue(text: "5", kind: "pain")])
  }

  @Test func `refuses a unit or kind before the first value`() throws {
    for (option, text) in [("--unit", "kg"), ("--kind", "pain")] {
      #expect(
        throws: CommandFailure(
          .malformedArgument, .verbatim("\(option) \(text) comes before any --value"))
      ) {
        try entries(option, text, "--value", "4")
      }
    }
  }

  @Test func `refuses an unknown unit`() throws {
    let refusal = EntryRefusal.unknownUnit("ell")
    #expect(throws: refusal) { try entries("--value", "4", "--unit", "ell") }
    #expect(
      CommandFailure(refusal)
        == CommandFailure(
          .malformedArgument, LocalizedText("entry.unknownUnit", ["unit": "ell"])))
    #expect(CommandFailure(refusal).message == "there is no unit ‘ell’; try kg, /min, deg, s")
  }

  @Test(
    arguments: [
      ("12", .integer(12)), ("-1.5", .double(-1.5)), ("true", .boolean(true)),
      ("false", .boolean(false)), ("63,9", .text("63,9")), ("nan", .text("nan")),
      ("0x10", .text("0x10")),
    ] as [(String, Value)])
  func `reads a value`(text: String, value: Value) {
    #expect(Value(entered: text) == value)
  }

  /// An answer that looks like a number is a text where the question asks for one.
  @Test(
    arguments: [
      ("007", .text, .text("007")), ("3", .choice, .text("3")), ("yes", .boolean, .boolean(true)),
      ("no", .boolean, .boolean(false)), ("4", .scale, .integer(4)), ("yes", .number, .text("yes")),
    ] as [(String, SurveyQuestion.AnswerType, Value)])
  func `reads an answer`(text: String, type: SurveyQuestion.AnswerType, value: Value) {
    #expect(Value(entered: text, as: type) == value)
  }
}
