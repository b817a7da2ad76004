public import Care
public import Foundation

// An answer is a Task, an alert or a rule's firing a Flag, its author a Provenance.

extension FHIRCoder {
  /// An event's outcome as Task.
  ///
  /// - Parameters:
  ///   - outcome: The outcome.
  ///   - task: The task as it was then.
  /// - Returns: The resource; its id follows from the event.
  /// - Throws: ``FHIRRefusal`` for what FHIR cannot hold.
  public func encode(_ outcome: Outcome, of task: PlannedTask) throws(FHIRRefusal) -> FHIRValue {
    let key = outcome.key
    let identifier = FHIRName.identifier("outcome", outcome.uuid.uuidString)
    var resource: FHIRObject = [
      "resourceType": "Task", "id": .string(FHIRName.id(of: "Task", key.parts)),
    ]
    resource["extension"] = .array([
      Self.extension(
        "event",
        json: .object([
          "ordinal": .integer(key.ordinal), "version": .string(outcome.taskUUID.uuidString),
          "occurrence": .integer(outcome.occurrence),
        ]))
    ])
    resource["identifier"] = .array([identifier])
    let request =
      task.isMedicine
      ? "MedicationRequest/" + FHIRName.id(of: "MedicationRequest", [key.patient, key.task])
      : "ServiceRequest/" + FHIRName.id(of: "ServiceRequest", [key.patient, key.task, "0"])
    resource["basedOn"] = .array([
      .object([
        "reference": .string(request), "identifier": FHIRName.identifier("task", key.task),
      ])
    ])
    resource["status"] = .string(outcome.answer.state.taskStatus)
    resource["statusReason"] = outcome.answer.reason.map { .object(["text": .string($0)]) }
    resource["intent"] = "order"
    resource["code"] = .object(["text": .string(task.title)])
    resource["for"] = reference(to: key.patient)
    if let date = outcome.answer.at {
      resource["executionPeriod"] = .object([
        "end": .string(try time(date, at: "Task.executionPeriod"))
      ])
    }
    resource["authoredOn"] = .string(try time(outcome.createdDate, at: "Task.authoredOn"))
    resource["restriction"] = .object([
      "period": .object([
        "start": .string(try time(outcome.start, at: "Task.restriction.period.start")),
        "end": .string(try time(outcome.end, at: "Task.restriction.period.end")),
      ])
    ])
    var outputs: [FHIRValue] = []
    for value in outcome.values {
      outputs.append(try output(value, at: "Task.output[\(outputs.count)]"))
    }
    resource["output"] = .list(outputs)
    return try finished(resource)
  }

  func time(_ date: Date, at path: String) throws(FHIRRefusal) -> String {
    guard let text = FHIRTime.text(date, in: timeZone) else {
      throw FHIRRefusal(at: path, .notExpressible)
    }
    return text
  }

  private func output(_ value: OutcomeValue, at path: String) throws(FHIRRefusal) -> FHIRValue {
    var extensions = try stamp(value)
    var output = FHIRObject()
    // FHIR has a value for each; what its types say otherwise is exact in an extension.
    let number: FHIRDecimal? =
      switch value.value {
      case .integer(let number): FHIRDecimal(number)
      case .double(let number): FHIRDecimal(exactly: number)
      case .boolean, .text, .binary, .attachment, .date: nil
      }
    switch (value.value, number, value.unit) {
    case (_, let number?, let unit?): output["valueQuantity"] = quantity(number, unit)
    case (.integer(let number), _, nil) where Int32(exactly: number) != nil:
      output["valueInteger"] = .number(FHIRDecimal(number))
    case (_, let number?, nil): output["valueDecimal"] = .number(number)
    case (.boolean(let flag), _, nil): output["valueBoolean"] = .boolean(flag)
    case (.text(let text), _, nil) where !text.isEmpty: output["valueString"] = .string(text)
    default:
      extensions.append(try Self.codedExtension("value", value.value, at: path))
      if let unit = value.unit {
        extensions.append(try Self.codedExtension("unit", unit, at: path))
      }
      output["valueString"] = .string(value.value.name)
    }
    output["extension"] = .array(extensions)
    let code = value.kind.map { FHIRCoding(system: FHIRName.codes("kind"), code: $0).value }
    if let kind = value.kind, !FHIRPrimitive.isValue(.string(kind), of: "code") {
      throw FHIRRefusal(at: path, .notExpressible)
    }
    output["type"] = .object([
      "coding": code.map { .array([$0]) }, "text": .string(value.kind ?? "value"),
    ])
    return .object(output)
  }

