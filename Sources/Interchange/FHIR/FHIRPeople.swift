public import Care
import Foundation

// People, care plans and devices.

extension FHIRCoder {
  /// A person as Patient.
  public func encode(_ patient: Patient) throws(FHIRRefusal) -> FHIRValue {
    var patient = patient
    // As with contacts: a topic of ntfy is a secret.
    patient.channels = []
    guard let coded = try Self.coded(patient, at: "Patient").object else {
      throw FHIRRefusal(at: "Patient", .notExpressible)
    }
    var native: Set = ["id", "name", "birthday"]
    // FHIR's codes have no place for a sex in a person's own words.
    if patient.sex == .male || patient.sex == .female { native.insert("sex") }
    if coded["expects"]?.object?.members.isEmpty ?? true { native.insert("expects") }
    var resource: FHIRObject = [
      "resourceType": "Patient", "id": .string(FHIRName.id(of: "Patient", [patient.id])),
    ]
    let extensions = FHIRRest.patient.extensions(coded, besides: native)
    resource["identifier"] = .array([FHIRName.identifier("patient", patient.id)])
    var name = FHIRObject()
    if let family = patient.name.family {
      name["family"] = release == .r4 ? .string(family) : .array([.string(family)])
    }
    if let given = patient.name.given { name["given"] = .array([.string(given)]) }
    if !name.members.isEmpty { resource["name"] = .array([.object(name)]) }
    switch patient.sex {
    case .male: resource["gender"] = "male"
    case .female: resource["gender"] = "female"
    case .other: resource["gender"] = "other"
    case nil: break
    }
    resource["birthDate"] = patient.birthday.map { .string($0.description) }
    resource["extension"] = .list(extensions)
    return try finished(resource)
  }

  /// The person of a Patient.
  ///
  /// A foreign one keeps its id, or has that of the mapping.
  public func patient(_ value: FHIRValue) throws(FHIRRefusal) -> FHIRReading<Patient> {
    let node = try opened(value, "Patient")
    let person = try patient(node)
    return FHIRReading(value: person, omitted: try node.finish())
  }

  func patient(_ node: FHIRNode) throws(FHIRRefusal) -> Patient {
    var coded = FHIRObject()
    let own = node.list("identifier").first {
      $0.value.object?["system"]?.text == FHIRName.system("patient")
    }
    let foreign = node.text("id")
    if let own { own.take() }
    let id =
      patient ?? own?.value.object?["value"]?.text
      ?? foreign.map { mapping.patients["Patient/" + $0] ?? mapping.patients[$0] ?? $0 }
    coded["id"] = .string(try node.required(id, "id"))
    try readRest(.patient, of: node, into: &coded)
    if coded["expects"] == nil { coded["expects"] = .object([:]) }
    coded["name"] = .object(try name(node))
    switch try node.text("gender", among: ["male", "female", "other", "unknown"]) {
    case "other": if coded["sex"] == nil { coded["sex"] = .object(["other": "other"]) }
    case "unknown", nil: break
    case let gender?: coded["sex"] = .string(gender)
    }
    if let birthday = node.text("birthDate") {
      guard CalendarDate(birthday) != nil else {
        throw node.refusal(.unsupportedValue(birthday), of: "birthDate")
      }
      coded["birthday"] = .string(birthday)
    }
    if node.flag("active") == false { throw node.refusal(.unsupported, of: "active") }
    if node.flag("deceasedBoolean") == true {
      throw node.refusal(.unsupported, of: "deceasedBoolean")
    }
    let languages = node.list("communication")
    for entry in languages {
      // The first is the one in which the person reads; further ones are only named.
      guard coded["language"] == nil else {
        entry.take()
        node.log.note(entry.path)
        continue
      }
      let concept = entry["language"]?.take().object
      let code = concept?["coding"]?.elements?.first?.object?["code"]?.text
      coded["language"] = code.map { .string($0) }
    }
    return try Self.decoded(Patient.self, .object(coded), at: node.path)
  }

  private func name(_ node: FHIRNode) throws(FHIRRefusal) -> FHIRObject {
    var name = FHIRObject()
    let names = node.list("name")
    // The official one counts, else the first.
    let chosen = names.first { $0.value.object?["use"]?.text == "official" } ?? names.first
    for other in names where other.path != chosen?.path {
      other.take()
      node.log.note(other.path)
    }
    guard let chosen else { return name }
    let family = chosen["family"]?.take()
    let families = family?.elements?.compactMap(\.text) ?? family?.text.map { [$0] } ?? []
    let given = chosen["given"]?.take().elements?.compactMap(\.text) ?? []
    let whole = chosen.text("text")
    if !families.isEmpty { name["family"] = .string(families.joined(separator: " ")) }
    if !given.isEmpty { name["given"] = .string(given.joined(separator: " ")) }
    if name.members.isEmpty, let whole { name["given"] = .string(whole) }
    return name
  }

  func readRest(
    _ rest: FHIRRest, of node: FHIRNode, into object: inout FHIRObject
  ) throws(FHIRRefusal) {
    try rest.read(from: node, into: &object)
  }

  // MARK: Care plans

