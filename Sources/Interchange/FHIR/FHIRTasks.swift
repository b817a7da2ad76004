public import Care
import Foundation

// Tasks of a plan and the requests of FHIR: ServiceRequest, MedicationRequest, MedicationOrder, and
// the activities of a CarePlan.

extension FHIRCoder {
  /// The keys of a task that requests say by elements of their own.
  private static let native: Set = [
    "id", "patient", "title", "instructions", "schedule", "survey", "carePlan",
  ]

  // MARK: Writing

  /// A task as its requests, of R4: one ServiceRequest for each element of its schedule, or one
  /// MedicationRequest; of DSTU2: the MedicationOrder of a medicine.
  ///
  /// - Throws: ``FHIRRefusal`` for what FHIR cannot hold, and of DSTU2 for a task that is no medicine:
  ///   ``encode(_:tasks:)`` writes it into its care plan.
  public func requests(_ task: PlannedTask) throws(FHIRRefusal) -> [FHIRValue] {
    if task.isMedicine { return [try medicine(task)] }
    guard release == .r4 else { throw FHIRRefusal(at: "ServiceRequest", .notExpressible) }
    var requests: [FHIRValue] = []
    for (place, element) in task.schedule.elements.enumerated() {
      let path = "ServiceRequest[\(place)]"
      var request: FHIRObject = [
        "resourceType": "ServiceRequest",
        "id": .string(
          FHIRName.id(of: "ServiceRequest", [task.patient, task.id, String(place)])),
      ]
      request["extension"] = .list(try extensions(of: task, part: place, at: path))
      if !task.survey.isEmpty {
        request["instantiatesCanonical"] = .array([.string(Self.questionnaire(of: task))])
      }
      request["basedOn"] = carePlanReference(task)
      request["requisition"] = FHIRName.identifier("task", task.id)
      request["status"] = "active"
      request["intent"] = "plan"
      request["code"] = .object([
        "coding": .list(task.linkages.flatMap { codings(of: $0.quantity) }.map(\.value)),
        "text": .string(task.title),
      ])
      request["subject"] = reference(to: task.patient)
      request["occurrenceTiming"] = try timing(element, at: path + ".occurrenceTiming")
      request["patientInstruction"] = task.instructions.map { .string($0) }
      requests.append(try finished(request))
    }
    return requests
  }

  /// A care plan of DSTU2 with its tasks as activities.
  public func encode(
    _ carePlan: CarePlan, tasks: [PlannedTask]
  ) throws(FHIRRefusal) -> FHIRValue {
    var activities: [FHIRValue] = []
    for task in tasks {
      for (place, element) in task.schedule.elements.enumerated() {
        let path = "CarePlan.activity[\(activities.count)].detail"
        var extensions = [
          Self.extension(FHIRName.extension("activity-task"), "valueString", .string(task.id))
        ]
        extensions += try self.extensions(of: task, part: place, at: path)
        if place == 0, !task.survey.isEmpty {
          extensions.append(try Self.codedExtension("task-survey", task.survey, at: path))
        }
        var detail: FHIRObject = ["extension": .array(extensions)]
        detail["code"] = .object(["text": .string(task.title)])
        detail["status"] = "not-started"
        detail[release == .r4 ? "doNotPerform" : "prohibited"] = false
        detail["scheduledTiming"] = try timing(element, at: path + ".scheduledTiming")
        detail["description"] = task.instructions.map { .string($0) }
        activities.append(.object(["detail": .object(detail)]))
      }
    }
    return try encode(carePlan, activities: activities)
  }

  /// The extensions of a task, in the first of its parts.
  private func extensions(
    of task: PlannedTask, part: Int, besides native: Set<String> = [], at path: String
  ) throws(FHIRRefusal) -> [FHIRValue] {
    var extensions: [FHIRValue] = []
    if part == 0 {
      guard var coded = try Self.coded(task, at: path).object else { return [] }
      if coded["kind"] == "task" { coded["kind"] = nil }
      for key in ["optional", "resettable"] where coded[key] == false { coded[key] = nil }
      extensions += FHIRRest.task.extensions(coded, besides: Self.native.union(native))
    }
    if task.schedule.elements.count > 1 {
      extensions.append(
        Self.extension(FHIRName.extension("part"), "valueInteger", .integer(part)))
    }
    return extensions
  }

