import Care
import Foundation
import StrictYAML

extension PlanReader {
  /// The tasks of a plan, each id once for each patient.
  func tasks(
    _ node: YAMLNode?, of patients: [Patient], in carePlans: [CarePlan]
  ) throws(YAMLError) -> [PlannedTask] {
    try list(
      node, twice: { "there are two tasks ‘\($0.id)’ of patient ‘\($0.patient)’" },
      isSame: { $0.id == $1.id && $0.patient == $1.patient }
    ) { node throws(YAMLError) in
      try task(node, of: patients, in: carePlans)
    }
  }

  private func task(
    _ node: YAMLNode, of patients: [Patient], in carePlans: [CarePlan]
  ) throws(YAMLError) -> PlannedTask {
    var reader = try node.mapping()
    let id = try reader.required("id").identifier()
    let patient = try owner(&reader, of: patients)
    let times = self.times(of: patients.first { $0.id == patient })
    var task = PlannedTask(
      id: id, patient: patient, kind: try reader.optional("kind")?.choice() ?? .task,
      title: try reader.required("title").string(),
      instructions: try reader.optional("instructions")?.string(),
      schedule: try times.schedule(reader.required("schedule")), linkages: try linkages(&reader),
      activeTask: try activeTask(reader.optional("activeTask")),
      isOptional: try isOptional(&reader),
      isResettable: try reader.optional("resettable")?.boolean() ?? false,
      effectiveDate: try reader.optional("effectiveDate")?.date(in: times.timeZone),
      survey: try survey(reader.optional("survey")),
      progressStrategy: try reader.optional("progress")?.choice())
    task.thresholds = try thresholds(reader.optional("thresholds"), of: task)
    task = task.withComparableTargets()
    task.schedule = task.schedule.pausing(try pauses(reader.optional("pauses")) + pauses)
    task.reminder = try reminder(reader.optional("reminder"), in: task.schedule)
    task.fallback = try fallback(reader.optional("fallback"), in: task.schedule)
    task.rules = try rules(reader.optional("rules"), of: task)
    task.notify = try notify(reader.optional("notify"), of: patient, of: patients)
    task.carePlan = try carePlan(reader.optional("carePlan"), of: patient, in: carePlans)
    try present(&task, with: &reader)
    try reader.finish(meant: [
      "link": "linkage", "name": "title", "measure": "linkage",
      "description": "instructions", "questions": "survey",
    ])
    try refuseContradictions(in: task, at: reader)
    try refuseSenselessTargets(of: task, in: node)
    if let flaw = task.amountFlaw(activeTasks: activeTasks) {
      throw (node.nodes(on: flaw.place.path).last ?? node).error(flaw.reason)
    }
    return task
  }

  /// The reader of a person's times, which are in the person's zone.
  private func times(of patient: Patient?) -> PlanReader {
    var reader = self
    reader.timeZone = patient?.timeZone ?? timeZone
    reader.stays = patient?.stays ?? []
    return reader
  }

  /// Reads the properties of the task's card, and those that programs keep with it.
  private func present(
    _ task: inout PlannedTask, with reader: inout MappingReader
  ) throws(YAMLError) {
    task.text = try reader.optional("text")?.string()
    task.group = try reader.optional("group")?.string()
    task.tags = try texts(reader.optional("tags"))
    task.style = try reader.optional("style")?.choice()
    task.glyph = try reader.optional("glyph")?.glyph()
    task.image = try reader.optional("image")?.string()
    task.video = try video(reader.optional("video"))
    task.details = try reader.optional("details")?.string()
    for pair in try reader.optional("userInfo")?.pairs() ?? [] {
      task.userInfo[pair.key] = try pair.value.scalar().text
    }
    for pair in try reader.optional("links")?.pairs() ?? [] {
      let address = try pair.value.string()
      guard PlannedTask.isAddress(address) else {
        throw pair.value.error("a link begins with https:, http:, mailto:, tel: or sms:")
      }
      guard task.userInfo.updateValue(address, forKey: pair.key) == nil else {
        throw pair.value.error("‘userInfo’ has a ‘\(pair.key)’, too; leave one out")
      }
    }
    task.remoteID = try reader.optional("remoteID")?.string()
  }

