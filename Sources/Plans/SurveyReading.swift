import Care
import StrictYAML

extension PlanReader {
  /// The questions of a task, each kind once.
  func survey(_ node: YAMLNode?) throws(YAMLError) -> [SurveyQuestion] {
    try list(
      node, twice: { "there are two questions ‘\($0.kind)’" }, isSame: { $0.kind == $1.kind }
    ) { node throws(YAMLError) in
      try question(node)
    }
  }

  private func question(_ node: YAMLNode) throws(YAMLError) -> SurveyQuestion {
    var reader = try node.mapping()
    let kind = try reader.required("kind").identifier()
    let type: SurveyQuestion.AnswerType = try reader.required("type").choice()
    let title = try reader.optional("title")?.string()
    let minimum = try reader.optional("minimum")?.number()
    let maximum = try reader.optional("maximum")?.number()
    let step = try reader.optional("step")?.number()
    let unit = try reader.optional("unit")?.unit()
    let choices = try texts(reader.optional("choices"))
    let anchors = try texts(reader.optional("anchors"))
    let isOptional = try reader.optional("optional")?.boolean() ?? false
    try reader.finish()
    do {
      return try SurveyQuestion(
        kind: kind, type: type, title: title, minimum: minimum, maximum: maximum, step: step,
        unit: unit, choices: choices, anchors: anchors, isOptional: isOptional)
    } catch {
      throw reader.location(of: error.key).error(error.fault)
    }
  }
}

extension SurveyError {
  /// The mistake in the question.
  fileprivate var fault: YAMLError.Fault {
    switch self {
    case .noKind: .invalid("the kind is empty")
    case .missing(let property): .missingKey(property.rawValue)
    case .superfluous(let property, let type):
      .invalid("a question of type \(type.rawValue) has no \(property.rawValue), so leave this out")
    case .outOfBounds(let property):
      .invalid("the \(property.rawValue) of a scale is between -10000 and 10000")
    case .tooLarge(let property):
      .invalid("the \(property.rawValue) is a number between -10^30 and 10^30")
    case .notWhole(let property):
      .invalid(
        "the \(property.rawValue) of a scale is a whole number; for decimals take type: number")
    case .stepNotPositive: .invalid("the step must be greater than 0, of a scale at least 1")
    case .emptySpan: .invalid("the maximum must be greater than the minimum")
    case .stepDoesNotDivideSpan:
      .invalid("the step must divide the span from minimum to maximum")
    case .tooManySteps(let steps):
      .invalid(
        "a scale has at most \(SurveyQuestion.scaleSteps.upperBound) steps, this one has \(steps);"
          + " give a larger step, or take type: number")
    case .anchorsNotTwo:
      .invalid("anchors are two texts, for the minimum and for the maximum")
    case .repeatedChoice(let choice): .repetition("‘\(choice)’ is given twice")
    }
  }

  /// The key of the question's invalid value.
  fileprivate var key: String {
    switch self {
    case .noKind: "kind"
    case .missing: ""
    case .superfluous(let property, _), .outOfBounds(let property), .tooLarge(let property),
      .notWhole(let property):
      property.rawValue
    case .stepNotPositive, .stepDoesNotDivideSpan: "step"
    case .emptySpan, .tooManySteps: "maximum"
    case .anchorsNotTwo: "anchors"
    case .repeatedChoice: "choices"
    }
  }
}

// MARK: - Thresholds

extension PlanReader {
  /// The thresholds of a task.
  func thresholds(_ node: YAMLNode?) throws(YAMLError) -> [Threshold] {
    var thresholds: [Threshold] = []
    for element in try node?.sequence() ?? [] { thresholds.append(try threshold(element)) }
    return thresholds
  }

  private func threshold(_ node: YAMLNode) throws(YAMLError) -> Threshold {
    var reader = try node.mapping()
    let kind = try reader.optional("kind")?.identifier()
    let alerts = try reader.optional("alert")?.boolean() ?? false
    let condition = try condition(&reader, of: "a threshold")
    let says = try reader.required("says").string()
    try reader.finish()
    return Threshold(kind: kind, condition: condition, says: says, alerts: alerts)
  }

  /// The one condition of a threshold or of a rule.
  func condition(
    _ reader: inout MappingReader, of owner: String
  ) throws(YAMLError) -> Threshold.Condition {
    var conditions: [Threshold.Condition] = []
    for (key, condition) in Threshold.Condition.byKey {
      if let node = reader.optional(key) { conditions.append(condition(try node.number())) }
    }
    if let node = reader.optional("between") {
      let isInclusive = try reader.optional("inclusive")?.boolean() ?? false
      let limits = try node.limits()
      conditions.append(.between(limits.lower, limits.upper, isInclusive: isInclusive))
    } else if reader.optional("inclusive") != nil {
      throw reader.location(of: "inclusive").error("only ‘between’ can be inclusive")
    }
    guard let condition = conditions.first, conditions.count == 1 else {
      let names = Threshold.Condition.byKey.map(\.key) + ["between"]
      // A misspelt condition is reported as an unknown key.
      if conditions.isEmpty {
        _ = reader.optional("says")
        try reader.finish()
      }
      throw reader.location.error("\(owner) has one of \(names.joined(separator: ", "))")
    }
    return condition
  }
}

extension Threshold.Condition {
  /// The conditions with a single limit.
  static var byKey: [(key: String, condition: (Double) -> Self)] {
    [
      ("above", Self.above), ("atLeast", Self.atLeast), ("below", Self.below),
      ("atMost", Self.atMost), ("equal", Self.equal),
    ]
  }
}

extension YAMLNode {
  /// Two numbers, the lower one first.
  fileprivate func limits() throws(YAMLError) -> (lower: Double, upper: Double) {
    let nodes = try sequence()
    guard nodes.count == 2 else { throw error("expected two numbers such as [65, 85]") }
    let (lower, upper) = (try nodes[0].number(), try nodes[1].number())
    guard lower <= upper else { throw error("the lower limit comes first") }
    return (lower, upper)
  }
}