  private func carePlanReference(_ task: PlannedTask) -> FHIRValue? {
    task.carePlan.map { id in
      .array([
        .object([
          "reference": .string(
            "CarePlan/" + FHIRName.id(of: "CarePlan", [task.patient, id])),
          "identifier": FHIRName.identifier("care-plan", id),
        ])
      ])
    }
  }

  /// A task about a medicine.
  private func medicine(_ task: PlannedTask) throws(FHIRRefusal) -> FHIRValue {
    let type = release == .r4 ? "MedicationRequest" : "MedicationOrder"
    var resource: FHIRObject = [
      "resourceType": .string(type),
      "id": .string(FHIRName.id(of: type, [task.patient, task.id])),
    ]
    var native: Set = ["text", "optional"]
    if release == .dstu2, task.carePlan != nil { native.insert("carePlan") }
    var extensions = try self.extensions(of: task, part: 0, besides: native, at: type)
      .filter { $0.object?["url"]?.text != FHIRName.extension("part") }
    if release == .dstu2, let carePlan = task.carePlan {
      extensions.append(try Self.codedExtension("task-carePlan", carePlan, at: type))
    }
    resource["extension"] = .list(extensions)
    resource["identifier"] = .array([FHIRName.identifier("task", task.id)])
    resource["status"] = "active"
    if release == .r4 { resource["intent"] = "plan" }
    resource["medicationCodeableConcept"] = .object(["text": .string(task.title)])
    resource[release == .r4 ? "subject" : "patient"] = reference(to: task.patient)
    if release == .r4 { resource["basedOn"] = carePlanReference(task) }
    var dosages: [FHIRValue] = []
    for (place, element) in task.schedule.elements.enumerated() {
      var dosage = FHIRObject()
      if release == .r4 { dosage["sequence"] = .integer(place + 1) }
      dosage["text"] = task.text.map { .string($0) }
      let instructions = place == 0 ? task.instructions : nil
      if release == .r4 {
        dosage["patientInstruction"] = instructions.map { .string($0) }
      } else if let instructions {
        dosage["additionalInstructions"] = .object(["text": .string(instructions)])
      }
      dosage["timing"] = try timing(element, at: "\(type).dosageInstruction[\(place)].timing")
      if task.isOptional { dosage["asNeededBoolean"] = true }
      if let dose = task.text.flatMap({ try? EnteredMeasure($0) }), let unit = dose.unit {
        let quantity = FHIRDecimal(exactly: dose.number).map { self.quantity($0, unit) }
        if release == .r4 {
          dosage["doseAndRate"] = .array([.object(["doseQuantity": quantity])])
        } else {
          dosage["doseQuantity"] = quantity
        }
      }
      dosages.append(.object(dosage))
    }
    resource["dosageInstruction"] = .array(dosages)
    return try finished(resource)
  }

  /// A number with its unit by UCUM; one that UCUM does not know by its name alone.
  func quantity(_ number: FHIRDecimal, _ unit: UnitOfMeasure) -> FHIRValue {
    let isOfUCUM = unit != .jin
    // The unit of a bare number has no symbol.
    return .object([
      "value": .number(number), "unit": .string(unit.symbol.isEmpty ? unit.code : unit.symbol),
      "system": isOfUCUM ? .string(FHIRName.ucum) : nil,
      "code": isOfUCUM ? .string(unit.code) : nil,
    ])
  }

  // MARK: Reading

