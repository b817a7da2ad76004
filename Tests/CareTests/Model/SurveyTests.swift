import Care
import Foundation
import Testing

// Swift Testing has another one.
private typealias Attachment = Care.Attachment

/// Questions, and the answers that fit them.
@Suite struct SurveyTests {
  @Test func `a scale is research kits`() throws {
    let scales: [(Double, Double, Double?)] = [
      (1, 10, nil), (0, 12, 1), (0, 13, nil), (-50, 50, 25),
    ]
    for (minimum, maximum, step) in scales {
      let question = try SurveyQuestion(
        kind: "q", type: .scale, minimum: minimum, maximum: maximum, step: step)
      #expect(question.maximum == maximum)
    }
  }

  @Test(
    arguments: [
      (0, 100, 1, .tooManySteps(100)), (0, 14, nil, .tooManySteps(14)),
      (0, 10, 3, .stepDoesNotDivideSpan), (0, 10, 0.5, .notWhole(.step)),
      (0, 10, 0, .stepNotPositive), (0, 10, -1, .stepNotPositive),
      (0.5, 3.5, 1, .notWhole(.minimum)),
      (0, 2.5, 1, .notWhole(.maximum)), (3, 3, 1, .emptySpan), (3, 1, 1, .emptySpan),
      (-10_001, 0, nil, .outOfBounds(.minimum)), (0, .infinity, nil, .outOfBounds(.maximum)),
      (.nan, 1, nil, .outOfBounds(.minimum)), (nil, 1, nil, .missing(.minimum)),
      (1, nil, nil, .missing(.maximum)),
    ] as [(Double?, Double?, Double?, SurveyError)])
  func `a scale that is none is refused`(
    minimum: Double?, maximum: Double?, step: Double?, error: SurveyError
  ) {
    #expect(throws: error) {
      try SurveyQuestion(
        kind: "q", type: .scale, minimum: minimum, maximum: maximum, step: step)
    }
  }

  @Test func `other questions have limits that can be met`() {
    #expect(throws: SurveyError.noKind) { try SurveyQuestion(kind: "", type: .text) }
    #expect(throws: SurveyError.emptySpan) {
      try SurveyQuestion(kind: "q", type: .number, minimum: 2, maximum: 1)
    }
    #expect(throws: SurveyError.stepNotPositive) {
      try SurveyQuestion(kind: "q", type: .number, step: 0)
    }
    #expect(throws: SurveyError.outOfBounds(.maximum)) {
      try SurveyQuestion(kind: "q", type: .number, maximum: .nan)
    }
    #expect(throws: SurveyError.missing(.choices)) {
      try SurveyQuestion(kind: "q", type: .choice)
    }
    #expect(throws: SurveyError.repeatedChoice("a")) {
      try SurveyQuestion(kind: "q", type: .choices, choices: ["a", "b", "a"])
    }
    #expect(throws: SurveyError.superfluous(.minimum, type: .text)) {
      try SurveyQuestion(kind: "q", type: .text, minimum: 1)
    }
    #expect(throws: SurveyError.superfluous(.choices, type: .scale)) {
      try SurveyQuestion(kind: "q", type: .scale, minimum: 1, maximum: 2, choices: ["a"])
    }
    #expect(throws: SurveyError.superfluous(.anchors, type: .number)) {
      try SurveyQuestion(kind: "q", type: .number, anchors: ["none", "worst"])
    }
    for anchors in [["none"], ["none", ""], ["none", "some", "worst"]] {
      #expect(throws: SurveyError.anchorsNotTwo) {
        try SurveyQuestion(kind: "q", type: .scale, minimum: 0, maximum: 10, anchors: anchors)
      }
    }
    #expect(throws: SurveyError.superfluous(.unit, type: .boolean)) {
      try SurveyQuestion(kind: "q", type: .boolean, unit: .kilogram)
    }
  }

  @Test(
    arguments: [
      (.number, .double(0.3), nil), (.number, .integer(-1), .outOfRange(-1)),
      (.number, .double(0.25), .offStep), (.number, .text("1"), .wrongType),
      (.number, .double(.nan), .wrongType), (.text, .text("fine"), nil),
      (.text, .integer(1), .wrongType), (.boolean, .boolean(false), nil),
      (.boolean, .text("yes"), .wrongType), (.choice, .text("well"), nil),
      (.choice, .text("wel"), .unknownChoice), (.choice, .integer(1), .wrongType),
      (.date, .text("2026-02-28"), nil), (.date, .text("2026-02-30"), .wrongType),
      (.date, .date(Date(microseconds: 0)), nil), (.date, .text("today"), .wrongType),
      (.time, .text("07:30"), nil), (.time, .text("07:30:15"), nil),
      (.time, .text("24:00"), .wrongType), (.time, .text("7:30"), .wrongType),
      (.photo, picture, nil), (.photo, video, .wrongType), (.photo, .binary([1]), .wrongType),
      (.video, video, nil), (.video, picture, .wrongType), (.video, .text("v"), .wrongType),
    ] as [(SurveyQuestion.AnswerType, Value, Refused?)])
  func `an answer has its questions type`(
    type: SurveyQuestion.AnswerType, answer: Value, refused: Refused?
  ) throws {
    let question =
      try type == .number
      ? SurveyQuestion(kind: "q", type: type, minimum: 0, maximum: 10, step: 0.1)
      : SurveyQuestion(kind: "q", type: type, choices: type == .choice ? ["well", "ill"] : [])
    let error: AnswerError? =
      switch refused {
      case nil: nil
      case .wrongType: .wrongType(expected: type)
      case .unknownChoice: .unknownChoice("wel", choices: ["well", "ill"])
      case .outOfRange(let number): .outOfRange(number, minimum: 0, maximum: 10, unit: nil)
      case .offStep: .offStep(0.25, step: 0.1, minimum: 0, unit: nil)
      }
    do throws(AnswerError) {
      try question.check([value(answer, kind: "q")])
      #expect(error == nil)
    } catch let thrown {
      #expect(thrown == error)
    }
  }

  static let picture = attachment(.jpeg)
  static let video = attachment(.mp4)

  private static func attachment(_ type: MediaType) -> Value {
    Attachment(type: type, byteCount: 1, sha256: AttachmentTests.digest).map(Value.attachment)
      ?? .binary([])
  }

  enum Refused {
    case wrongType, unknownChoice, offStep
    case outOfRange(Double)
  }

  @Test func `of choices there may be several`() throws {
    let question = try SurveyQuestion(kind: "q", type: .choices, choices: ["a", "b", "c"])
    try question.check([value(.text("c")), value(.text("a"))])
    #expect(throws: AnswerError.repeated) {
      try question.check([value(.text("c")), value(.text("c"))])
    }
    #expect(throws: AnswerError.missing) { try question.check([]) }
    let text = try SurveyQuestion(kind: "q", type: .text, isOptional: true)
    try text.check([])
    #expect(throws: AnswerError.repeated) {
      try text.check([value(.text("a")), value(.text("b"))])
    }
  }

  @Test func `an answer is converted to the questions unit`() throws {
    let question = try SurveyQuestion(
      kind: "q", type: .number, minimum: 40, maximum: 120, unit: .kilogram)
    try question.check([value(.integer(160), "lb")])
    #expect(throws: AnswerError.otherDimension(.hour, expected: .kilogram)) {
      try question.check([value(.integer(50), "h")])
    }
    let plain = try SurveyQuestion(kind: "q", type: .number)
    try plain.check([value(.integer(50), "1")])
    #expect(throws: AnswerError.otherDimension(.hour, expected: .one)) {
      try plain.check([value(.integer(50), "h")])
    }
  }

  // MARK: Thresholds

  @Test(
    arguments: [
      (.above(5), [6], [5, 4]), (.atLeast(5), [5, 6], [4]), (.below(5), [4], [5, 6]),
      (.atMost(5), [4, 5], [6]), (.equal(5), [5], [4, 6]),
      (.between(5, 7, isInclusive: true), [5, 6, 7], [4, 8]),
      (.between(5, 7, isInclusive: false), [6], [5, 7]),
      (.between(7, 5, isInclusive: true), [], [5, 6, 7]),
    ] as [(Threshold.Condition, [Double], [Double])])
  func `a threshold matches numbers`(
    condition: Threshold.Condition, matching: [Double], others: [Double]
  ) {
    let threshold = Threshold(condition: condition, says: "so")
    #expect(matching.allSatisfy(threshold.matches))
    #expect(!others.contains(where: threshold.matches))
    #expect(!threshold.matches(.nan))
  }

  @Test func `a threshold matches its kind`() {
    let high = Threshold(kind: "systolic", condition: .atLeast(140), says: "high")
    let values = [
      value(.integer(150), kind: "diastolic"), value(.integer(141), kind: "systolic"),
      value(.integer(139), kind: "systolic"), value(.text("150"), kind: "systolic"),
      value(.integer(150)),
    ]
    #expect(high.matches(in: values) == [values[1]])
    let any = Threshold(condition: .atLeast(140), says: "high")
    #expect(any.matches(in: values) == [values[0], values[1], values[4]])
  }
}