  /// A video: its address, the path of a file, or an own one that the store has.
  private func video(_ node: YAMLNode?) throws(YAMLError) -> String? {
    guard let node else { return nil }
    let text = try node.string()
    guard !PlannedTask.isVideo(text), Attachment(reference: text) == nil else { return text }
    guard !text.contains("://"), !text.lowercased().hasPrefix("data:"),
      !text.hasPrefix(Attachment.referencePrefix)
    else {
      throw node.error(
        "a video is an address that begins with https: or http:, or a file beside the plan")
    }
    guard let files else {
      throw node.error(
        "the file ‘\(text)’ is not here: import the plan with measured plan import, or give the task"
          + " its video on the page, under Set-up")
    }
    switch files.video(text) {
    case .success(let file):
      secrets.note(file)
      return file.attachment.reference
    case .failure(let failure): throw node.error(failure.reason)
    }
  }

  /// Whether a task is optional: `optional`, or its opposite `impactsAdherence`.
  private func isOptional(_ reader: inout MappingReader) throws(YAMLError) -> Bool {
    let isOptional = try reader.optional("optional")?.boolean()
    let counts = try reader.optional("impactsAdherence")?.boolean()
    guard let counts else { return isOptional ?? false }
    guard isOptional != counts else {
      throw reader.location(of: "impactsAdherence").error(
        "‘optional’ and ‘impactsAdherence’ contradict each other; leave one out")
    }
    return !counts
  }

  /// The care plan that `node` names, which must be one of the patient's.
  private func carePlan(
    _ node: YAMLNode?, of patient: String, in carePlans: [CarePlan]
  ) throws(YAMLError) -> String? {
    guard let node else { return nil }
    let id = try node.string()
    let known = carePlans.filter { $0.patient == patient }.map(\.id)
    guard known.contains(id) else {
      throw node.error(
        "there is no care plan ‘\(id)’ of patient ‘\(patient)’ in this plan",
        meant: Spelling.Suggestion(for: id, among: known))
    }
    return id
  }

  /// Refuses combinations that no event of the task could fulfil.
  private func refuseContradictions(
    in task: PlannedTask, at reader: MappingReader
  ) throws(YAMLError) {
    if task.kind == .readOnly {
      let answers = [
        "linkage": task.linkages.count == 1, "linkages": task.linkages.count > 1,
        "activeTask": task.activeTask != nil, "survey": !task.survey.isEmpty,
        "reminder": task.reminder != nil, "fallback": task.fallback != nil,
        "rules": !task.rules.isEmpty,
      ]
      for key in [
        "linkage", "linkages", "activeTask", "survey", "reminder", "fallback", "rules",
      ] where answers[key] == true {
        throw reader.location(of: key).error(
          "a read-only task is never completed, so leave this out")
      }
    }
    let questions = Set(task.survey.map(\.kind))
    for target in task.schedule.elements.flatMap(\.targets) {
      guard let unit = target.unit, !(target.kind.map(questions.contains) ?? false) else {
        continue
      }
      try refuse(unit, of: target.kind, in: task, at: reader)
    }
  }

  /// Refuses a target that is reached by nothing done: of what is counted or weighed, zero or less.
  private func refuseSenselessTargets(
    of task: PlannedTask, in node: YAMLNode
  ) throws(YAMLError) {
    for (index, element) in task.schedule.elements.enumerated() {
      for (place, target) in element.targets.enumerated() {
        guard let number = target.value.number,
          let (quantity, _) = task.measured(target.kind, activeTasks: activeTasks),
          quantity.plausible.lowerBound >= 0, target.isAtMost ? number < 0 : number <= 0,
          quantity.unit.dimension != .temperature
        else { continue }
        let path = PlanPath() / "schedule" / index / "targets" / place / "value"
        let what = target.isAtMost ? "cannot be met" : "is reached before anything is done"
        throw (node.nodes(on: path).last ?? node).error(
          "a target of \(number.plainText) \(what): \(quantity.rawValue) is more than 0")
      }
    }
  }

  /// Refuses a target's unit that no linked value of its kind has.
  private func refuse(
    _ unit: UnitOfMeasure, of kind: String?, in task: PlannedTask, at reader: MappingReader
  ) throws(YAMLError) {
    let units = task.linkedUnits(of: kind)
    guard let linked = units.first, !units.contains(where: { $0.dimension == unit.dimension })
    else { return }
    throw reader.location(of: "schedule").error(
      "a target \(unit.given) cannot be compared with values \(linked.given)")
  }
}

