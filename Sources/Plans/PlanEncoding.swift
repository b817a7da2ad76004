package import Care
import Foundation
import Motion

extension PlanFile {
  /// Writes a plan as YAML, which ``parse(_:file:)`` reads back as the same plan.
  ///
  /// A target that holds bytes or a date, which plan files cannot express, is written as a text.
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
  /// The zone in which times are written.
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

  /// A device without its secrets: a plan is passed on, but the secrets stay on this machine.
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

// MARK: - Schedules

extension PlanEncoding {
  func element(_ element: ScheduleElement) -> String {
    let zone = element.timeZone
    let targets = element.targets.map(target)
    return YAMLText.flow([
      "start": time(element.start, in: zone), "end": element.end.map { time($0, in: zone) },
      "interval": interval(element.interval), "duration": duration(element.duration),
      "targets": targets.isEmpty ? nil : YAMLText.flow(targets),
      "text": element.text.map(YAMLText.scalar),
      "timeZone": zone == timeZone ? nil : YAMLText.scalar(zone.identifier),
    ])
  }

  /// The shortest form of the instant: a local date or time if that suffices, else an offset.
  func time(_ date: Date, in zone: TimeZone) -> String {
    let full = date.rfc3339(in: zone)
    let forms = [10, 16, 19].map { String(full.prefix($0)) }
    return forms.first { Date($0, in: zone) == date } ?? full
  }

  private func interval(_ interval: Interval) -> String {
    let units = Interval.unitsByName.compactMap { name, unit in
      interval[keyPath: unit] == 0 ? nil : "\(name): \(interval[keyPath: unit])"
    }
    return "{" + units.joined(separator: ", ") + "}"
  }

  private func duration(_ duration: EventDuration) -> String {
    guard case .seconds(let seconds) = duration else { return "allDay" }
    guard let whole = Int(exactly: seconds), whole > 0 else { return "\(seconds)s" }
    let parts = [(whole / 3600, "h"), (whole / 60 % 60, "m"), (whole % 60, "s")]
    return parts.filter { $0.0 > 0 }.map { "\($0.0)\($0.1)" }.joined()
  }

  private func target(_ target: TargetValue) -> String {
    YAMLText.flow([
      "value": value(target.value), "unit": target.unit.map { YAMLText.scalar($0.code) },
      "kind": target.kind.map(YAMLText.scalar),
    ])
  }

  private func value(_ value: Value) -> String {
    switch value {
    case .integer(let number): "\(number)"
    case .double(let number): "\(number)"
    case .boolean(let flag): "\(flag)"
    case .text(let text): YAMLText.scalar(text)
    case .binary(let bytes): YAMLText.scalar(bytes.hexString)
    case .date(let date): YAMLText.scalar(date.rfc3339(in: timeZone))
    }
  }
}

// MARK: - YAML

/// Writes values as YAML that reads back the same.
enum YAMLText {
  /// A text: plain if it cannot be read as anything else, otherwise in double quotes.
  static func scalar(_ text: String) -> String {
    isPlain(text) ? text : quoted(text)
  }

  /// A mapping on one line; pairs without a value are left out.
  static func flow(_ pairs: KeyValuePairs<String, String?>) -> String {
    "{" + pairs.compactMap { key, value in value.map { "\(key): \($0)" } }.joined(separator: ", ")
      + "}"
  }

  /// A list on one line.
  static func flow(_ elements: [String]) -> String {
    "[" + elements.joined(separator: ", ") + "]"
  }

  /// Whether a text of letters, digits and a few signs begins with a letter and is no word of
  /// YAML's.
  private static func isPlain(_ text: String) -> Bool {
    guard let first = text.utf8.first, isLetter(first) else { return false }
    let words: Set = ["true", "false", "null", "yes", "no", "on", "off"]
    return !words.contains(text.lowercased())
      && text.utf8.allSatisfy { isLetter($0) || "0123456789-_./".utf8.contains($0) }
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
  }

  /// Escapes control characters and those that YAML does not print.
  private static func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\t": result += "\\t"
      // StrictYAML looks for anchors before quotes.
      case "&": result += "\\u0026"
      case " "..."~", "\u{A1}"..."\u{1FFF}", "\u{3041}"..."\u{D7FF}":
        result.unicodeScalars.append(scalar)
      default: result += escaped(scalar)
      }
    }
    return result + "\""
  }

  private static func escaped(_ scalar: Unicode.Scalar) -> String {
    let digits = String(scalar.value, radix: 16)
    let width = scalar.value > 0xFFFF ? 8 : 4
    return (width == 8 ? "\\U" : "\\u")
      + String(repeating: "0", count: max(0, width - digits.count)) + digits
  }
}
