import Care
import StrictYAML

extension PlanContext {
  /// The tasks of a plan, each id once a patient.
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

  /// Whose task it is; where there is one patient only, that is plain.
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
        "\(quantity.rawValue) is measured in \(quantity.unit.code) and cannot be told in \(unit.code)"
      )
    }
    return unit
  }

  /// Refuses what no event of the task could ever do.
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
