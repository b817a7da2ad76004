public import Care
public import Foundation

// Surveys and answers: Questionnaire and QuestionnaireResponse of R4.

extension FHIRCoder {
  /// The address of a task's questionnaire.
  static func questionnaire(of task: PlannedTask) -> String {
    FHIRName.base + "questionnaire:" + FHIRName.id(of: "Questionnaire", [task.patient, task.id])
  }

  /// The questions of a task as Questionnaire.
  public func questionnaire(_ task: PlannedTask) throws(FHIRRefusal) -> FHIRValue {
    var resource: FHIRObject = [
      "resourceType": "Questionnaire",
      "id": .string(FHIRName.id(of: "Questionnaire", [task.patient, task.id])),
      "url": .string(Self.questionnaire(of: task)), "title": .string(task.title),
      "status": "active", "subjectType": .array(["Patient"]),
    ]
    var items: [FHIRValue] = []
    for question in task.survey { items.append(try item(question)) }
    resource["item"] = .list(items)
    return try finished(resource)
  }

  private func item(_ question: SurveyQuestion) throws(FHIRRefusal) -> FHIRValue {
    let path = "Questionnaire.item"
    var extensions: [FHIRValue] = []
    func limit(_ url: String, _ number: Double?) throws(FHIRRefusal) {
      guard let number else { return }
      guard let decimal = FHIRDecimal(exactly: number) else {
        throw FHIRRefusal(at: path, .notExpressible)
      }
      let whole = question.type == .scale ? Int32(exactly: number) : nil
      extensions.append(
        whole.map { Self.extension(url, "valueInteger", .integer(Int($0))) }
          ?? Self.extension(url, "valueDecimal", .number(decimal)))
    }
    try limit(FHIRName.minimum, question.minimum)
    try limit(FHIRName.maximum, question.maximum)
    try limit(
      question.type == .scale ? FHIRName.sliderStep : FHIRName.extension("step"), question.step)
    if let unit = question.unit {
      extensions.append(
        Self.extension(
          FHIRName.unit, "valueCoding",
          FHIRCoding(system: FHIRName.ucum, code: unit.code, display: unit.symbol).value))
    }
    if !question.anchors.isEmpty {
      extensions.append(try Self.codedExtension("anchors", question.anchors, at: path))
    }
    if question.type == .video {
      extensions.append(Self.extension(FHIRName.extension("video"), "valueBoolean", true))
    }
    var item: FHIRObject = [
      "extension": .list(extensions), "linkId": .string(question.kind),
      "text": question.title.map { .string($0) }, "type": .string(question.type.itemType),
      "required": .boolean(!question.isOptional),
    ]
    if question.type == .choices { item["repeats"] = true }
    item["answerOption"] = .list(
      question.choices.map { .object(["valueString": .string($0)]) })
    return .object(item)
  }

  /// The questions of a Questionnaire; groups are resolved into their questions.
  public func survey(_ value: FHIRValue) throws(FHIRRefusal) -> FHIRReading<[SurveyQuestion]> {
    let node = try opened(value, "Questionnaire")
    let survey = try survey(node)
    for key in ["url", "title", "name", "description", "subjectType"] { node[key]?.take() }
    return FHIRReading(value: survey, omitted: try node.finish())
  }

  func survey(_ node: FHIRNode) throws(FHIRRefusal) -> [SurveyQuestion] {
    _ = try node.text("status", among: ["active", "draft"])
    var questions: [SurveyQuestion] = []
    try read(node.list("item"), into: &questions)
    guard !questions.isEmpty else { throw node.refusal(.missing, of: "item") }
    return questions
  }

  private func read(
    _ items: [FHIRNode], into questions: inout [SurveyQuestion]
  ) throws(FHIRRefusal) {
    for item in items {
      let type = item.text("type") ?? ""
      switch type {
      case "group":
        _ = item.text("linkId")
        _ = item.flag("required")
        if item.text("text") != nil { item.log.note(item.path + ".text") }
        try read(item.list("item"), into: &questions)
      case "display":
        item.take()
        item.log.note(item.path)
      default:
        let question = try question(item, type)
        guard !questions.contains(where: { $0.kind == question.kind }) else {
          throw item.refusal(.contradiction(rule: "que-2"), of: "linkId")
        }
        questions.append(question)
      }
    }
  }

