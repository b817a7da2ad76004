import Care
import Foundation
import Motion
import StrictYAML

/// Reads the parts of a plan.
struct PlanReader {
  /// The zone of times without an offset.
  let timeZone: TimeZone
  /// The active tasks that a task can ask for.
  var activeTasks: [ActiveTaskForm] = []

  /// The patient that `node` names, who must be one of `patients`.
  func patient(_ node: YAMLNode, of patients: [Patient]) throws(YAMLError) -> String {
    let id = try node.string()
    let known = patients.map(\.id)
    guard known.contains(id) else {
      throw node.error(
        "there is no patient ‘\(id)’ in this plan" + Spelling.suggestion(for: id, among: known))
    }
    return id
  }
}

// MARK: - Patients

extension PlanReader {
  /// The people of a plan, each id once.
  func patients(_ node: YAMLNode?) throws(YAMLError) -> [Patient] {
    var patients: [Patient] = []
    for element in try node?.sequence() ?? [] {
      let patient = try patient(element)
      guard !patients.contains(where: { $0.id == patient.id }) else {
        throw element.error("there are two patients ‘\(patient.id)’")
      }
      patients.append(patient)
    }
    return patients
  }

  private func patient(_ node: YAMLNode) throws(YAMLError) -> Patient {
    var reader = try node.mapping()
    let patient = Patient(
      id: try reader.required("id").identifier(), name: try name(reader.optional("name")),
      expects: try expectations(reader.optional("expects")))
    try reader.finish()
    return patient
  }

  private func name(_ node: YAMLNode?) throws(YAMLError) -> PersonName {
    guard let node else { return PersonName() }
    var reader = try node.mapping()
    let name = PersonName(
      given: try reader.optional("given")?.string(), family: try reader.optional("family")?.string()
    )
    try reader.finish()
    return name
  }

  /// The expected values, by quantity: `82 kg`, or `{value: 82 kg, tolerance: 6 kg}`.
  private func expectations(_ node: YAMLNode?) throws(YAMLError) -> [String: Expectation] {
    var expectations: [String: Expectation] = [:]
    for pair in try node?.pairs() ?? [] {
      let quantity = try pair.location.quantity(named: pair.key)
      expectations[quantity.rawValue] = try expectation(pair.value, of: quantity)
    }
    return expectations
  }

  private func expectation(
    _ node: YAMLNode, of quantity: Quantity
  ) throws(YAMLError) -> Expectation {
    guard case .mapping = node.content else {
      return Expectation(value: try node.measure(of: quantity))
    }
    var reader = try node.mapping()
    var expectation = Expectation(value: try reader.required("value").measure(of: quantity))
    if let node = reader.optional("tolerance") {
      let tolerance = try node.measure(of: quantity, isDifference: true)
      guard tolerance >= 0 else { throw node.error("a tolerance cannot be negative") }
      expectation.tolerance = tolerance
    }
    try reader.finish()
    return expectation
  }
}

// MARK: - Tasks

extension PlanReader {
  /// The tasks of a plan, each id once for each patient.
  func tasks(_ node: YAMLNode?, of patients: [Patient]) throws(YAMLError) -> [PlannedTask] {
    var tasks: [PlannedTask] = []
    for element in try node?.sequence() ?? [] {
      let task = try task(element, of: patients)
      guard !tasks.contains(where: { $0.id == task.id && $0.patient == task.patient }) else {
        throw element.error("there are two tasks ‘\(task.id)’ of patient ‘\(task.patient)’")
      }
      tasks.append(task)
    }
    return tasks
  }

  private func task(_ node: YAMLNode, of patients: [Patient]) throws(YAMLError) -> PlannedTask {
    var reader = try node.mapping()
    let task = PlannedTask(
      id: try reader.required("id").identifier(),
      patient: try owner(&reader, of: patients),
      kind: try reader.optional("kind")?.choice() ?? .task,
      title: try reader.required("title").string(),
      instructions: try reader.optional("instructions")?.string(),
      schedule: try schedule(reader.required("schedule")),
      linkage: try linkage(reader.optional("linkage")),
      activeTask: try activeTask(reader.optional("activeTask")),
      isOptional: try reader.optional("optional")?.boolean() ?? false,
      isResettable: try reader.optional("resettable")?.boolean() ?? false,
      effectiveDate: try reader.optional("effectiveDate")?.date(in: timeZone))
    try reader.finish()
    try refuseContradictions(in: task, at: reader)
    return task
  }

  /// The patient of a task; may be left out if the plan has only one.
  private func owner(
    _ reader: inout MappingReader, of patients: [Patient]
  ) throws(YAMLError) -> String {
    if patients.count == 1, let only = patients.first, reader.optional("patient") == nil {
      return only.id
    }
    return try patient(reader.required("patient"), of: patients)
  }

