public import Care
import Digests
import Foundation

// A whole plan and a Bundle.

extension FHIRCoder {
  /// A plan as a Bundle of its people, care plans, requests, questionnaires and devices, of R4.
  ///
  /// Contacts and notes, for which a plan's receiver has no use, and the order of tasks travel in
  /// the Bundle, too. Secrets of devices do not.
  public func encode(_ plan: PlanDocument) throws(FHIRRefusal) -> FHIRValue {
    var bundle: FHIRObject = ["resourceType": "Bundle", "type": "collection"]
    bundle["meta"] = .object([
      "extension": .array([
        Self.extension(FHIRName.zone, "valueCode", .string(plan.timeZone.identifier)),
        try Self.codedExtension(
          "contacts", plan.contacts.map(\.withoutChannels), at: "Bundle.meta"),
        try Self.codedExtension("notes", plan.notes, at: "Bundle.meta"),
      ])
    ])
    var resources: [FHIRValue] = []
    for patient in plan.patients { resources.append(try encode(patient)) }
    var requests: [FHIRValue] = []
    for task in plan.tasks {
      if !task.survey.isEmpty { requests.append(try questionnaire(task)) }
      requests += try self.requests(task)
    }
    let goals = try plan.tasks.map { task throws(FHIRRefusal) in try self.goals(task) }
    for carePlan in plan.carePlans {
      var activities: [FHIRValue] = []
      for task in plan.tasks
      where task.patient == carePlan.patient && task.carePlan == carePlan.id {
        activities += try self.requests(task).compactMap(\.ownReference).map {
          .object(["reference": $0])
        }
      }
      let own = zip(plan.tasks, goals).filter { task, _ in
        task.patient == carePlan.patient && task.carePlan == carePlan.id
      }
      resources.append(
        try encode(
          carePlan, activities: activities,
          goals: own.flatMap(\.1).compactMap(\.ownReference)))
    }
    resources += requests + goals.joined()
    for device in plan.devices { resources.append(try encode(device)) }
    bundle["entry"] = .list(
      resources.map { .object(["fullUrl": $0.uuidURL, "resource": $0]) })
    return try finished(bundle)
  }

  /// The plan of a Bundle or of a single resource.
  ///
  /// Without a Patient it is a part of a plan: tasks of people whom the store knows.
  ///
  /// - Parameter value: A Bundle, Patient, CarePlan, ServiceRequest, MedicationRequest,
  ///   MedicationOrder, Questionnaire, Device or Goal.
  /// - Returns: The plan.
  /// - Throws: ``FHIRRefusal`` with the path of what is no FHIR, or of what a plan cannot say.
  public func plan(_ value: FHIRValue) throws(FHIRRefusal) -> FHIRReading<PlanDocument> {
    guard let type = value.object?["resourceType"]?.text else {
      throw FHIRRefusal(at: "resourceType", .missing)
    }
    var coder = self
    var reader = PlanBundle()
    guard type == "Bundle" else {
      try reader.add(try opened(value), at: nil)
      return try reader.plan(coder)
    }
    let bundle = try opened(value, "Bundle")
    _ = try bundle.text(
      "type", among: ["collection", "searchset", "transaction", "batch", "document"])
    if let meta = bundle["meta"] {
      if let zone = try meta.extended(FHIRName.zone)?.text {
        guard let timeZone = TimeZone(identifier: zone) else {
          throw meta.refusal(.unsupportedValue(zone), of: "extension")
        }
        coder.timeZone = timeZone
      }
      reader.contacts = try Self.decodedExtension([Contact].self, "contacts", of: meta) ?? []
      reader.notes = try Self.decodedExtension([Note].self, "notes", of: meta) ?? []
    }
    for entry in bundle.list("entry") {
      guard let resource = entry["resource"] else {
        throw entry.refusal(.missing, of: "resource")
      }
      for key in ["resource", "fullUrl", "link", "search", "request", "response"] {
        entry[key]?.take()
      }
      let node = try coder.opened(resource.value, at: resource.path)
      try reader.add(node, at: entry.value.object?["fullUrl"]?.text)
    }
    reader.omitted += try bundle.finish()
    return try reader.plan(coder)
  }
}

