/// A question that a person answers for an event; the answer is the outcome's value of its kind.
public struct SurveyQuestion: Hashable, Sendable {
  /// The types of answers.
  public enum AnswerType: String, Hashable, Sendable, Codable, CaseIterable {
    /// A whole number on a scale of a few steps.
    case scale
    /// A number.
    case number
    case text
    /// Yes or no.
    case boolean
    /// One of the choices.
    case choice
    /// Any of the choices, each once; a value for each.
    case choices
    /// A day, as text: `2026-11-20`.
    case date
    /// A time of day, as text: `07:30`.
    case time
    /// A picture.
    case photo
    /// A video.
    case video
  }

  /// The kind of the outcome's values that answer it: `pain`.
  public let kind: String
  /// The type of its answers.
  public let type: AnswerType
  /// The question for people; `nil` for the kind.
  public let title: String?
  /// The minimum answer, of a scale or number.
  public let minimum: Double?
  /// The maximum answer, of a scale or number.
  public let maximum: Double?
  /// The step between answers, counted from the minimum (0 without one); of a scale 1 if not given.
  public let step: Double?
  /// The unit of a scale or number.
  public let unit: UnitOfMeasure?
  /// The possible answers of a choice, each once.
  public let choices: [String]
  /// The words for the minimum and the maximum of a scale; empty without any.
  public let anchors: [String]
  /// Whether it may be left unanswered.
  public let isOptional: Bool

  /// The bounds of a scale; ResearchKit's.
  public static let scaleBounds = -10_000.0...10_000
  /// The number of steps of a scale, one fewer than its answers; ResearchKit's.
  public static let scaleSteps = 1...13

  /// Makes a question.
  ///
  /// - Throws: ``SurveyError`` for a question that no answer could fit, or a property that its type
  ///   does not have. A scale has whole limits in ``scaleBounds``, a whole step of at least 1 that
  ///   divides the span, and ``scaleSteps`` of them.
  public init(
    kind: String, type: AnswerType, title: String? = nil, minimum: Double? = nil,
    maximum: Double? = nil, step: Double? = nil, unit: UnitOfMeasure? = nil,
    choices: [String] = [], anchors: [String] = [], isOptional: Bool = false
  ) throws(SurveyError) {
    guard !kind.isEmpty else { throw .noKind }
    let given: [(SurveyError.Property, Bool)] = [
      (.minimum, minimum != nil), (.maximum, maximum != nil), (.step, step != nil),
      (.unit, unit != nil), (.choices, !choices.isEmpty), (.anchors, !anchors.isEmpty),
    ]
    for (property, isGiven) in given where isGiven {
      guard type.properties.contains(property) else { throw .superfluous(property, type: type) }
    }
    switch type {
    case .scale:
      try Self.checkScale(minimum, maximum, step ?? 1)
      guard anchors.isEmpty || anchors.count == 2 && !anchors.contains("") else {
        throw .anchorsNotTwo
      }
    case .number: try Self.checkNumber(minimum, maximum, step)
    case .choice, .choices: try Self.check(choices)
    case .text, .boolean, .date, .time, .photo, .video: break
    }
    self.kind = kind
    self.type = type
    self.title = title
    self.minimum = minimum
    self.maximum = maximum
    self.step = step
    self.unit = unit
    self.choices = choices
    self.anchors = anchors
    self.isOptional = isOptional
  }
}

// MARK: - Rules

extension SurveyQuestion.AnswerType {
  /// The kind of attachment that an answer is; `nil` for an answer that is none.
  public var mediaKind: MediaType.Kind? {
    switch self {
    case .photo: .picture
    case .video: .video
    case .scale, .number, .text, .boolean, .choice, .choices, .date, .time: nil
    }
  }

  /// The properties that a question of this type can have.
  var properties: Set<SurveyError.Property> {
    switch self {
    case .scale: [.minimum, .maximum, .step, .unit, .anchors]
    case .number: [.minimum, .maximum, .step, .unit]
    case .choice, .choices: [.choices]
    case .text, .boolean, .date, .time, .photo, .video: []
    }
  }
}