  private func question(_ item: FHIRNode, _ type: String) throws(FHIRRefusal) -> SurveyQuestion {
    func limit(_ url: String) throws(FHIRRefusal) -> Double? {
      guard let value = try item.extended(url) else { return nil }
      guard case .number(let number) = value else {
        throw item.refusal(.wrongType(expected: "decimal"), of: "extension")
      }
      return number.double
    }
    let (minimum, maximum) = (try limit(FHIRName.minimum), try limit(FHIRName.maximum))
    let slider = try limit(FHIRName.sliderStep)
    let step = try limit(FHIRName.extension("step"))
    var unit: UnitOfMeasure?
    if let coding = try item.extended(FHIRName.unit)?.object {
      let code = coding["code"]?.text ?? ""
      guard let known = UnitOfMeasure(code) else {
        throw item.refusal(.unsupportedValue(code), of: "extension")
      }
      unit = known
    }
    let anchors = try Self.decodedExtension([String].self, "anchors", of: item) ?? []
    let isVideo = try item.extended(FHIRName.extension("video")) == .boolean(true)
    let repeats = item.flag("repeats") ?? false
    if item.flag("readOnly") == true { throw item.refusal(.unsupported, of: "readOnly") }
    guard !repeats || type == "choice" else { throw item.refusal(.unsupported, of: "repeats") }
    let choices = try choices(item)
    let answer: SurveyQuestion.AnswerType
    var ownStep = step
    switch type {
    case "boolean": answer = .boolean
    case "decimal": answer = .number
    case "integer":
      // ResearchKit's scales have a few steps; more are a whole number.
      let span = minimum.flatMap { low in maximum.map { ($0 - low) / (slider ?? 1) } }
      let isScale = span.map { $0 >= 1 && $0 <= Double(SurveyQuestion.scaleSteps.upperBound) }
      answer = isScale ?? false ? .scale : .number
      ownStep = answer == .scale ? slider : slider ?? 1
    case "string", "text": answer = .text
    case "date": answer = .date
    case "time": answer = .time
    case "choice": answer = repeats ? .choices : .choice
    case "attachment": answer = isVideo ? .video : .photo
    default: throw item.refusal(.unsupportedValue(type), of: "type")
    }
    if item.number("maxLength") != nil { item.log.note(item.path + ".maxLength") }
    let isRequired = item.flag("required") ?? false
    do throws(SurveyError) {
      return try SurveyQuestion(
        kind: item.text("linkId") ?? "", type: answer, title: item.text("text"),
        minimum: minimum, maximum: maximum, step: ownStep, unit: unit, choices: choices,
        anchors: anchors, isOptional: !isRequired)
    } catch {
      throw item.refusal(.invalid(String(describing: error)))
    }
  }

  private func choices(_ item: FHIRNode) throws(FHIRRefusal) -> [String] {
    var choices: [String] = []
    for option in item.list("answerOption") {
      if option.flag("initialSelected") == true {
        throw option.refusal(.unsupported, of: "initialSelected")
      }
      if let coding = option["valueCoding"] {
        let object = coding.take().object
        let words = object?["display"]?.text ?? object?["code"]?.text
        choices.append(try coding.required(words, "code"))
      } else if let text = ["valueString", "valueDate", "valueTime"].compactMap(option.text).first {
        choices.append(text)
      } else if let number = option.number("valueInteger") {
        choices.append(number.description)
      } else {
        throw option.refusal(.unsupported)
      }
    }
    return choices
  }

  // MARK: Answers

  /// The answers of an outcome to a task's questions as QuestionnaireResponse.
  public func response(
    _ outcome: Outcome, to task: PlannedTask
  ) throws(FHIRRefusal) -> FHIRValue {
    var resource: FHIRObject = [
      "resourceType": "QuestionnaireResponse",
      "id": .string(FHIRName.id(of: "QuestionnaireResponse", outcome.key.parts)),
      "questionnaire": .string(Self.questionnaire(of: task)), "status": "completed",
      "subject": reference(to: task.patient),
      "authored": FHIRTime.text(outcome.createdDate, in: timeZone).map { .string($0) },
    ]
    var items: [FHIRValue] = []
    for question in task.survey {
      let values = outcome.values.filter { $0.kind == question.kind }
      guard !values.isEmpty else { continue }
      var answers: [FHIRValue] = []
      for value in values {
        answers.append(try answer(value, at: "QuestionnaireResponse.item.answer"))
      }
      items.append(
        .object(["linkId": .string(question.kind), "answer": .array(answers)]))
    }
    resource["item"] = .list(items)
    return try finished(resource)
  }