/// The resources of a plan, sorted by their types.
private struct PlanBundle {
  var people: [FHIRNode] = []
  var carePlans: [FHIRNode] = []
  /// Requests and medicines in the order of the plan.
  var requests: [FHIRNode] = []
  var questionnaires: [FHIRNode] = []
  var devices: [FHIRNode] = []
  var goals: [FHIRNode] = []
  var contacts: [Contact] = []
  var notes: [Note] = []
  var omitted: [String] = []
  /// The names by which references mean a resource.
  private var names: Set<String> = []
  /// The names of each person, by the path of the resource.
  private var personNames: [String: [String]] = [:]

  mutating func add(_ node: FHIRNode, at url: String?) throws(FHIRRefusal) {
    switch node.type {
    case "Patient": people.append(node)
    case "CarePlan": carePlans.append(node)
    case "ServiceRequest", "MedicationRequest", "MedicationOrder": requests.append(node)
    case "Questionnaire": questionnaires.append(node)
    case "Device": devices.append(node)
    case "Goal": goals.append(node)
    default: throw FHIRRefusal(at: node.path, .unknownResource(node.type))
    }
    let id = node.value.object?["id"]?.text.map { node.type + "/" + $0 }
    let known = [url, id].compactMap(\.self)
    names.formUnion(known)
    if node.type == "Patient" { personNames[node.path] = known }
  }

  mutating func plan(_ coder: FHIRCoder) throws(FHIRRefusal) -> FHIRReading<PlanDocument> {
    var document = PlanDocument(timeZone: coder.timeZone, patients: [], tasks: [])
    var coder = coder
    document.isPart = people.isEmpty
    for node in people {
      guard people.count == 1 || coder.patient == nil else {
        throw node.refusal(.contradiction(rule: "patient"))
      }
      let person = try coder.patient(node)
      document.patients.append(person)
      for name in personNames[node.path] ?? [] { coder.mapping.patients[name] = person.id }
    }
    var bounds: [String: TimingBounds] = [:]
    var groups: [String: String] = [:]
    for node in carePlans {
      let (carePlan, limits) = try coder.carePlan(node)
      if document.isPart {
        groups[carePlan.id] = carePlan.title
      } else {
        document.carePlans.append(carePlan)
      }
      bounds[carePlan.id] = limits
      try read(node["activity"], of: carePlan, limits, coder, into: &document)
    }
    try readRequests(coder, bounds, into: &document)
    for node in devices { document.devices.append(try coder.device(node)) }
    for node in goals { try coder.read(goal: node, into: &document.tasks) }
    document.contacts = contacts
    document.notes = notes
    for index in document.tasks.indices where document.isPart {
      if let group = document.tasks[index].carePlan.flatMap({ groups[$0] }) {
        document.tasks[index].group = document.tasks[index].group ?? group
      }
      document.tasks[index].carePlan = nil
    }
    for index in document.tasks.indices where !document.isPart {
      let task = document.tasks[index]
      let isKnown = document.carePlans.contains {
        $0.id == task.carePlan && $0.patient == task.patient
      }
      if !isKnown { document.tasks[index].carePlan = nil }
    }
    try separate(&document)
    for node in people + carePlans + requests + questionnaires + devices + goals {
      omitted += try node.finish()
    }
    return FHIRReading(value: document, omitted: omitted)
  }

  /// Gives tasks of one person that have one id further ones: foreign ids may be words.
  private func separate(_ document: inout PlanDocument) throws(FHIRRefusal) {
    var known: Set<TaskReference> = []
    for index in document.tasks.indices {
      let task = document.tasks[index]
      var (id, number) = (task.id, 2)
      while !known.insert(TaskReference(patient: task.patient, task: id)).inserted {
        id = "\(task.id)-\(number)"
        number += 1
      }
      document.tasks[index].id = id
    }
  }