  /// The task of requests that belong together: the parts of one of ours, or a foreign one.
  func task(
    _ nodes: [FHIRNode], surveys: [String: [SurveyQuestion]], within bounds: TimingBounds
  ) throws(FHIRRefusal) -> PlannedTask? {
    guard let first = nodes.first else { return nil }
    var coded = FHIRObject()
    var elements: [ScheduleElement] = []
    for node in nodes {
      guard try isInForce(node) else { return nil }
      if node.flag("doNotPerform") == true {
        throw node.refusal(.unsupported, of: "doNotPerform")
      }
      try FHIRRest.part.skip(node)
    }
    coded["patient"] = .string(try first.required(try person(first["subject"]), "subject"))
    try readRest(.task, of: first, into: &coded)
    let isOwn =
      first.value.object?["requisition"]?.object?["system"]?.text
      == FHIRName.system("task")
    try readName(first, "code", isOwn: isOwn, into: &coded)
    coded["id"] = .string(
      isOwn
        ? first["requisition"]?.value.object?["value"]?.text ?? "" : first.foreignID(coded))
    coded["instructions"] =
      first.text("patientInstruction").map { .string($0) } ?? coded["instructions"]
    if first.flag("asNeededBoolean") == true { coded["optional"] = true }
    try readNotes(first, into: &coded)
    for node in nodes {
      node["requisition"]?.take()
      if node.path != first.path {
        for key in ["code", "subject", "patientInstruction", "instantiatesCanonical", "basedOn"] {
          node[key]?.take()
        }
      }
      elements += try occurrence(node, "occurrence", within: bounds)
    }
    try readCarePlan(first, into: &coded)
    for url in first["instantiatesCanonical"]?.take().elements?.compactMap(\.text) ?? [] {
      let plain = url.split(separator: "|").first.map(String.init) ?? url
      guard let survey = surveys[url] ?? surveys[plain] else {
        throw first.refusal(.unknownReference(url), of: "instantiatesCanonical")
      }
      try addSurvey(survey, isOwn: isOwn, to: &coded, at: first.path)
    }
    return try planned(coded, elements, at: first.path)
  }

  private func addSurvey(
    _ survey: [SurveyQuestion], isOwn: Bool, to coded: inout FHIRObject, at path: String
  ) throws(FHIRRefusal) {
    coded["survey"] = try Self.coded(survey, at: path)
    guard !isOwn else { return }
    coded["kind"] = "assessment"
    coded["resettable"] = true
  }

  /// A survey that nothing schedules is there every day, for when it is answered.
  func task(
    survey: [SurveyQuestion], _ node: FHIRNode, title: String, instructions: String?
  ) throws(FHIRRefusal) -> PlannedTask {
    var coded = FHIRObject()
    coded["patient"] = .string(try node.required(patient, "subject"))
    coded["title"] = .string(title)
    coded["id"] = .string(node.foreignID(coded))
    coded["instructions"] = instructions.map { .string($0) }
    coded["optional"] = true
    try addSurvey(survey, isOwn: false, to: &coded, at: node.path)
    return try planned(coded, [try daily(from: start, node.path)], at: node.path)
  }

  private func planned(
    _ coded: FHIRObject, _ elements: [ScheduleElement], at path: String
  ) throws(FHIRRefusal) -> PlannedTask {
    var coded = coded
    for key in ["optional", "resettable"] where coded[key] == nil { coded[key] = false }
    if coded["kind"] == nil { coded["kind"] = "task" }
    let schedule: Schedule
    do throws(ScheduleError) {
      schedule = try Schedule(elements)
    } catch {
      throw FHIRRefusal(at: path, .invalid(error.name))
    }
    coded["schedule"] = try Self.coded(schedule, at: path)
    return try Self.decoded(PlannedTask.self, .object(coded), at: path)
  }

  /// Whether a request asks for something; one that is over is only named.
  private func isInForce(_ node: FHIRNode) throws(FHIRRefusal) -> Bool {
    let over = ["completed", "cancelled", "stopped", "revoked", "entered-in-error"]
    let status = try node.text(
      "status", among: ["active", "draft", "not-started", "scheduled", "in-progress"] + over)
    if node.has("intent") {
      _ = try node.text(
        "intent",
        among: [
          "plan", "order", "original-order", "directive", "instance-order", "filler-order",
          "reflex-order",
        ])
    }
    guard let status, over.contains(status) else { return true }
    node.take()
    node.log.note(node.path + ".status (\(status))")
    return false
  }