  /// When and how a value was obtained.
  func stamp(_ value: OutcomeValue) throws(FHIRRefusal) -> [FHIRValue] {
    [
      Self.extension(
        FHIRName.extension("time"), "valueDateTime",
        .string(try time(value.time, at: "extension(time)"))),
      Self.extension(
        FHIRName.extension("provenance"), "valueCode", .string(value.provenance.rawValue)),
    ]
  }

  /// Reads them; of a foreign value there are none.
  func readStamp(_ node: FHIRNode, into value: inout OutcomeValue) throws(FHIRRefusal) -> Bool {
    guard let provenance = try node.extended(FHIRName.extension("provenance")) else {
      return false
    }
    guard let known = provenance.text.flatMap(Provenance.init) else {
      throw node.refusal(.unsupportedValue(provenance.text ?? ""), of: "extension")
    }
    value.provenance = known
    let time = try node.extended(FHIRName.extension("time"))?.text.flatMap(FHIRTime.init)
    guard let date = time?.start(in: timeZone) else {
      throw node.refusal(.missing, of: "extension")
    }
    value.time = date
    return true
  }

  /// The outcome of a Task of ours.
  public func outcome(_ value: FHIRValue) throws(FHIRRefusal) -> FHIRReading<Outcome> {
    let node = try opened(value, "Task")
    func required(_ text: String?, _ key: String) throws(FHIRRefusal) -> Date {
      let time = try node.required(text.flatMap(FHIRTime.init), key)
      return try node.required(time.start(in: timeZone), key)
    }
    node["code"]?.take()
    let event = try node.required(
      try Self.decodedExtension(EventPlace.self, "event", of: node), "extension")
    let identifiers = node.list("identifier")
    let own = identifiers.first {
      $0.value.object?["system"]?.text == FHIRName.system("outcome")
    }?.take().object
    let uuid = try node.required(
      own?["value"]?.text.flatMap { UUID(uuidString: $0) }, "identifier")
    let basedOn = node["basedOn"]?.take().elements?.first?.object?["identifier"]?.object
    let task = try node.required(basedOn?["value"]?.text, "basedOn")
    let statuses = Dictionary(
      Answer.State.allCases.map { ($0.taskStatus, $0) }, uniquingKeysWith: { first, _ in first })
    let status = try node.text("status", among: statuses.keys.sorted()) ?? ""
    _ = try node.text("intent", among: ["order"])
    var answer = Answer(state: statuses[status] ?? .done)
    answer.reason = node["statusReason"]?.text("text")
    if let period = node["executionPeriod"] {
      answer.at = try required(period.text("end"), "executionPeriod")
    }
    let period = node["restriction"]?["period"]
    let start = try required(period?.text("start"), "restriction")
    var outcome = Outcome(
      uuid: uuid,
      key: EventKey(
        patient: try node.required(try person(node["for"]), "for"), task: task, start: start,
        ordinal: event.ordinal),
      end: try required(period?.text("end"), "restriction"), taskUUID: event.version,
      occurrence: event.occurrence, values: [],
      createdDate: try required(node.text("authoredOn"), "authoredOn"), answer: answer)
    for output in node.list("output") { outcome.values.append(try self.value(output)) }
    return FHIRReading(value: outcome, omitted: try node.finish())
  }

  /// The key of an event's outcome, beside its start.
  private struct EventPlace: Decodable {
    var ordinal: Int
    var version: UUID
    var occurrence: Int
  }