extension SurveyQuestion {
  private static func checkScale(
    _ minimum: Double?, _ maximum: Double?, _ step: Double
  ) throws(SurveyError) {
    guard let minimum else { throw .missing(.minimum) }
    guard let maximum else { throw .missing(.maximum) }
    for (property, value) in [(SurveyError.Property.minimum, minimum), (.maximum, maximum)] {
      guard scaleBounds.contains(value) else { throw .outOfBounds(property) }
      guard value == value.rounded() else { throw .notWhole(property) }
    }
    guard step == step.rounded() else { throw .notWhole(.step) }
    guard step >= 1 else { throw .stepNotPositive }
    guard minimum < maximum else { throw .emptySpan }
    let steps = (maximum - minimum) / step
    guard steps == steps.rounded() else { throw .stepDoesNotDivideSpan }
    guard steps <= Double(scaleSteps.upperBound) else {
      throw .tooManySteps(Int(saturating: steps))
    }
  }

  private static func checkNumber(
    _ minimum: Double?, _ maximum: Double?, _ step: Double?
  ) throws(SurveyError) {
    for (property, value) in [
      (SurveyError.Property.minimum, minimum), (.maximum, maximum), (.step, step),
    ] {
      guard let value else { continue }
      guard value.isFinite else { throw .outOfBounds(property) }
      guard Value.numbers.contains(value) else { throw .tooLarge(property) }
    }
    if let step, step <= 0 { throw .stepNotPositive }
    if let minimum, let maximum, minimum > maximum { throw .emptySpan }
  }

  private static func check(_ choices: [String]) throws(SurveyError) {
    guard !choices.isEmpty else { throw .missing(.choices) }
    var seen: Set<String> = []
    for choice in choices {
      guard seen.insert(choice).inserted else { throw .repeatedChoice(choice) }
    }
  }
}

/// Why a question is invalid.
public enum SurveyError: Error, Hashable, Sendable {
  /// A property that only some types have.
  public enum Property: String, Hashable, Sendable {
    case minimum, maximum, step, unit, choices, anchors
  }

  /// The kind is empty.
  case noKind
  /// The type needs a property.
  case missing(Property)
  /// The type has no such property.
  case superfluous(Property, type: SurveyQuestion.AnswerType)
  /// A limit or step is not a number, or a scale's outside ``SurveyQuestion/scaleBounds``.
  case outOfBounds(Property)
  /// A limit or the step is outside ``Value/numbers``.
  case tooLarge(Property)
  /// A property of a scale is not a whole number.
  case notWhole(Property)
  /// The step is not above 0, or that of a scale is below 1.
  case stepNotPositive
  /// The maximum is below the minimum, or that of a scale equal to it.
  case emptySpan
  /// The step does not divide a scale's span.
  case stepDoesNotDivideSpan
  /// The scale has more than ``SurveyQuestion/scaleSteps``.
  case tooManySteps(Int)
  /// A scale has words for one of its ends, or for more than two.
  case anchorsNotTwo
  /// A choice is given twice.
  case repeatedChoice(String)
}

// MARK: - Answers

extension SurveyQuestion {
  /// Checks the answers to this question.
  ///
  /// - Parameter answers: The values of its kind.
  /// - Throws: ``AnswerError``.
  public func check(_ answers: [OutcomeValue]) throws(AnswerError) {
    guard !answers.isEmpty || isOptional else { throw .missing }
    var chosen: Set<Value> = []
    for answer in answers {
      try check(answer)
      // Only of choices there may be several, each once.
      guard type == .choices ? chosen.insert(answer.value).inserted : answers.count == 1 else {
        throw .repeated
      }
    }
  }