  /// Takes a code over: its words are the title, a known code a quantity, any other a fact.
  private func readName(
    _ node: FHIRNode, _ key: String, isOwn: Bool, into coded: inout FHIRObject
  ) throws(FHIRRefusal) {
    guard let concept = node[key]?.take().object else { throw node.refusal(.missing, of: key) }
    let codings = (concept["coding"]?.elements ?? []).compactMap(\.object)
    let words = concept["text"]?.text ?? codings.compactMap { $0["display"]?.text }.first
    let title = words ?? codings.compactMap { $0["code"]?.text }.first
    coded["title"] = .string(try node.required(title, key))
    guard !isOwn else { return }
    var linkages: [Linkage] = []
    var facts = FHIRObject()
    for coding in codings {
      guard let code = coding["code"]?.text else { continue }
      let system = coding["system"]?.text ?? ""
      let quantities = quantities(system: system, code: code)
      for quantity in quantities where !linkages.contains(where: { $0.quantity == quantity }) {
        linkages.append(
          Linkage(quantity: quantity, type: quantity.aggregation, unit: quantity.unit))
      }
      guard quantities.isEmpty else { continue }
      let fact = system.isEmpty ? "code" : system
      facts[fact] = .string((facts[fact]?.text.map { $0 + " " } ?? "") + code)
    }
    if !facts.members.isEmpty { coded["userInfo"] = .object(facts) }
    guard !linkages.isEmpty, coded["linkage"] == nil, coded["linkages"] == nil else { return }
    coded["kind"] = "assessment"
    coded["resettable"] = true
    coded[linkages.count == 1 ? "linkage" : "linkages"] =
      linkages.count == 1
      ? try Self.coded(linkages[0], at: node.path) : try Self.coded(linkages, at: node.path)
  }

  private func readNotes(
    _ node: FHIRNode, into coded: inout FHIRObject
  ) throws(FHIRRefusal) {
    // DSTU2 has one note as text.
    let notes =
      node.list("note").compactMap { $0.text("text") } + [node.text("note")].compactMap(\.self)
    guard !notes.isEmpty else { return }
    coded["details"] = .string(
      ([coded["details"]?.text].compactMap(\.self) + notes).joined(separator: "\n\n"))
  }

  private func readCarePlan(
    _ node: FHIRNode, into coded: inout FHIRObject
  ) throws(FHIRRefusal) {
    for reference in node.list("basedOn") {
      reference.take()
      let identifier = reference.value.object?["identifier"]?.object
      if identifier?["system"]?.text == FHIRName.system("care-plan") {
        coded["carePlan"] = identifier?["value"]
      } else if coded["carePlan"] == nil,
        let text = reference.value.object?["reference"]?.text, text.hasPrefix("CarePlan/")
      {
        coded["carePlan"] = .string(String(text.dropFirst("CarePlan/".count)))
      } else {
        node.log.note(reference.path)
      }
    }
  }

  /// The elements of a Timing, a time or a period.
  private func occurrence(
    _ node: FHIRNode, _ prefix: String, within bounds: TimingBounds
  ) throws(FHIRRefusal) -> [ScheduleElement] {
    if let timing = node[prefix + "Timing"] { return try elements(timing, within: bounds) }
    if let text = node.text(prefix + "DateTime") {
      let path = node.path + "." + prefix + "DateTime"
      guard let time = FHIRTime(text), time.precision >= .day, let start = time.start(in: timeZone)
      else { throw FHIRRefusal(at: path, .unsupportedValue(text)) }
      let duration = time.precision == .day ? EventDuration.allDay : .seconds(3600)
      return [try once(start, duration, zone: timeZone, path)]
    }
    if let period = node[prefix + "Period"] {
      guard let first = period.text("start").flatMap(FHIRTime.init)?.start(in: timeZone),
        let end = period.text("end").flatMap(FHIRTime.init)?.end(in: timeZone), first < end
      else { throw period.refusal(.unsupported) }
      return [
        try once(
          first, .seconds(end.timeIntervalSince(first)), zone: timeZone, period.path)
      ]
    }
    throw node.refusal(.missing, of: prefix + "[x]")
  }