  private func value(_ node: FHIRNode) throws(FHIRRefusal) -> OutcomeValue {
    let type = node["type"]?.take().object
    var value = OutcomeValue(
      value: .boolean(true), time: .distantPast, provenance: .manual)
    value.kind = type?["coding"]?.elements?.first?.object?["code"]?.text
    guard try readStamp(node, into: &value) else { throw node.refusal(.missing, of: "extension") }
    if let coded = try Self.decodedExtension(Value.self, "value", of: node) {
      value.value = coded
      value.unit = try Self.decodedExtension(UnitOfMeasure.self, "unit", of: node)
      node["valueString"]?.take()
    } else if let quantity = node["valueQuantity"] {
      let number = try quantity.required(quantity.number("value"), "value")
      (value.value, value.unit) = (Value(number), try unit(quantity))
    } else if let number = node.number("valueInteger") ?? node.number("valueDecimal") {
      value.value = Value(number)
    } else if let flag = node.flag("valueBoolean") {
      value.value = .boolean(flag)
    } else if let text = node.text("valueString") {
      value.value = .text(text)
    } else {
      throw node.refusal(.unsupported)
    }
    return value
  }

  /// The unit of a Quantity, by its code, else by its name.
  func unit(
    _ quantity: FHIRNode, mayCompare: Bool = false
  ) throws(FHIRRefusal) -> UnitOfMeasure {
    let words = quantity.text("unit")
    let code = quantity.text("code") ?? words ?? ""
    _ = try quantity.text("system", among: [FHIRName.ucum])
    if !mayCompare, quantity.has("comparator") {
      throw quantity.refusal(.unsupported, of: "comparator")
    }
    guard let unit = UnitOfMeasure(code) else {
      throw quantity.refusal(.unsupportedValue(code), of: "code")
    }
    return unit
  }

  // MARK: Alerts and rules

  /// An alert or a rule that fired as Flag: a notice, no diagnosis.
  public func encode(_ firing: Firing) throws(FHIRRefusal) -> FHIRValue {
    let key = firing.event
    var resource: FHIRObject = [
      "resourceType": "Flag",
      "id": .string(
        FHIRName.id(
          of: "Flag",
          key.parts + [
            firing.kind.rawValue, String(firing.key.number),
            String(
              decoding: FHIRJSON.text(of: try Self.coded(firing.rule, at: "Flag")), as: UTF8.self),
            String(
              decoding: FHIRJSON.text(of: try Self.coded(firing.threshold, at: "Flag")),
              as: UTF8.self),
          ])),
    ]
    resource["extension"] = .array([
      try Self.codedExtension("firing", firing.content, at: "Flag"),
      Self.extension(
        "firing-event",
        json: .object([
          "task": .string(key.task), "start": .string(key.start.rfc3339(in: .gmt)),
          "ordinal": .integer(key.ordinal), "date": .string(firing.date.rfc3339(in: .gmt)),
          "undone": firing.undoneDate.map { .string($0.rfc3339(in: .gmt)) },
        ])),
    ])
    resource["status"] = firing.isUndone ? "inactive" : "active"
    resource["category"] = .array([
      .object([
        "coding": .array([
          FHIRCoding(system: FHIRName.codes("firing"), code: firing.kind.rawValue).value
        ])
      ])
    ])
    let words = firing.rule?.message ?? firing.threshold?.says
    resource["code"] = .object(["text": .string(words ?? firing.kind.rawValue)])
    resource["subject"] = reference(to: key.patient)
    resource["period"] = .object([
      "start": .string(try time(firing.due, at: "Flag.period.start")),
      "end": try firing.undoneDate.map { (date) throws(FHIRRefusal) in
        .string(try time(date, at: "Flag.period.end"))
      },
    ])
    return try finished(resource)
  }

  private struct FiringEvent: Decodable {
    var task: String
    var start: String
    var ordinal: Int
    var date: String
    var undone: String?
  }

