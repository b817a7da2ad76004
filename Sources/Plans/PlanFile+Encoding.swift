package import Care
import Foundation
import Motion

extension PlanFile {
  /// Writes a plan as YAML, which ``parse(_:file:)`` reads back as the same plan.
  ///
  /// A target that holds bytes or a date, which plan files cannot say, is written as a text.
  package static func encode(_ plan: PlanDocument) -> String {
    var lines = ["timeZone: \(YAMLText.scalar(plan.timeZone.identifier))"]
    let encoding = PlanEncoding(timeZone: plan.timeZone)
    if !plan.patients.isEmpty {
      lines.append("patients:")
      lines += plan.patients.map { "  - " + encoding.patient($0) }
    }
    if !plan.tasks.isEmpty {
      lines.append("tasks:")
      for task in plan.tasks {
        let keys = encoding.task(task)
        lines += zip(keys.indices, keys).map { ($0 == 0 ? "  - " : "    ") + $1 }
      }
    }
    if !plan.devices.isEmpty {
      lines.append("devices:")
      lines += plan.devices.map { "  - " + encoding.device($0) }
    }
    return lines.joined(separator: "\n") + "\n"
  }
}

/// Writes the parts of a plan.
struct PlanEncoding {
  /// Times are written in it.
  let timeZone: TimeZone

  func patient(_ patient: Patient) -> String {
    let name = YAMLText.flow([
      "given": patient.name.given.map(YAMLText.scalar),
      "family": patient.name.family.map(YAMLText.scalar),
    ])
    let expects = patient.expects.keys.sorted().compactMap { key in
      patient.expects[key].map { "\(key): \(expectation($0, of: key))" }
    }
    return YAMLText.flow([
      "id": YAMLText.scalar(patient.id), "name": patient.name == PersonName() ? nil : name,
      "expects": expects.isEmpty ? nil : "{" + expects.joined(separator: ", ") + "}",
    ])
  }

  private func expectation(_ expectation: Expectation, of name: String) -> String {
    let unit = Quantity(rawValue: name)?.unit.code ?? "1"
    let value = YAMLText.scalar("\(expectation.value) \(unit)")
    guard let tolerance = expectation.tolerance else { return value }
    return YAMLText.flow([
      "value": value, "tolerance": YAMLText.scalar("\(tolerance) \(unit)"),
    ])
  }

  /// The lines of a task.
  func task(_ task: PlannedTask) -> [String] {
    var lines = ["id: \(YAMLText.scalar(task.id))", "patient: \(YAMLText.scalar(task.patient))"]
    if task.kind != .task { lines.append("kind: \(task.kind.rawValue)") }
    lines.append("title: \(YAMLText.scalar(task.title))")
    if let text = task.instructions { lines.append("instructions: \(YAMLText.scalar(text))") }
    lines.append("schedule:")
    lines += task.schedule.elements.map { "  - " + element($0) }
    if let linkage = task.linkage { lines.append("linkage: " + self.linkage(linkage)) }
    if let activeTask = task.activeTask {
      let keys = YAMLText.flow([
        "type": activeTask.type.rawValue, "joint": activeTask.joint?.rawValue,
        "side": activeTask.side?.rawValue,
        "distance": activeTask.distance.map { YAMLText.scalar("\($0) m") },
        "stepLength": activeTask.stepLength.map { YAMLText.scalar("\($0) m") },
        "axis": activeTask.axis?.rawValue,
      ])
      lines.append("activeTask: \(keys)")
    }
    if task.isOptional { lines.append("optional: true") }
    if task.isResettable { lines.append("resettable: true") }
    if let date = task.effectiveDate { lines.append("effectiveDate: \(time(date, in: timeZone))") }
    return lines
  }

  private func linkage(_ linkage: Linkage) -> String {
    YAMLText.flow([
      "quantity": linkage.quantity.rawValue, "type": linkage.type.rawValue,
      "unit": YAMLText.scalar(linkage.unit.code),
      "device": linkage.device.map { YAMLText.scalar($0.text) },
    ])
  }

  /// A device without its secrets: a plan is passed on to others, and the key is for this machine.
  func device(_ device: DeviceBinding) -> String {
    let placement = device.placement.map {
      YAMLText.flow([
        "joint": $0.joint?.rawValue, "side": $0.side?.rawValue, "segment": $0.segment?.rawValue,
      ])
    }
    return YAMLText.flow([
      "address": YAMLText.scalar(device.address.text),
      "definition": device.definition.map(YAMLText.scalar),
      "patient": device.patient.map(YAMLText.scalar), "userIndex": device.userIndex.map { "\($0)" },
      "placement": placement,
    ])
  }
}