  // MARK: Medicines

  /// The tasks of a request for a medicine: one for each dose that differs.
  func medicines(
    _ node: FHIRNode, within bounds: TimingBounds
  ) throws(FHIRRefusal) -> [PlannedTask] {
    guard try isInForce(node) else { return [] }
    if node.flag("doNotPerform") == true { throw node.refusal(.unsupported, of: "doNotPerform") }
    let own = node.list("identifier").first {
      $0.value.object?["system"]?.text == FHIRName.system("task")
    }
    own?.take()
    var common = FHIRObject()
    common["patient"] = .string(
      try node.required(
        try person(node[release == .r4 ? "subject" : "patient"]), "subject"))
    try readRest(.task, of: node, into: &common)
    if let reference = node["medicationReference"] {
      reference.take()
      let words = reference.value.object?["display"]?.text
      let target = reference.value.object?["reference"]?.text ?? ""
      guard let words else { throw reference.refusal(.unknownReference(target)) }
      common["title"] = .string(words)
    } else {
      try readName(node, "medicationCodeableConcept", isOwn: own != nil, into: &common)
    }
    common["id"] = own?.value.object?["value"] ?? .string(node.foreignID(common))
    if own == nil { common["glyph"] = .string(Glyph.Standard.medication.rawValue) }
    try readCarePlan(node, into: &common)
    try readNotes(node, into: &common)
    var bounds = bounds
    for key in ["authoredOn", "dateWritten"] where bounds.start == nil {
      bounds.start = node.text(key).flatMap(FHIRTime.init)?.start(in: timeZone)
    }
    if let ended = node.text("dateEnded").flatMap(FHIRTime.init) {
      bounds.end = ended.end(in: timeZone)
    }
    var doses: [(object: FHIRObject, elements: [ScheduleElement])] = []
    for dosage in node.list("dosageInstruction") {
      let (object, elements) = try dose(dosage, common, isOwn: own != nil, within: bounds)
      if let place = doses.firstIndex(where: { own != nil || $0.object == object }) {
        doses[place].elements += elements
      } else {
        doses.append((object, elements))
      }
    }
    guard !doses.isEmpty else { throw node.refusal(.missing, of: "dosageInstruction") }
    var tasks: [PlannedTask] = []
    for (place, dose) in doses.enumerated() {
      var object = dose.object
      if place > 0 {
        object["id"] = .string((object["id"]?.text ?? "") + "-\(place + 1)")
      }
      tasks.append(try planned(object, dose.elements, at: node.path))
    }
    return tasks
  }

  private func dose(
    _ node: FHIRNode, _ common: FHIRObject, isOwn: Bool, within bounds: TimingBounds
  ) throws(FHIRRefusal) -> (FHIRObject, [ScheduleElement]) {
    var object = common
    _ = node.number("sequence")
    let words = node.text("text")
    var dose: String?
    let amounts = node.list("doseAndRate")
    guard amounts.count <= 1 else { throw node.refusal(.unsupported, of: "doseAndRate[1]") }
    if let quantity = (amounts.first ?? node)["doseQuantity"] {
      guard quantity["comparator"] == nil,
        case .number(let number)? = quantity.value.object?["value"]
      else { throw quantity.refusal(.unsupported) }
      quantity.take()
      let unit = quantity.value.object?["unit"]?.text ?? quantity.value.object?["code"]?.text
      dose = number.description + (unit.map { " " + $0 } ?? "")
    }
    var instructions: [String] = []
    if isOwn {
      object["text"] = words.map { .string($0) }
    } else {
      object["text"] = (dose ?? words).map { .string($0) }
      if dose != nil, let words { instructions.append(words) }
    }
    for concept in node.list("additionalInstruction")
      + [node["additionalInstructions"]].compactMap(\.self)
    {
      instructions.append(try self.words(concept))
    }
    if let text = node.text("patientInstruction") { instructions.append(text) }
    for key in ["route", "method", "site", "siteCodeableConcept"] {
      guard let concept = node[key], concept.type == "CodeableConcept" else { continue }
      instructions.append(try self.words(concept))
    }
    if let concept = node["asNeededCodeableConcept"] {
      instructions.append(try self.words(concept))
      object["optional"] = true
    }
    if node.flag("asNeededBoolean") == true { object["optional"] = true }
    if !instructions.isEmpty {
      object["instructions"] = .string(instructions.joined(separator: "\n"))
    }
    guard let timing = node["timing"] else {
      // As needed without a time is for every day, as a log of doses.
      guard object["optional"] == true else { throw node.refusal(.missing, of: "timing") }
      return (
        object, [try daily(from: bounds.start ?? start, to: bounds.end, node.path + ".timing")]
      )
    }
    return (object, try elements(timing, within: bounds))
  }