extension PlannedTask {
  /// The task with targets in a unit of its linkage, where they say the same in another dimension.
  func withComparableTargets() -> PlannedTask {
    guard linkages.contains(where: { $0.quantity.counterpart != nil }) else { return self }
    func comparable(_ target: TargetValue) -> TargetValue {
      guard let linkage = linkage(of: target.kind), let unit = target.unit,
        unit.dimension != linkage.unit.dimension, let number = target.value.number,
        let converted = linkage.quantity.convert(number, from: unit, to: linkage.unit)
      else { return target }
      var target = target
      target.value = .double(converted)
      target.unit = linkage.unit
      return target
    }
    let elements = schedule.elements.map { element in
      element.withTargets(element.targets.map(comparable)) ?? element
    }
    var task = self
    task.schedule = (try? Schedule(elements)) ?? schedule
    return task
  }
}

extension Quantity {
  /// The quantity that says the same in the dimension of `unit`: itself, or its counterpart.
  fileprivate func measured(in unit: UnitOfMeasure?) -> Quantity {
    guard let unit, unit.dimension != self.unit.dimension, let counterpart,
      counterpart.unit.dimension == unit.dimension
    else { return self }
    return counterpart
  }
}

// MARK: - Linkages

extension PlanReader {
  /// The linkages of a task: a single one under `linkage`, or several under `linkages`.
  private func linkages(_ reader: inout MappingReader) throws(YAMLError) -> [Linkage] {
    let single = reader.optional("linkage")
    let several = reader.optional("linkages")
    guard single == nil || several == nil else {
      throw reader.location(of: "linkages").error("give ‘linkage’ or ‘linkages’, not both")
    }
    if let single { return [try linkage(single)] }
    return try list(
      several, twice: { "\($0.quantity.rawValue) is linked twice" },
      isSame: { $0.quantity == $1.quantity && $0.device == $1.device }
    ) { node throws(YAMLError) in
      try linkage(node)
    }
  }

  private func linkage(_ node: YAMLNode) throws(YAMLError) -> Linkage {
    var reader = try node.mapping()
    let named = try reader.required("quantity").quantity()
    let unitNode = reader.optional("unit")
    let quantity = named.measured(in: try unitNode?.unit())
    let linkage = Linkage(
      quantity: quantity, type: try aggregation(reader.optional("type"), of: quantity),
      unit: try unit(unitNode, of: quantity),
      device: try reader.optional("device")?.deviceID())
    try reader.finish()
    return linkage
  }

  private func aggregation(
    _ node: YAMLNode?, of quantity: Quantity
  ) throws(YAMLError) -> Aggregation {
    guard let node else { return quantity.aggregation }
    let name = try node.string()
    guard let type = Aggregation(rawValue: name) else {
      throw node.error(
        "‘\(name)’ is not one of discrete, cumulative",
        meant: Spelling.Suggestion(for: name, among: ["discrete", "cumulative"]))
    }
    return type
  }

  /// The unit of a linkage's values.
  private func unit(_ node: YAMLNode?, of quantity: Quantity) throws(YAMLError) -> UnitOfMeasure {
    guard let node else { return quantity.unit }
    let unit = try node.unit()
    guard unit.dimension == quantity.unit.dimension else {
      throw node.error(
        "\(quantity.rawValue) is \(quantity.unit.measuredIn) and cannot be given in"
          + " \(unit.name)"
      )
    }
    return unit
  }
}

// MARK: - Active tasks

extension PlanReader {
  /// The active task of a task, with the keys of its type.
  func activeTask(_ node: YAMLNode?) throws(YAMLError) -> ActiveTask? {
    guard let node else { return nil }
    var reader = try node.mapping()
    let form = try form(reader.required("type"))
    var task = ActiveTask(type: form.type)
    for key in ActiveTaskForm.Key.allCases {
      if form.required.contains(key) {
        task[key] = try reader.required(key.rawValue).argument(of: key)
      } else if form.optional.contains(key), let node = reader.optional(key.rawValue) {
        task[key] = try node.argument(of: key)
      }
    }
    for key in ActiveTaskForm.Key.allCases
    where !form.knows(key) && reader.optional(key.rawValue) != nil {
      throw reader.location(of: key.rawValue).error(
        "a \(form.type.rawValue) has no \(key.rawValue), so leave this out")
    }
    try reader.finish()
    return task
  }

  private func form(_ node: YAMLNode) throws(YAMLError) -> ActiveTaskForm {
    let name = try node.string()
    guard let form = activeTasks.first(where: { $0.type.rawValue == name }) else {
      let known = activeTasks.map(\.type.rawValue)
      throw node.error(
        "‘\(name)’ is not one of \(known.joined(separator: ", "))",
        meant: Spelling.Suggestion(for: name, among: known))
    }
    return form
  }
}