  private func read(
    _ activities: FHIRNode?, of carePlan: CarePlan, _ bounds: TimingBounds, _ coder: FHIRCoder,
    into document: inout PlanDocument
  ) throws(FHIRRefusal) {
    guard let activities, let elements = activities.value.elements else { return }
    var groups: [(id: String, nodes: [FHIRNode])] = []
    for (place, node) in activities.elements.enumerated() where place < elements.count {
      if let reference = node["reference"] {
        reference.take()
        let name = reference.value.object?["reference"]?.text ?? ""
        guard names.contains(name) else { throw reference.refusal(.unknownReference(name)) }
        guard !node.has("detail") else {
          throw node.refusal(.contradiction(rule: "cpl-3"))
        }
        continue
      }
      guard let detail = node["detail"] else { throw node.refusal(.missing, of: "detail") }
      let own = detail.value.object?["extension"]?.elements?.first {
        $0.object?["url"]?.text == FHIRName.extension("activity-task")
      }?.object?["valueString"]?.text
      if let own, let index = groups.firstIndex(where: { $0.id == own }) {
        groups[index].nodes.append(detail)
      } else {
        groups.append((own ?? detail.path, [detail]))
      }
    }
    for group in groups {
      let nodes = group.nodes.sorted { $0.part < $1.part }
      if let task = try coder.task(activities: nodes, of: carePlan, within: bounds) {
        document.tasks.append(task)
      }
    }
  }

  private func readRequests(
    _ coder: FHIRCoder, _ bounds: [String: TimingBounds], into document: inout PlanDocument
  ) throws(FHIRRefusal) {
    var surveys: [String: [SurveyQuestion]] = [:]
    var used: Set<String> = []
    for node in questionnaires {
      let survey = try coder.survey(node)
      let id = node.value.object?["id"]?.text.map { "Questionnaire/" + $0 }
      for name in [node.value.object?["url"]?.text, id].compactMap(\.self) {
        surveys[name] = survey
      }
      for key in ["url", "title", "name", "description", "subjectType"] { node[key]?.take() }
    }
    // Parts of one task are requests with one requisition.
    var groups: [(key: String, nodes: [FHIRNode])] = []
    for node in requests {
      let requisition = node.value.object?["requisition"]?.object
      let subject = node.value.object?["subject"]?.object?["reference"]?.text ?? ""
      let isOwn = requisition?["system"]?.text == FHIRName.system("task")
      let key = isOwn ? subject + "|" + (requisition?["value"]?.text ?? "") : node.path
      if let index = groups.firstIndex(where: { $0.key == key }) {
        groups[index].nodes.append(node)
      } else {
        groups.append((key, [node]))
      }
      for url in node.value.object?["instantiatesCanonical"]?.elements ?? [] {
        if let url = url.text {
          used.insert(url.split(separator: "|").first.map(String.init) ?? url)
        }
      }
    }
    for group in groups {
      let nodes = group.nodes.sorted { $0.part < $1.part }
      guard let first = nodes.first else { continue }
      let carePlan = first.value.object?["basedOn"]?.elements?.compactMap {
        $0.object?["reference"]?.text
      }.compactMap { name in bounds[String(name.split(separator: "/").last ?? "")] }.first
      let limits = carePlan ?? TimingBounds(start: coder.start)
      if first.type == "ServiceRequest" {
        if let task = try coder.task(nodes, surveys: surveys, within: limits) {
          document.tasks.append(task)
        }
      } else {
        document.tasks += try coder.medicines(first, within: limits)
      }
    }
    for node in questionnaires {
      let object = node.value.object
      let names = [object?["url"]?.text, object?["id"]?.text.map { "Questionnaire/" + $0 }]
        .compactMap(\.self)
      guard !names.contains(where: used.contains),
        let survey = names.compactMap({ surveys[$0] }).first ?? (try? coder.survey(node))
      else { continue }
      document.tasks.append(
        try coder.task(
          survey: survey, node, title: object?["title"]?.text ?? object?["name"]?.text ?? "Survey",
          instructions: object?["description"]?.text))
    }
  }
}

extension FHIRNode {
  /// The elements of a list that this node is.
  var elements: [FHIRNode] {
    (value.elements ?? []).indices.compactMap { at($0) }
  }
}

extension FHIRValue {
  /// A reference to this resource.
  var ownReference: FHIRValue? {
    guard let type = object?["resourceType"]?.text, let id = object?["id"]?.text else {
      return nil
    }
    return .object(["reference": .string(type + "/" + id)])
  }

  /// An address for this resource in a Bundle, which follows from its id.
  var uuidURL: FHIRValue? {
    guard let type = object?["resourceType"]?.text, let id = object?["id"]?.text else {
      return nil
    }
    return .string("urn:uuid:" + UUID(of: [type, id]).uuidString.lowercased())
  }
}