  private func check(_ answer: OutcomeValue) throws(AnswerError) {
    switch (type, answer.value) {
    case (.scale, .integer), (.scale, .double), (.number, .integer), (.number, .double):
      try checkLimits(try number(of: answer))
    case (.choice, .text(let text)), (.choices, .text(let text)):
      guard choices.contains(text) else { throw .unknownChoice(text, choices: choices) }
    case (.date, .text(let text)):
      guard CalendarDate(text) != nil else { throw .wrongType(expected: type) }
    case (.time, .text(let text)):
      guard LocalDateTime("1970-01-01T" + text) != nil else { throw .wrongType(expected: type) }
    case (.photo, .attachment(let attachment)), (.video, .attachment(let attachment)):
      guard attachment.type.kind == type.mediaKind else { throw .wrongType(expected: type) }
    case (.text, .text), (.boolean, .boolean), (.date, .date): break
    default: throw .wrongType(expected: type)
    }
  }

  /// The number of an answer in the question's unit.
  private func number(of answer: OutcomeValue) throws(AnswerError) -> Double {
    guard let number = answer.value.number, number.isFinite else {
      throw .wrongType(expected: type)
    }
    guard let unit = answer.unit else { return number }
    guard let converted = unit.convert(number, to: self.unit ?? .one) else {
      throw .otherDimension(unit, expected: self.unit ?? .one)
    }
    return converted
  }

  private func checkLimits(_ number: Double) throws(AnswerError) {
    guard number >= minimum ?? number, number <= maximum ?? number else {
      throw .outOfRange(number, minimum: minimum, maximum: maximum, unit: unit)
    }
    guard let step = step ?? (type == .scale ? 1 : nil) else { return }
    let steps = (number - (minimum ?? 0)) / step
    // 0.3 is three steps of 0.1, though not in binary.
    guard abs(steps - steps.rounded()) <= 1e-9 * max(1, abs(steps)) else {
      throw .offStep(number, step: step, minimum: minimum, unit: unit)
    }
  }
}

/// Why an answer does not fit its question.
public enum AnswerError: Error, Hashable, Sendable {
  /// There is none, and the question is not optional.
  case missing
  /// There is more than one, or one choice twice.
  case repeated
  /// The value is not of the question's type.
  case wrongType(expected: SurveyQuestion.AnswerType)
  /// The number is outside the limits, all in `unit`.
  case outOfRange(Double, minimum: Double?, maximum: Double?, unit: UnitOfMeasure?)
  /// The number is between two steps, counted from `minimum`, or from 0 without one.
  case offStep(Double, step: Double, minimum: Double?, unit: UnitOfMeasure?)
  /// The text is none of the choices.
  case unknownChoice(String, choices: [String])
  /// The unit cannot be converted to the question's.
  case otherDimension(UnitOfMeasure, expected: UnitOfMeasure)
}

// MARK: - Coding

/// A question is coded as in a plan; a property only if it is given.
extension SurveyQuestion: Codable {
  private enum CodingKeys: String, CodingKey {
    case kind, type, title, minimum, maximum, step, unit, choices, anchors
    case isOptional = "optional"
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    try self.init(
      kind: container.decode(String.self, forKey: .kind),
      type: container.decode(AnswerType.self, forKey: .type),
      title: container.decodeIfPresent(String.self, forKey: .title),
      minimum: container.decodeIfPresent(Double.self, forKey: .minimum),
      maximum: container.decodeIfPresent(Double.self, forKey: .maximum),
      step: container.decodeIfPresent(Double.self, forKey: .step),
      unit: container.decodeIfPresent(UnitOfMeasure.self, forKey: .unit),
      choices: container.decodeIfPresent([String].self, forKey: .choices) ?? [],
      anchors: container.decodeIfPresent([String].self, forKey: .anchors) ?? [],
      isOptional: container.decodeIfPresent(Bool.self, forKey: .isOptional) ?? false)
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(kind, forKey: .kind)
    try container.encode(type, forKey: .type)
    try container.encodeIfPresent(title, forKey: .title)
    try container.encodeIfPresent(minimum, forKey: .minimum)
    try container.encodeIfPresent(maximum, forKey: .maximum)
    try container.encodeIfPresent(step, forKey: .step)
    try container.encodeIfPresent(unit, forKey: .unit)
    try container.encodeIfNotEmpty(choices, forKey: .choices)
    try container.encodeIfNotEmpty(anchors, forKey: .anchors)
    if isOptional { try container.encode(true, forKey: .isOptional) }
  }
}