  /// A care plan with its activities, which are references to requests.
  public func encode(
    _ carePlan: CarePlan, activities: [FHIRValue] = [], goals: [FHIRValue] = []
  ) throws(FHIRRefusal) -> FHIRValue {
    var resource: FHIRObject = [
      "resourceType": "CarePlan",
      "id": .string(FHIRName.id(of: "CarePlan", [carePlan.patient, carePlan.id])),
    ]
    if let coded = try Self.coded(carePlan, at: "CarePlan").object {
      resource["extension"] = .list(
        FHIRRest.carePlan.extensions(coded, besides: ["id", "patient", "title"]))
    }
    resource["identifier"] = .array([FHIRName.identifier("care-plan", carePlan.id)])
    resource["status"] = "active"
    if release == .r4 { resource["intent"] = "plan" }
    resource[release == .r4 ? "title" : "description"] = .string(carePlan.title)
    resource["subject"] = reference(to: carePlan.patient)
    if let date = carePlan.effectiveDate {
      resource["period"] = .object([
        "start": FHIRTime.text(date, in: timeZone).map { .string($0) }
      ])
    }
    resource["goal"] = .list(goals)
    resource["activity"] = .list(activities)
    return try finished(resource)
  }

  /// The care plan of a CarePlan, without its activities: ``plan(_:)`` reads these.
  public func carePlan(_ value: FHIRValue) throws(FHIRRefusal) -> FHIRReading<CarePlan> {
    let node = try opened(value, "CarePlan")
    node["activity"]?.take()
    let (carePlan, _) = try carePlan(node)
    return FHIRReading(value: carePlan, omitted: try node.finish())
  }

  func carePlan(_ node: FHIRNode) throws(FHIRRefusal) -> (CarePlan, TimingBounds) {
    var coded = FHIRObject()
    let own = node.list("identifier").first {
      $0.value.object?["system"]?.text == FHIRName.system("care-plan")
    }
    own?.take()
    if own != nil { node["goal"]?.take() }
    let foreign = node.text("id")
    coded["id"] = .string(own?.value.object?["value"]?.text ?? foreign ?? "care-plan")
    coded["patient"] = .string(
      try node.required(try person(node["subject"]), "subject"))
    try readRest(.carePlan, of: node, into: &coded)
    if release == .r4 {
      _ = try node.text("intent", among: ["plan", "order"])
      coded["title"] = node.text("title").map { .string($0) }
    }
    if coded["title"] == nil { coded["title"] = node.text("description").map { .string($0) } }
    if coded["title"] == nil { coded["title"] = coded["id"] }
    _ = try node.text("status", among: ["active", "draft"])
    var bounds = TimingBounds(start: start)
    if let period = node["period"] {
      let (first, last) = (period.text("start"), period.text("end"))
      if own == nil {
        bounds.start = first.flatMap(FHIRTime.init)?.start(in: timeZone) ?? start
        bounds.end = last.flatMap(FHIRTime.init)?.end(in: timeZone)
        if let date = first.flatMap(FHIRTime.init)?.start(in: timeZone) {
          coded["effectiveDate"] = .string(date.rfc3339(in: .gmt))
        }
      }
    }
    return (try Self.decoded(CarePlan.self, .object(coded), at: node.path), bounds)
  }

  // MARK: Devices

  /// A binding of a device as Device; its secrets stay on this machine.
  public func encode(_ device: DeviceBinding) throws(FHIRRefusal) -> FHIRValue {
    var resource: FHIRObject = [
      "resourceType": "Device",
      "id": .string(
        FHIRName.id(
          of: "Device", ["binding", device.address.text, device.userIndex.map(String.init) ?? ""])),
    ]
    if let coded = try Self.coded(device, at: "Device").object {
      resource["extension"] = .list(
        FHIRRest.device.extensions(coded, besides: ["address", "patient"]))
    }
    resource["identifier"] = .array([FHIRName.identifier("device", device.address.text)])
    if let patient = device.patient { resource["patient"] = reference(to: patient) }
    return try finished(resource)
  }

  /// The binding of a Device.
  public func device(_ value: FHIRValue) throws(FHIRRefusal) -> FHIRReading<DeviceBinding> {
    let node = try opened(value, "Device")
    let binding = try device(node)
    return FHIRReading(value: binding, omitted: try node.finish())
  }

  func device(_ node: FHIRNode) throws(FHIRRefusal) -> DeviceBinding {
    let own = node.list("identifier").first {
      $0.value.object?["system"]?.text == FHIRName.system("device")
    }
    own?.take()
    var coded = FHIRObject()
    coded["address"] = .string(
      try node.required(own?.value.object?["value"]?.text, "identifier"))
    if node.has("patient") { coded["patient"] = try person(node["patient"]).map { .string($0) } }
    try readRest(.device, of: node, into: &coded)
    return try Self.decoded(DeviceBinding.self, .object(coded), at: node.path)
  }

  /// The device that a sample names, as Device.
  public func encode(_ device: DeviceIdentity) throws(FHIRRefusal) -> FHIRValue {
    var resource: FHIRObject = [
      "resourceType": "Device", "id": .string(FHIRName.id(of: "Device", [device.address.text])),
    ]
    if let definition = device.definition {
      resource["extension"] = .array([
        Self.extension(
          FHIRName.extension("device-definition"), "valueString", .string(definition))
      ])
    }
    resource["identifier"] = .array([FHIRName.identifier("device", device.address.text)])
    return try finished(resource)
  }
}