  /// The firing of a Flag of ours.
  public func firing(_ value: FHIRValue) throws(FHIRRefusal) -> FHIRReading<Firing> {
    let node = try opened(value, "Flag")
    let content = try node.required(
      try Self.decodedExtension(FiringContent.self, "firing", of: node), "extension")
    let event = try node.required(
      try Self.decodedExtension(FiringEvent.self, "firing-event", of: node), "extension")
    let category = node["category"]?.take().elements?.first?.object
    let code = category?["coding"]?.elements?.first?.object?["code"]?.text ?? ""
    guard let kind = Firing.Kind(rawValue: code) else {
      throw node.refusal(.unsupportedValue(code), of: "category")
    }
    for key in ["status", "code", "period"] { node[key]?.take() }
    let firing = Firing(
      content, kind: kind,
      event: EventKey(
        patient: try node.required(try person(node["subject"]), "subject"), task: event.task,
        start: try node.required(Date(rfc3339: event.start), "extension"),
        ordinal: event.ordinal),
      date: try node.required(Date(rfc3339: event.date), "extension"),
      undoneDate: event.undone.flatMap { Date(rfc3339: $0) })
    return FHIRReading(value: firing, omitted: try node.finish())
  }
}

extension Answer.State {
  /// The status of a Task.
  fileprivate var taskStatus: String {
    switch self {
    case .done: "completed"
    case .notDone: "failed"
    case .skipped: "rejected"
    }
  }
}

extension Value {
  /// A number as it was written: with a point or exponent it is a decimal one.
  init(_ number: FHIRDecimal) {
    self = number.integer.map { .integer($0) } ?? .double(number.double)
  }

  /// The name of its type.
  fileprivate var name: String {
    switch self {
    case .integer: "integer"
    case .double: "double"
    case .boolean: "boolean"
    case .text: "text"
    case .binary: "binary"
    case .attachment: "attachment"
    case .date: "date"
    }
  }
}

// MARK: - Provenance

/// Who recorded something, and when.
public struct FHIRProvenance: Hashable, Sendable {
  /// Who records.
  public enum Agent: String, Hashable, Sendable, CaseIterable {
    /// A person gave or changed it.
    case person
    /// This program received or computed it.
    case program
  }

  /// The references of what was recorded: `Observation/m…`.
  public var targets: [String]
  /// When.
  public var recorded: Date
  /// Who.
  public var agent: Agent
  /// Why, in a person's words.
  public var reason: String?

  /// Makes a record.
  public init(targets: [String], recorded: Date, agent: Agent, reason: String? = nil) {
    self.targets = targets
    self.recorded = recorded
    self.agent = agent
    self.reason = reason
  }
}

extension FHIRCoder {
  /// A record as Provenance.
  public func encode(_ provenance: FHIRProvenance) throws(FHIRRefusal) -> FHIRValue {
    let agent = FHIRCoding(system: FHIRName.codes("agent"), code: provenance.agent.rawValue)
    let parts = provenance.targets + [String(provenance.recorded.microseconds)]
    var resource: FHIRObject = [
      "resourceType": "Provenance", "id": .string(FHIRName.id(of: "Provenance", parts)),
    ]
    resource["target"] = .list(provenance.targets.map { .object(["reference": .string($0)]) })
    resource["recorded"] = .string(try time(provenance.recorded, at: "Provenance.recorded"))
    resource["reason"] = provenance.reason.map { .array([.object(["text": .string($0)])]) }
    resource["agent"] = .array([
      .object([
        "type": .object(["coding": .array([agent.value])]),
        "who": .object(["display": .string(provenance.agent.rawValue)]),
      ])
    ])
    return try finished(resource)
  }

  /// The record of a Provenance of ours.
  public func provenance(_ value: FHIRValue) throws(FHIRRefusal) -> FHIRReading<FHIRProvenance> {
    let node = try opened(value, "Provenance")
    let targets = node["target"]?.take().elements?.compactMap { $0.object?["reference"]?.text }
    let time = node.text("recorded").flatMap(FHIRTime.init)?.start(in: timeZone)
    let agents = node["agent"]?.take().elements ?? []
    let type = agents.first?.object?["type"]?.object?["coding"]?.elements?.first?.object
    let name = type?["code"]?.text ?? ""
    guard agents.count == 1, let agent = FHIRProvenance.Agent(rawValue: name) else {
      throw node.refusal(.unsupportedValue(name), of: "agent")
    }
    let reason = node["reason"]?.take().elements?.first?.object?["text"]?.text
    let provenance = FHIRProvenance(
      targets: targets ?? [], recorded: try node.required(time, "recorded"), agent: agent,
      reason: reason)
    return FHIRReading(value: provenance, omitted: try node.finish())
  }
}
