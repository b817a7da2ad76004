import Assessments
package import Care
package import Foundation

/// The way to complete a task, as a form asks it.
enum AnswerKind: String, CaseIterable {
  /// As it is: what the form cannot say stays.
  case keep
  case check, sensor, assessment, survey, read
}

/// A task as a form describes it.
package struct TaskDraft: Sendable {
  /// The task before; `nil` for a new one.
  let original: PlannedTask?
  /// The form's fields.
  var fields: FormFields
  /// The zone of the schedule's times.
  let zone: TimeZone
  /// The current time, for a new task: what is over already begins later.
  let now: Date?

  /// The most questions of a survey that the form asks for.
  static let mostQuestions = 6
  /// The longest title and instructions, in characters.
  static let longest = (title: 200, instructions: 4000)

  /// Makes a draft; without fields it is the task as it is.
  package init(
    _ fields: FormFields? = nil, of task: PlannedTask?, in zone: TimeZone, now: Date? = nil
  ) {
    original = task
    self.zone = zone
    self.now = task == nil ? now : nil
    self.fields = fields ?? task.map { Self.fields(of: $0, in: zone) } ?? FormFields()
  }

  /// The same draft with other answers.
  func with(_ fields: FormFields) -> TaskDraft {
    var draft = self
    draft.fields = fields
    return draft
  }

  /// Shows all answers first, with the names by which the form finds the task again.
  package mutating func begin(reviewing task: PlannedTask) {
    fields["patient"] = task.patient
    fields["task"] = task.id
    fields["screen"] = WizardStep.review
  }

  // MARK: Quantities

  /// The choice of both blood pressures.
  static let pressure = "bloodPressure"
  /// The quantities that a sensor completes a task with.
  static let quantities: [Quantity] = [
    .bodyMass, .bodyFatPercentage, .pulseRate, .heartRate, .bodyTemperature, .oxygenSaturation,
    .bloodGlucose, .bloodGlucoseMass, .stepCount, .exerciseTime, .distanceWalked, .cadence,
    .walkingSpeed, .energyExpended,
  ]

  private static let pressures: [Linkage] =
    [Quantity.bloodPressureSystolic, .bloodPressureDiastolic].map {
      Linkage(quantity: $0, type: .discrete, unit: .millimetreOfMercury)
    }

  /// The assessment that the fields choose.
  var assessment: ActiveTaskForm? {
    AssessmentList.all.first { $0.type.rawValue == fields["assessment"] }?.form
  }

  // MARK: Reading

  /// The task that the fields describe, as one of `patient`; other tasks have the ids `taken`.
  func task(of patient: String, taken: Set<String>) throws(DraftFlaw) -> PlannedTask {
    var task = try answered(patient: patient)
    if original == nil { task.id = Self.id(from: task.title, taken: taken) }
    task.schedule = try schedule(targets: try targets(of: task))
    // Nothing reminds of what is only to read.
    let isAnswered = task.kind != .readOnly
    task.reminder = isAnswered ? try reminder() : nil
    task.fallback = isAnswered ? try fallback(in: task.schedule) : nil
    if let thresholds = try thresholds(of: task) { task.thresholds = thresholds }
    if let rules = try rules(of: task) { task.rules = rules }
    try checkAmounts(of: task)
    return task
  }

  /// Refuses a number that nothing of the task can be, with its limits.
  private func checkAmounts(of task: PlannedTask) throws(DraftFlaw) {
    let forms = AssessmentList.all.map { $0.form }
    guard let flaw = task.amountFlaw(activeTasks: forms) else { return }
    let field =
      switch flaw.place {
      case .reminder: "reminder.amount"
      case .fallback: "fallback.amount"
      case .activeTask(let key): key.rawValue
      case .threshold: "limit1"
      case .rule: "rule.value"
      case .target, .value, .expectation, .other: "target"
      }
    throw DraftFlaw(
      field, "range",
      ["least": flaw.limits.lowerBound.plainText, "most": flaw.limits.upperBound.plainText])
  }

  func title() throws(DraftFlaw) -> String {
    guard let title = fields["title"] else { throw DraftFlaw("title", "noTitle") }
    guard title.count <= Self.longest.title else {
      throw DraftFlaw("title", "tooLong", ["most": String(Self.longest.title)])
    }
    return title
  }

  func schedule(targets: [TargetValue]?) throws(DraftFlaw) -> Schedule {
    try ScheduleDraft(zone: zone, now: now).schedule(
      fields, original: original?.schedule, targets: targets)
  }

  /// The task without its schedule and targets: words, look and what completes it.
  func answered(patient: String) throws(DraftFlaw) -> PlannedTask {
    let title = try title()
    let instructions = fields["instructions"]
    guard (instructions?.count ?? 0) <= Self.longest.instructions else {
      throw DraftFlaw(
        "instructions", "tooLong", ["most": String(Self.longest.instructions)])
    }
    guard var task = original ?? Self.empty(in: zone) else {
      throw DraftFlaw("start", "dateOutOfRange")
    }
    task.patient = patient
    task.title = title
    task.text = fields["text"]
    task.instructions = instructions?.replacing("\r\n", with: "\n")
    task.group = fields["group"]
    task.style = fields["style"].flatMap(CardStyle.init)
    task.isOptional = fields["optional"] != nil
    if fields["glyph"] != "keep" {
      task.glyph = fields["glyph"].flatMap { name in
        Glyph.Standard(rawValue: name).map(Glyph.standard)
          ?? (TaskLook.ownGlyphs.contains(name) ? .custom(name) : nil)
      }
    }
    guard let answer = fields["answer"].flatMap(AnswerKind.init) else {
      throw DraftFlaw("answer", "choose")
    }
    guard answer != .keep || original == nil else { return task }
    let kept = task
    (task.linkages, task.activeTask, task.survey) = ([], nil, [])
    if task.kind == .readOnly { task.kind = .task }
    switch answer {
    case .keep: throw DraftFlaw("answer", "choose")
    case .check: break
    case .read: task.kind = .readOnly
    case .sensor:
      if fields["quantity"] == Self.pressure {
        task.linkages = Self.pressures
      } else {
        let quantity = fields["quantity"].flatMap(Quantity.init(rawValue:))
        guard let quantity else { throw DraftFlaw("quantity", "choose") }
        let same = kept.linkages.first { $0.quantity == quantity }
        task.linkage =
          same
          ?? Linkage(quantity: quantity, type: quantity.aggregation, unit: quantity.unit)
      }
    case .assessment: task.activeTask = try activeTask()
    case .survey:
      task.survey = try questions()
      // Thresholds of questions that are gone say nothing.
      let kinds = Set(task.survey.map(\.kind))
      task.thresholds.removeAll { $0.kind.map { !kinds.contains($0) } ?? false }
    }
    return task
  }

  /// A task that is filled later.
  private static func empty(in zone: TimeZone) -> PlannedTask? {
    let element = try? ScheduleElement(
      start: Date(timeIntervalSince1970: 0), interval: Interval(days: 1), timeZone: zone)
    return element.flatMap { try? Schedule([$0]) }.map {
      PlannedTask(id: "", patient: "", title: "", schedule: $0)
    }
  }

  private func activeTask() throws(DraftFlaw) -> ActiveTask {
    guard let form = assessment else { throw DraftFlaw("assessment", "choose") }
    var task = ActiveTask(type: form.type)
    for key in form.keys {
      task[key] = try argument(of: key, isRequired: form.required.contains(key))
    }
    return task
  }

  /// The value of an assessment's key; `nil` for an empty field of an optional one.
  private func argument(
    of key: ActiveTaskForm.Key, isRequired: Bool
  ) throws(DraftFlaw) -> ActiveTask.Argument? {
    let name = key.rawValue
    switch key.values {
    case .words(let words):
      guard let word = fields[name] else {
        guard isRequired else { return nil }
        throw DraftFlaw(name, "choose")
      }
      guard words.contains(word) else { throw DraftFlaw(name, "choose") }
      return .word(word)
    case .number(let range, _):
      return try number(name, in: range, isRequired: isRequired).map(ActiveTask.Argument.number)
    case .count(let range, _):
      let span = Double(range.lowerBound)...Double(range.upperBound)
      guard let number = try number(name, in: span, isRequired: isRequired) else { return nil }
      guard let count = Int(exactly: number) else { throw DraftFlaw(name, "noNumber") }
      return .count(count)
    }
  }

  private func number(
    _ name: String, in range: ClosedRange<Double>, isRequired: Bool
  ) throws(DraftFlaw) -> Double? {
    guard let number = try fields.number(name) else {
      guard isRequired else { return nil }
      throw DraftFlaw(name, "noNumber")
    }
    guard range.contains(number) else {
      throw DraftFlaw(
        name, "range", ["least": range.lowerBound.plainText, "most": range.upperBound.plainText])
    }
    return number
  }

  // MARK: Questions

  /// The types of questions that the form asks for.
  static let questionTypes: [SurveyQuestion.AnswerType] = [
    .scale, .number, .text, .boolean, .choice, .choices, .date, .time, .photo, .video,
  ]

  func questions() throws(DraftFlaw) -> [SurveyQuestion] {
    var questions: [SurveyQuestion] = []
    for place in 1...Self.mostQuestions where fields["q\(place).title"] != nil {
      questions.append(try question("q\(place)", others: questions))
    }
    guard !questions.isEmpty else { throw DraftFlaw("q1.title", "noQuestion") }
    return questions
  }

  private func question(
    _ name: String, others: [SurveyQuestion]
  ) throws(DraftFlaw) -> SurveyQuestion {
    let type = fields["\(name).type"].flatMap(SurveyQuestion.AnswerType.init)
    guard let type else { throw DraftFlaw("\(name).type", "choose") }
    let title = fields["\(name).title"]
    let taken = Set(others.map(\.kind))
    let known = fields["\(name).kind"].flatMap { taken.contains($0) ? nil : $0 }
    let kind = known ?? Self.id(from: title ?? "", taken: taken, else: "question")
    let isNumber = [.scale, .number].contains(type)
    let old = original?.survey.first { $0.kind == kind }
    let minimum = isNumber ? try fields.number("\(name).minimum") : nil
    let maximum = isNumber ? try fields.number("\(name).maximum") : nil
    let choices =
      [.choice, .choices].contains(type)
      ? (fields["\(name).choices"] ?? "").split(whereSeparator: \.isNewline)
        .map { String($0).trimmingWhitespace }.filter { !$0.isEmpty } : []
    let ends = ["low", "high"].map { fields["\(name).\($0)"] }
    let anchors = type == .scale && ends != [nil, nil] ? ends.map { $0 ?? "" } : []
    var unit = isNumber ? old?.unit : nil
    if isNumber, fields.has("\(name).unit") {
      unit = nil
      if let text = fields["\(name).unit"] {
        unit = UnitOfMeasure(text)
        guard unit != nil else { throw DraftFlaw("\(name).unit", "noUnit", ["unit": text]) }
      }
    }
    do throws(SurveyError) {
      return try SurveyQuestion(
        kind: kind, type: type, title: title == kind && old?.title == nil ? nil : title,
        minimum: minimum, maximum: maximum, step: isNumber ? old?.step : nil, unit: unit,
        choices: choices, anchors: anchors, isOptional: fields["\(name).optional"] != nil)
    } catch {
      throw DraftFlaw(name + "." + error.field, "survey." + error.code)
    }
  }

  /// A short id of the letters and digits of a text.
  package static func id(
    from text: String, taken: Set<String>, else plain: String = "task"
  ) -> String {
    let folded = text.folding(options: .diacriticInsensitive, locale: nil).lowercased()
    let words = folded.utf8.split { byte in
      !(UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
        && !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
    let joined = words.prefix(5).map { String(decoding: $0, as: UTF8.self) }.joined(separator: "-")
    let first = joined.isEmpty ? plain : String(joined.prefix(40))
    guard taken.contains(first) else { return first }
    var number = 2
    while taken.contains("\(first)-\(number)") { number += 1 }
    return "\(first)-\(number)"
  }

  // MARK: Targets

  /// A value that a target can be about.
  struct TargetChoice: Hashable {
    let kind: String?
    let unit: UnitOfMeasure?
  }

  /// The values of a task that a target can be about.
  static func targetChoices(of task: PlannedTask) -> [TargetChoice] {
    if !task.linkages.isEmpty {
      return task.linkages.map { TargetChoice(kind: task.valueKind(of: $0), unit: $0.unit) }
    }
    if task.activeTask != nil {
      return task.figures.filter { $0.unit != nil }.map {
        TargetChoice(kind: $0.kind, unit: $0.unit)
      }
    }
    return task.survey.filter { [.scale, .number].contains($0.type) }
      .map { TargetChoice(kind: $0.kind, unit: $0.unit) }
  }

  /// The targets of every occurrence; `nil` for those as they are.
  func targets(of task: PlannedTask) throws(DraftFlaw) -> [TargetValue]? {
    if fields["targets"] == "keep", fields["answer"] == AnswerKind.keep.rawValue { return nil }
    var targets: [TargetValue] = []
    for name in Self.goals {
      guard let value = try fields.number(name), let choice = try choice(name, of: task) else {
        continue
      }
      targets.append(
        TargetValue(
          value: Int64(exactly: value).map { .integer($0) } ?? .double(value), unit: choice.unit,
          kind: choice.kind, isAtMost: fields["\(name).atMost"] != nil))
    }
    return targets
  }

  /// The fields of goals: two pressures have one each.
  static let goals = ["target", "target2"]

  /// Which of a task's values a number is about; `nil` if it has none.
  private func choice(_ name: String, of task: PlannedTask) throws(DraftFlaw) -> TargetChoice? {
    let choices = Self.targetChoices(of: task)
    guard let first = choices.first else { return nil }
    let named = choices.first { $0.kind == fields["\(name).kind"] }
    guard let choice = named ?? (choices.count == 1 ? first : nil) else {
      throw DraftFlaw("\(name).kind", "choose")
    }
    return choice
  }

  // MARK: Limits and rules

  /// The fields of thresholds.
  static let limits = ["limit1", "limit2", "limit3", "limit4"]

  /// The thresholds; `nil` for those as they are, also where the form does not ask for them.
  func thresholds(of task: PlannedTask) throws(DraftFlaw) -> [Threshold]? {
    guard fields["limits"] != "keep", Self.limits.contains(where: fields.has) else { return nil }
    var thresholds: [Threshold] = []
    for name in Self.limits {
      guard let value = try fields.number(name), let choice = try choice(name, of: task) else {
        continue
      }
      guard let says = fields["\(name).says"] else { throw DraftFlaw("\(name).says", "noTitle") }
      guard says.count <= Self.longest.title else {
        throw DraftFlaw("\(name).says", "tooLong", ["most": String(Self.longest.title)])
      }
      thresholds.append(
        Threshold(
          kind: choice.kind,
          condition: fields["\(name).below"] == nil ? .atLeast(value) : .atMost(value), says: says,
          alerts: fields["\(name).alerts"] != nil))
    }
    return thresholds
  }

  /// The rules, of which the form knows one; `nil` for those as they are.
  func rules(of task: PlannedTask) throws(DraftFlaw) -> [Rule]? {
    guard fields["rules"] != "keep", fields.has("rule.value") else { return nil }
    guard let value = try fields.number("rule.value"),
      let choice = try choice("rule.value", of: task)
    else { return [] }
    let count = try fields.whole("rule.count", in: 1...Rule.mostResults, default: 3)
    let goal = try fields.number("rule.target")
    guard goal != nil || fields["rule.message"] != nil else {
      throw DraftFlaw("rule.message", "noEffect")
    }
    return [
      Rule(
        kind: choice.kind, unit: choice.unit,
        trigger: .results(
          count, ofLast: count, fields["rule.below"] == nil ? .atLeast(value) : .atMost(value)),
        target: goal.map { Rule.TargetChange(.to($0)) }, message: fields["rule.message"])
    ]
  }

  private static func describeLimits(of task: PlannedTask, in fields: inout FormFields) {
    let simple = task.thresholds.compactMap { threshold -> (Double, Bool)? in
      switch threshold.condition {
      case .atLeast(let limit): (limit, false)
      case .atMost(let limit): (limit, true)
      default: nil
      }
    }
    if simple.count == task.thresholds.count, simple.count <= limits.count {
      for (name, (threshold, limit)) in zip(limits, zip(task.thresholds, simple)) {
        fields[name] = limit.0.plainText
        fields["\(name).kind"] = threshold.kind
        fields["\(name).below"] = limit.1 ? "1" : nil
        fields["\(name).says"] = threshold.says
        fields["\(name).alerts"] = threshold.alerts ? "1" : nil
      }
    } else {
      fields["limits"] = "keep"
    }
    guard let rule = task.rules.first else { return }
    fields["rules"] = "keep"
    guard task.rules.count == 1, rule.contact == nil, rule.target?.limit == nil,
      case .results(let count, ofLast: let among, let condition) = rule.trigger, among == count
    else { return }
    switch condition {
    case .atLeast(let limit): fields["rule.value"] = limit.plainText
    case .atMost(let limit): (fields["rule.value"], fields["rule.below"]) = (limit.plainText, "1")
    default: return
    }
    switch rule.target?.amount {
    case .to(let goal): fields["rule.target"] = goal.plainText
    case .by: return
    case nil: break
    }
    fields["rules"] = nil
    fields["rule.count"] = String(count)
    fields["rule.value.kind"] = rule.kind
    fields["rule.message"] = rule.message
  }

  // MARK: Reminders

  /// The units of the time of a reminder, in seconds.
  static let momentUnits = [("minutes", 60.0), ("hours", 3_600), ("days", 86_400)]

  /// The reminder; that of before where the form does not say.
  func reminder() throws(DraftFlaw) -> Reminder? {
    switch fields["reminder"] {
    case nil, "keep": return original?.reminder
    case "before": return Reminder(offset: -(try seconds("reminder", upTo: Reminder.longest)))
    case "at": return Reminder(offset: try clock("reminder"))
    case "after": return Reminder(offset: try seconds("reminder", upTo: Reminder.longest))
    default: return nil
    }
  }

  /// The fallback of events of a schedule; that of before where the form does not say.
  func fallback(in schedule: Schedule) throws(DraftFlaw) -> Fallback? {
    let fallback: Fallback?
    switch fields["fallback"] {
    case nil, "keep": fallback = original?.fallback
    case "at": fallback = Fallback(after: try clock("fallback"))
    case "after":
      fallback = Fallback(after: try seconds("fallback", upTo: Reminder.longest))
    default: fallback = nil
    }
    guard let fallback else { return nil }
    guard fallback.after > 0 else { throw DraftFlaw("fallback.amount", "noNumber") }
    // As a plan file has it: it comes before the event and its day are over.
    let ends = schedule.elements.map { element -> TimeInterval in
      if case .seconds(let length) = element.duration { max(length, 86_400) } else { 86_400 }
    }
    guard ends.allSatisfy({ fallback.after < $0 }) else {
      throw DraftFlaw("fallback.amount", "fallbackTooLate")
    }
    return fallback
  }

  private func seconds(
    _ name: String, upTo longest: TimeInterval
  ) throws(DraftFlaw) -> TimeInterval {
    let unit = Self.momentUnits.first { $0.0 == fields["\(name).unit"] }?.1 ?? 60
    let amount = try fields.whole("\(name).amount", in: 0...Int(saturating: longest / unit))
    return Double(amount) * unit
  }

  /// The time of a day at which it comes, from its beginning.
  private func clock(_ name: String) throws(DraftFlaw) -> TimeInterval {
    let text = fields["\(name).time"]
    guard let parts = text?.wholeMatch(of: /([01][0-9]|2[0-3]):([0-5][0-9])/),
      let hour = Double(parts.1), let minute = Double(parts.2)
    else { throw DraftFlaw("\(name).time", "noTime") }
    return hour * 3_600 + minute * 60
  }

  /// Whether its events are days, of which a reminder comes at a time.
  var isOfDays: Bool {
    let schedule = try? schedule(targets: [])
    return schedule?.elements.allSatisfy { $0.duration == .allDay } ?? false
  }

  /// Fills the fields of a reminder or fallback in.
  private static func describe(
    _ name: String, _ offset: TimeInterval?, ofDays: Bool, in fields: inout FormFields
  ) {
    guard let offset else {
      fields[name] = "none"
      return
    }
    if ofDays, (0..<86_400).contains(offset), offset.truncatingRemainder(dividingBy: 60) == 0 {
      let minutes = Int(saturating: offset / 60)
      fields[name] = "at"
      fields["\(name).time"] =
        [minutes / 60, minutes % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
      return
    }
    let unit = momentUnits.last { offset.truncatingRemainder(dividingBy: $0.1) == 0 }
    guard let unit else {
      fields[name] = "keep"
      return
    }
    fields[name] = offset > 0 ? "after" : "before"
    fields["\(name).unit"] = offset == 0 ? "minutes" : unit.0
    fields["\(name).amount"] = String(Int(saturating: abs(offset) / unit.1))
  }

  // MARK: Writing

  /// The fields that describe a task.
  private static func fields(of task: PlannedTask, in zone: TimeZone) -> FormFields {
    var fields = ScheduleDraft(zone: zone).fields(of: task.schedule)
    fields["title"] = task.title
    fields["text"] = task.text
    fields["instructions"] = task.instructions
    fields["group"] = task.group
    fields["style"] = task.style?.rawValue
    fields["optional"] = task.isOptional ? "1" : nil
    switch task.glyph {
    case .standard(let glyph): fields["glyph"] = glyph.rawValue
    case .custom(let name):
      fields["glyph"] = TaskLook.ownGlyphs.contains(name) ? name : "keep"
    case nil: break
    }
    let targets = Set(task.schedule.elements.map(\.targets))
    if let only = targets.first, targets.count == 1, only.count <= goals.count,
      only.allSatisfy({ $0.value.number != nil })
    {
      for (name, target) in zip(goals, only) {
        fields[name] = target.value.number?.plainText
        fields["\(name).kind"] = target.kind
        fields["\(name).atMost"] = target.isAtMost ? "1" : nil
      }
    } else {
      fields["targets"] = "keep"
    }
    let ofDays = task.schedule.elements.allSatisfy { $0.duration == .allDay }
    describe("reminder", task.reminder?.offset, ofDays: ofDays, in: &fields)
    // The form knows one reminder only.
    if task.reminder.map({ $0.times > 1 }) ?? false { fields["reminder"] = "keep" }
    describe("fallback", task.fallback?.after, ofDays: ofDays, in: &fields)
    describeLimits(of: task, in: &fields)
    describe(task, in: &fields)
    // A rule or threshold that reads otherwise than the form says it stays as it is.
    for (key, names) in [("limits", limits), ("rules", ["rule.value"])]
    where (try? TaskDraft(fields, of: task, in: zone).task(of: task.patient, taken: [])) != task {
      var kept = fields
      kept[key] = "keep"
      for name in names { kept[name] = nil }
      if (try? TaskDraft(kept, of: task, in: zone).task(of: task.patient, taken: [])) == task {
        fields = kept
      }
    }
    let draft = TaskDraft(fields, of: task, in: zone)
    guard (try? draft.task(of: task.patient, taken: [])) == task else {
      // Values that the form cannot express stay as they are.
      fields["answer"] = AnswerKind.keep.rawValue
      if (try? TaskDraft(fields, of: task, in: zone).task(of: task.patient, taken: [])) != task {
        fields["targets"] = "keep"
      }
      return fields
    }
    return fields
  }

  private static func describe(_ task: PlannedTask, in fields: inout FormFields) {
    func set(_ answer: AnswerKind) { fields["answer"] = answer.rawValue }
    if task.kind == .readOnly {
      set(.read)
    } else if task.linkages == pressures {
      set(.sensor)
      fields["quantity"] = pressure
    } else if task.linkages.count == 1 {
      set(.sensor)
      fields["quantity"] = task.linkage?.quantity.rawValue
    } else if let active = task.activeTask {
      set(.assessment)
      fields["assessment"] = active.type.rawValue
      for key in ActiveTaskForm.Key.allCases {
        fields[key.rawValue] =
          switch active[key] {
          case .word(let word): word
          case .number(let number): number.plainText
          case .count(let count): String(count)
          case nil: nil
          }
      }
    } else if !task.survey.isEmpty, task.survey.count <= mostQuestions {
      set(.survey)
      for (place, question) in task.survey.enumerated() {
        let name = "q\(place + 1)"
        fields["\(name).kind"] = question.kind
        fields["\(name).title"] = question.title ?? question.kind
        fields["\(name).type"] = question.type.rawValue
        fields["\(name).minimum"] = question.minimum?.plainText
        fields["\(name).maximum"] = question.maximum?.plainText
        fields["\(name).unit"] = question.unit?.code
        (fields["\(name).low"], fields["\(name).high"]) = (
          question.anchors.first, question.anchors.last
        )
        fields["\(name).choices"] = question.choices.joined(separator: "\n")
        fields["\(name).optional"] = question.isOptional ? "1" : nil
      }
    } else {
      set(task.linkages.isEmpty && task.survey.isEmpty ? .check : .keep)
    }
  }
}

extension SurveyError {
  /// The rule, and the field at which it stands.
  fileprivate var code: String {
    switch self {
    case .noKind: "noKind"
    case .missing: "missing"
    case .superfluous: "superfluous"
    case .outOfBounds: "outOfBounds"
    case .tooLarge: "tooLarge"
    case .notWhole: "notWhole"
    case .stepNotPositive: "stepNotPositive"
    case .emptySpan: "emptySpan"
    case .stepDoesNotDivideSpan: "stepDoesNotDivideSpan"
    case .tooManySteps: "tooManySteps"
    case .anchorsNotTwo: "anchorsNotTwo"
    case .repeatedChoice: "repeatedChoice"
    }
  }

  fileprivate var field: String {
    switch self {
    case .noKind: "title"
    case .missing(let property), .superfluous(let property, _), .outOfBounds(let property),
      .tooLarge(let property), .notWhole(let property):
      switch property {
      case .step: "maximum"
      case .anchors: "low"
      case .minimum, .maximum, .unit, .choices: property.rawValue
      }
    case .stepNotPositive, .emptySpan, .stepDoesNotDivideSpan, .tooManySteps: "maximum"
    case .anchorsNotTwo: "low"
    case .repeatedChoice: "choices"
    }
  }
}