  private func answer(_ value: OutcomeValue, at path: String) throws(FHIRRefusal) -> FHIRValue {
    var answer = FHIRObject()
    var extensions = try stamp(value)
    switch value.value {
    case .integer(let number) where value.unit == nil && Int32(exactly: number) != nil:
      answer["valueInteger"] = .number(FHIRDecimal(number))
    case .double(let number) where value.unit == nil && FHIRDecimal(exactly: number) != nil:
      answer["valueDecimal"] = FHIRDecimal(exactly: number).map { .number($0) }
    case .boolean(let flag): answer["valueBoolean"] = .boolean(flag)
    case .text(let text) where !text.isEmpty: answer["valueString"] = .string(text)
    default: extensions.append(try Self.codedExtension("value", value.value, at: path))
    }
    if let unit = value.unit {
      extensions.append(try Self.codedExtension("unit", unit, at: path))
    }
    answer["extension"] = .array(extensions)
    return .object(answer)
  }

  /// The answers of a QuestionnaireResponse to these questions, as values of an outcome.
  ///
  /// - Parameters:
  ///   - value: The resource.
  ///   - survey: The questions.
  ///   - time: When a foreign one was answered that does not say it.
  /// - Returns: The values, each of which fits its question.
  /// - Throws: ``FHIRRefusal`` for an answer that no question asks for, or that does not fit.
  public func answers(
    _ value: FHIRValue, to survey: [SurveyQuestion], time: Date
  ) throws(FHIRRefusal) -> FHIRReading<[OutcomeValue]> {
    let node = try opened(value, "QuestionnaireResponse")
    _ = try node.text("status", among: ["completed", "amended"])
    for key in ["questionnaire", "subject"] { node[key]?.take() }
    let authored = node.text("authored").flatMap(FHIRTime.init)?.start(in: timeZone) ?? time
    var values: [OutcomeValue] = []
    try read(node.list("item"), of: survey, at: authored, into: &values)
    for question in survey {
      do throws(AnswerError) {
        try question.check(values.filter { $0.kind == question.kind })
      } catch {
        throw node.refusal(.invalid("\(question.kind): \(error)"), of: "item")
      }
    }
    return FHIRReading(value: values, omitted: try node.finish())
  }

  private func read(
    _ items: [FHIRNode], of survey: [SurveyQuestion], at time: Date,
    into values: inout [OutcomeValue]
  ) throws(FHIRRefusal) {
    for item in items {
      let kind = item.text("linkId") ?? ""
      let question = survey.first { $0.kind == kind }
      for answer in item.list("answer") {
        guard let question else { throw item.refusal(.unknownReference(kind), of: "linkId") }
        values.append(try value(answer, of: question, at: time))
      }
      try read(item.list("item"), of: survey, at: time, into: &values)
    }
  }

  private func value(
    _ answer: FHIRNode, of question: SurveyQuestion, at time: Date
  ) throws(FHIRRefusal) -> OutcomeValue {
    var value = OutcomeValue(
      value: .boolean(true), unit: question.unit, kind: question.kind, time: time,
      provenance: .manual)
    let isOwn = try readStamp(answer, into: &value)
    if isOwn { value.unit = try Self.decodedExtension(UnitOfMeasure.self, "unit", of: answer) }
    if let coded = try Self.decodedExtension(Value.self, "value", of: answer) {
      value.value = coded
    } else if let number = answer.number("valueInteger"), let whole = number.integer {
      value.value = .integer(whole)
    } else if let number = answer.number("valueDecimal") {
      value.value = .double(number.double)
    } else if let flag = answer.flag("valueBoolean") {
      value.value = .boolean(flag)
    } else if let text = ["valueString", "valueDate", "valueTime"].compactMap(answer.text).first {
      value.value = .text(text)
    } else if let coding = answer["valueCoding"] {
      let object = coding.take().object
      let words = object?["display"]?.text ?? object?["code"]?.text
      value.value = .text(try coding.required(words, "code"))
    } else {
      throw answer.refusal(.unsupported)
    }
    return value
  }
}

extension SurveyQuestion.AnswerType {
  /// The type of an item of FHIR.
  fileprivate var itemType: String {
    switch self {
    case .scale: "integer"
    case .number: "decimal"
    case .text: "text"
    case .boolean: "boolean"
    case .choice, .choices: "choice"
    case .date: "date"
    case .time: "time"
    case .photo, .video: "attachment"
    }
  }
}

extension EventKey {
  /// The key that tells an event from others.
  var parts: [String] { [patient, task, String(start.microseconds), String(ordinal)] }
}