  private func linkage(_ node: YAMLNode?) throws(YAMLError) -> Linkage? {
    guard let node else { return nil }
    var reader = try node.mapping()
    let quantity = try reader.required("quantity").quantity()
    let linkage = Linkage(
      quantity: quantity, type: try aggregation(reader.optional("type"), of: quantity),
      unit: try unit(reader.optional("unit"), of: quantity),
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
        "‘\(name)’ is not one of discrete, cumulative"
          + Spelling.suggestion(for: name, among: ["discrete", "cumulative"]))
    }
    return type
  }

  private func unit(_ node: YAMLNode?, of quantity: Quantity) throws(YAMLError) -> UnitOfMeasure {
    guard let node else { return quantity.unit }
    let unit = try node.unit()
    guard unit.dimension == quantity.unit.dimension else {
      throw node.error(
        "\(quantity.rawValue) is measured in \(quantity.unit.code) and cannot be given in"
          + " \(unit.code)"
      )
    }
    return unit
  }

  /// Refuses combinations that no event of the task could fulfil.
  private func refuseContradictions(
    in task: PlannedTask, at reader: MappingReader
  ) throws(YAMLError) {
    if task.kind == .readOnly, task.linkage != nil || task.activeTask != nil {
      let key = task.linkage == nil ? "activeTask" : "linkage"
      throw reader.location(of: key).error("a read-only task is never completed, so leave this out")
    }
    guard let linkage = task.linkage else { return }
    for unit in task.schedule.elements.flatMap(\.targets).compactMap(\.unit)
    where unit.dimension != linkage.unit.dimension {
      throw reader.location(of: "schedule").error(
        "a target in \(unit.code) cannot be compared with values in \(linkage.unit.code)")
    }
  }
}

// MARK: - Devices

extension PlanReader {
  /// The devices of a plan, each address and user slot once.
  func devices(_ node: YAMLNode?, of patients: [Patient]) throws(YAMLError) -> [DeviceBinding] {
    var devices: [DeviceBinding] = []
    for element in try node?.sequence() ?? [] {
      let device = try device(element, of: patients)
      let isTaken = devices.contains {
        $0.address == device.address && $0.userIndex == device.userIndex
      }
      guard !isTaken else {
        let slot = device.userIndex.map { ", user \($0)," } ?? ""
        throw element.error("the device \(device.address)\(slot) is given twice")
      }
      devices.append(device)
    }
    return devices
  }

  private func device(_ node: YAMLNode, of patients: [Patient]) throws(YAMLError) -> DeviceBinding {
    var reader = try node.mapping()
    var owner: String?
    if let node = reader.optional("patient") { owner = try patient(node, of: patients) }
    let code = reader.optional("consentCode")
    let device = DeviceBinding(
      address: try reader.required("address").deviceID(),
      definition: try reader.optional("definition")?.identifier(), patient: owner,
      userIndex: try reader.optional("userIndex")?.integer(in: 0...255),
      placement: try placement(reader.optional("placement")),
      key: try reader.optional("key")?.deviceKey(), consentCode: try code?.consentCode())
    try reader.finish()
    if let code, device.userIndex == nil {
      throw code.error("a consent code opens one user's slot: give its ‘userIndex’ too")
    }
    return device
  }

  private func placement(_ node: YAMLNode?) throws(YAMLError) -> Placement? {
    guard let node else { return nil }
    var reader = try node.mapping()
    let placement = Placement(
      joint: try reader.optional("joint")?.choice(), side: try reader.optional("side")?.choice(),
      segment: try reader.optional("segment")?.choice())
    try reader.finish()
    return placement
  }
}

extension YAMLNode {
  /// A Bluetooth address, or a recorded sensor's name.
  func deviceID() throws(YAMLError) -> DeviceID { DeviceID(try identifier()) }

  // The errors do not contain the secrets: they end up in a log.

  /// Sixteen bytes in hex.
  fileprivate func deviceKey() throws(YAMLError) -> Secret<[UInt8]> {
    guard let key = [UInt8](hex: try string()), key.count == 16 else {
      throw error(
        "the key must be 32 hex digits, as the vendor's account gives it; in quotes where it looks"
          + " like a number")
    }
    return Secret(key)
  }

  /// Four digits at most.
  fileprivate func consentCode() throws(YAMLError) -> Secret<UInt16> {
    guard let code = UInt16(try string()), code <= 9999 else {
      throw error("the consent code must be a number from 0 to 9999")
    }
    return Secret(code)
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
        try task.set(key, to: reader.required(key.rawValue))
      } else if form.optional.contains(key), let node = reader.optional(key.rawValue) {
        try task.set(key, to: node)
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
        "‘\(name)’ is not one of \(known.joined(separator: ", "))"
          + Spelling.suggestion(for: name, among: known))
    }
    return form
  }
}

extension ActiveTask {
  fileprivate mutating func set(
    _ key: ActiveTaskForm.Key, to node: YAMLNode
  ) throws(YAMLError) {
    switch key {
    case .joint: joint = try node.choice()
    case .side: side = try node.choice()
    case .distance: distance = try node.metres(in: Self.distances)
    case .stepLength: stepLength = try node.metres(in: Self.stepLengths)
    case .axis: axis = try node.choice()
    }
  }
}

extension YAMLNode {
  /// A length such as `10 m` or `60 cm`, in metres.
  fileprivate func metres(in range: ClosedRange<Double>) throws(YAMLError) -> Double {
    let metres = try measure(of: .distanceWalked)
    guard range.contains(metres) else {
      throw error("\(metres) m is not between \(range.lowerBound) m and \(range.upperBound) m")
    }
    return metres
  }
}