  private func words(_ concept: FHIRNode) throws(FHIRRefusal) -> String {
    let object = concept.take().object
    let words =
      object?["text"]?.text
      ?? object?["coding"]?.elements?.compactMap { $0.object?["display"]?.text }.first
    return try concept.required(words, "text")
  }

  // MARK: Activities

  /// The task of activities of a care plan that belong together.
  func task(
    activities nodes: [FHIRNode], of carePlan: CarePlan, within bounds: TimingBounds
  ) throws(FHIRRefusal) -> PlannedTask? {
    guard let first = nodes.first else { return nil }
    var coded = FHIRObject()
    for node in nodes {
      guard try isInForce(node) else { return nil }
      for key in ["doNotPerform", "prohibited"] where node.flag(key) == true {
        throw node.refusal(.unsupported, of: key)
      }
      try FHIRRest.part.skip(node)
    }
    let own = try first.extended(FHIRName.extension("activity-task"))?.text
    for node in nodes { _ = try node.extended(FHIRName.extension("activity-task")) }
    coded["patient"] = .string(carePlan.patient)
    coded["carePlan"] = .string(carePlan.id)
    try readRest(.task, of: first, into: &coded)
    if let product = first["productCodeableConcept"], !first.has("code") {
      coded["title"] = .string(try words(product))
      coded["glyph"] = .string(Glyph.Standard.medication.rawValue)
    } else if let description = first.text("description"), !first.has("code") {
      coded["title"] = .string(description)
    } else {
      try readName(first, "code", isOwn: own != nil, into: &coded)
      coded["instructions"] = first.text("description").map { .string($0) }
    }
    // Words alone could be the id of another task of the person.
    coded["id"] = .string(own ?? carePlan.id + "-" + first.foreignID(coded))
    var elements: [ScheduleElement] = []
    for node in nodes {
      if node.path != first.path { for key in ["code", "description"] { node[key]?.take() } }
      elements += try occurrence(node, "scheduled", within: bounds)
    }
    return try planned(coded, elements, at: first.path)
  }
}

extension FHIRRest {
  /// The number of a part, which is read where the parts are put in order.
  static let part = FHIRRest(prefix: "part", texts: [])

  func skip(_ node: FHIRNode) throws(FHIRRefusal) {
    _ = try node.extended(FHIRName.extension(prefix))
  }
}

extension FHIRNode {
  /// The id of a thing of another system: that of its resource, else of its words.
  func foreignID(_ coded: FHIRObject) -> String {
    if let id = value.object?["id"]?.text { return id }
    let title = coded["title"]?.text ?? type
    let words = title.lowercased().split { !$0.isLetter && !$0.isNumber }
    return words.isEmpty ? type.lowercased() : words.joined(separator: "-")
  }

  /// Which of several parts it is.
  var part: Int {
    let part = value.object?["extension"]?.elements?.first {
      $0.object?["url"]?.text == FHIRName.extension("part")
    }
    guard case .number(let number)? = part?.object?["valueInteger"] else { return 0 }
    return number.integer.flatMap { Int(exactly: $0) } ?? 0
  }
}

extension PlannedTask {
  /// Whether it is written as a request for a medicine: a button with the glyph of one.
  var isMedicine: Bool {
    kind == .task && glyph == .standard(.medication) && survey.isEmpty && linkages.isEmpty
      && activeTask == nil
  }
}