extension YAMLNode {
  /// The value of an active task's key.
  fileprivate func argument(
    of key: ActiveTaskForm.Key
  ) throws(YAMLError) -> ActiveTask.Argument {
    switch key.values {
    case .words(let words): .word(try choice(of: words))
    case .number(let range, let unit): .number(try number(in: range, of: unit))
    case .count(let range, .second): .count(try seconds(in: range))
    case .count(let range, _): .count(try count(in: range))
    }
  }

  /// A number with a unit, such as `60 cm`, in `unit`.
  private func number(
    in range: ClosedRange<Double>, of unit: UnitOfMeasure
  ) throws(YAMLError) -> Double {
    let value = try measure(of: unit == .degree ? .rangeOfMotion : .distanceWalked)
    guard range.contains(value) else {
      throw error(
        "\(value) \(unit.code) is not between \(range.lowerBound) \(unit.code) and "
          + "\(range.upperBound) \(unit.code)")
    }
    return value
  }

  /// A whole number.
  private func count(in range: ClosedRange<Int>) throws(YAMLError) -> Int {
    let count = try integer()
    guard range.contains(count) else {
      throw error("\(count) is not between \(range.lowerBound) and \(range.upperBound)")
    }
    return count
  }

  /// A duration such as `60s` or `1m30s`, in whole seconds.
  private func seconds(in range: ClosedRange<Int>) throws(YAMLError) -> Int {
    let text = try string()
    guard case .seconds(let seconds) = try duration() else {
      throw error("‘\(text)’ is no duration in seconds; write 30s or 1m30s")
    }
    guard let whole = Int(exactly: seconds), range.contains(whole) else {
      throw error(
        "‘\(text)’ is not a whole number of seconds from \(range.lowerBound)s to "
          + "\(range.upperBound)s")
    }
    return whole
  }
}

extension YAMLNode {
  /// A glyph by its name, or `{custom: name}`.
  fileprivate func glyph() throws(YAMLError) -> Glyph {
    guard case .mapping = content else { return .standard(try choice()) }
    var reader = try mapping()
    let name = try reader.required("custom").string()
    try reader.finish()
    return .custom(name)
  }
}

// MARK: - Survey reading

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
  func thresholds(_ node: YAMLNode?, of task: PlannedTask) throws(YAMLError) -> [Threshold] {
    var thresholds: [Threshold] = []
    for element in try node?.sequence() ?? [] {
      thresholds.append(try threshold(element, of: task))
    }
    return thresholds
  }

  private func threshold(_ node: YAMLNode, of task: PlannedTask) throws(YAMLError) -> Threshold {
    var reader = try node.mapping()
    let kind = try reader.optional("kind")?.identifier()
    let alerts = try reader.optional("alert")?.boolean() ?? false
    let unit =
      task.measured(kind, activeTasks: activeTasks)?.unit
      ?? task.survey.first { $0.kind == kind || kind == nil && task.survey.count == 1 }?.unit
    let condition = try condition(&reader, of: "a threshold", in: unit)
    let says = try reader.required("says").string()
    try reader.finish()
    return Threshold(kind: kind, condition: condition, says: says, alerts: alerts)
  }

  /// The one condition of a threshold or of a rule, on values in `unit`.
  func condition(
    _ reader: inout MappingReader, of owner: String, in unit: UnitOfMeasure?
  ) throws(YAMLError) -> Threshold.Condition {
    var conditions: [Threshold.Condition] = []
    for (key, condition) in Threshold.Condition.byKey {
      if let node = reader.optional(key) { conditions.append(condition(try node.limit(in: unit))) }
    }
    if let node = reader.optional("between") {
      let isInclusive = try reader.optional("inclusive")?.boolean() ?? false
      let limits = try node.limits(in: unit)
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
  fileprivate func limits(
    in unit: UnitOfMeasure?
  ) throws(YAMLError) -> (lower: Double, upper: Double) {
    let nodes = try sequence()
    guard nodes.count == 2 else { throw error("expected two numbers such as [65, 85]") }
    let (lower, upper) = (try nodes[0].limit(in: unit), try nodes[1].limit(in: unit))
    guard lower <= upper else { throw error("the lower limit comes first") }
    return (lower, upper)
  }
}
