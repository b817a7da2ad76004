package import Care
import Digests
import Foundation
import Motion

extension PlanFile {
  /// Writes a plan as YAML, which ``parse(_:file:)`` reads back as the same plan.
  ///
  /// A name stands for each topic of ntfy; the store that has the topic takes it for that.
  /// A target that holds bytes or a date, which plan files cannot express, is written as a text.
  package static func encode(_ plan: PlanDocument) -> String {
    var lines = ["timeZone: \(YAMLText.scalar(plan.timeZone.identifier))"]
    let encoding = PlanEncoding(timeZone: plan.timeZone)
    func list(_ key: String, _ entries: [String]) {
      if !entries.isEmpty { lines += ["\(key):"] + entries.map { "  - " + $0 } }
    }
    list("patients", plan.patients.map(encoding.patient))
    let others = plan.patients.map(\.others).max { $0.count < $1.count } ?? []
    list("others", others.map(encoding.other))
    list("contacts", plan.contacts.map(encoding.contact))
    list("carePlans", plan.carePlans.map(encoding.carePlan))
    if !plan.tasks.isEmpty {
      lines.append("tasks:")
      let zones = Dictionary(
        plan.patients.compactMap { person in person.timeZone.map { (person.id, $0) } },
        uniquingKeysWith: { first, _ in first })
      for task in plan.tasks {
        // A person's times are in the person's zone.
        let zone = zones[task.patient] ?? plan.timeZone
        let keys = PlanEncoding(timeZone: zone).task(task)
        lines += zip(keys.indices, keys).map { ($0 == 0 ? "  - " : "    ") + $1 }
      }
    }
    list("notes", plan.notes.map(encoding.note))
    list("devices", plan.devices.map(encoding.device))
    return lines.joined(separator: "\n") + "\n"
  }
}

/// Writes the parts of a plan.
struct PlanEncoding {
  /// The zone in which times are written.
  let timeZone: TimeZone

  func patient(_ patient: Patient) -> String {
    let expects = patient.expects.keys.sorted().compactMap { key in
      patient.expects[key].map { "\(key): \(expectation($0, of: key))" }
    }
    return YAMLText.flow([
      "id": YAMLText.scalar(patient.id),
      "name": patient.name == PersonName() ? nil : name(patient.name),
      "expects": expects.isEmpty ? nil : "{" + expects.joined(separator: ", ") + "}",
      "units": patient.units?.rawValue,
      "timeZone": patient.timeZone.map { YAMLText.scalar($0.identifier) },
      "timeZones": patient.stays.isEmpty ? nil : YAMLText.flow(patient.stays.map(stay)),
      "language": patient.language.map(YAMLText.scalar), "sex": patient.sex.map(sex),
      "birthday": patient.birthday.map { YAMLText.scalar($0.description) },
      "allergies": texts(patient.allergies), "channels": channels(patient.channels),
      "notify": patient.notify.isEmpty ? nil : YAMLText.flow(patient.notify.map(notify)),
      "quiet": patient.quiet.map(quiet),
      "away": patient.away.isEmpty ? nil : YAMLText.flow(patient.away.map(away)),
      "presence": patient.saysPresence ? "true" : nil,
    ])
  }

  private func quiet(_ hours: QuietHours) -> String {
    YAMLText.flow([
      "from": YAMLText.scalar(QuietHours.text(ofMinute: hours.from)),
      "to": YAMLText.scalar(QuietHours.text(ofMinute: hours.to)),
    ])
  }

  private func away(_ absence: Absence) -> String {
    YAMLText.flow(["from": absence.from.description, "to": absence.to.description])
  }

  private func notify(_ rule: NotifyRule) -> String {
    YAMLText.flow([
      "for": rule.kind.rawValue, "to": texts(rule.to),
      "after": rule.after > 0 ? duration(.seconds(rule.after)) : nil,
      "urgent": rule.isUrgent ? "true" : nil, "shows": rule.showsValue ? "value" : nil,
    ])
  }

  private func stay(_ stay: Stay) -> String {
    YAMLText.flow([
      "from": stay.from.description, "zone": YAMLText.scalar(stay.timeZone.identifier),
    ])
  }

  private func name(_ name: PersonName) -> String {
    YAMLText.flow([
      "given": name.given.map(YAMLText.scalar), "family": name.family.map(YAMLText.scalar),
    ])
  }

  private func sex(_ sex: Sex) -> String {
    switch sex {
    case .male: "male"
    case .female: "female"
    case .other(let text): YAMLText.flow(["other": YAMLText.scalar(text)])
    }
  }

  private func texts(_ texts: [String]) -> String? {
    texts.isEmpty ? nil : YAMLText.flow(texts.map(YAMLText.scalar))
  }

  func other(_ other: Expectation) -> String {
    func weight(_ value: Double) -> String {
      YAMLText.scalar("\(value) \(Quantity.bodyMass.unit.code)")
    }
    return YAMLText.flow([
      "weight": weight(other.value), "tolerance": other.tolerance.map(weight),
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

  func contact(_ contact: Contact) -> String {
    let address = contact.address.map {
      YAMLText.flow([
        "street": $0.street.map(YAMLText.scalar), "city": $0.city.map(YAMLText.scalar),
        "state": $0.state.map(YAMLText.scalar), "postalCode": $0.postalCode.map(YAMLText.scalar),
        "country": $0.country.map(YAMLText.scalar),
      ])
    }
    return YAMLText.flow([
      "id": YAMLText.scalar(contact.id), "patient": contact.patient.map(YAMLText.scalar),
      "name": name(contact.name), "title": contact.title.map(YAMLText.scalar),
      "role": contact.role.map(YAMLText.scalar),
      "organization": contact.organization.map(YAMLText.scalar),
      "category": contact.category == .careTeam ? nil : contact.category.rawValue,
      "phoneNumbers": labeledValues(contact.phoneNumbers),
      "emailAddresses": labeledValues(contact.emailAddresses),
      "messagingNumbers": labeledValues(contact.messagingNumbers), "address": address,
      "language": contact.language.map(YAMLText.scalar),
      "timeZone": contact.timeZone.map { YAMLText.scalar($0.identifier) },
      "quiet": contact.quiet.map(quiet),
      "channels": channels(contact.channels),
    ])
  }

  /// Channels without their secrets and topics, which stay on this machine like the keys of devices.
  private func channels(_ channels: [Channel]) -> String? {
    guard !channels.isEmpty else { return nil }
    return YAMLText.flow(
      channels.map { channel in
        switch channel.standIn(SHA256.digest) {
        case .ntfy(let server, let topic):
          YAMLText.flow([
            "ntfy": YAMLText.flow([
              "server": YAMLText.scalar(server.text), "topic": YAMLText.scalar(topic.text),
            ])
          ])
        case .email(let address): YAMLText.flow(["email": YAMLText.scalar(address.mailbox)])
        case .webhook(let address):
          YAMLText.flow(["webhook": YAMLText.flow(["url": YAMLText.scalar(address.text)])])
        case .homeAssistant(let server, let service):
          YAMLText.flow([
            "homeAssistant": YAMLText.flow([
              "server": YAMLText.scalar(server.text), "service": YAMLText.scalar(service.text),
            ])
          ])
        }
      })
  }

  private func labeledValues(_ values: [LabeledValue]) -> String? {
    guard !values.isEmpty else { return nil }
    return YAMLText.flow(
      values.map { entry in
        let value = YAMLText.scalar(entry.value)
        return entry.label.map { YAMLText.flow(["label": YAMLText.scalar($0), "value": value]) }
          ?? value
      })
  }

  func carePlan(_ carePlan: CarePlan) -> String {
    YAMLText.flow([
      "id": YAMLText.scalar(carePlan.id), "patient": YAMLText.scalar(carePlan.patient),
      "title": YAMLText.scalar(carePlan.title),
      "effectiveDate": carePlan.effectiveDate.map { time($0, in: timeZone) },
      "consent": carePlan.consent.map(consent),
    ])
  }

  /// The document itself: the plan says the same wherever its file is read.
  private func consent(_ document: ConsentDocument) -> String {
    YAMLText.flow([
      "title": document.title.map(YAMLText.scalar), "version": YAMLText.scalar(document.version),
      "sections": YAMLText.flow(
        document.sections.map { section in
          YAMLText.flow([
            "title": section.title.map(YAMLText.scalar), "text": YAMLText.scalar(section.text),
          ])
        }),
    ])
  }

  func note(_ note: Note) -> String {
    YAMLText.flow([
      "id": YAMLText.scalar(note.id), "patient": YAMLText.scalar(note.patient),
      "task": note.task.map(YAMLText.scalar), "title": note.title.map(YAMLText.scalar),
      "content": YAMLText.scalar(note.content), "author": note.author.map(YAMLText.scalar),
      "date": note.date.map { time($0, in: timeZone) },
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
      (device.address.isAddress ? "address" : "sensor"): YAMLText.scalar(device.address.text),
      "definition": device.definition.map(YAMLText.scalar),
      "patient": device.patient.map(YAMLText.scalar), "userIndex": device.userIndex.map { "\($0)" },
      "placement": placement,
    ])
  }
}

// MARK: - Tasks

extension PlanEncoding {
  /// The lines of a task.
  func task(_ task: PlannedTask) -> [String] {
    var lines = ["id: \(YAMLText.scalar(task.id))", "patient: \(YAMLText.scalar(task.patient))"]
    func add(_ key: String, _ value: String?) {
      if let value { lines.append("\(key): \(value)") }
    }
    add("kind", task.kind == .task ? nil : task.kind.rawValue)
    add("title", YAMLText.scalar(task.title))
    add("text", task.text.map(YAMLText.scalar))
    add("instructions", task.instructions.map(YAMLText.scalar))
    lines.append("schedule:")
    lines += task.schedule.elements.map { "  - " + element($0) }
    // Every element of a task has its pauses.
    let pauses = task.schedule.elements.first?.selection.pauses ?? []
    add("pauses", pauses.isEmpty ? nil : YAMLText.flow(pauses.map(pause)))
    if task.linkages.count == 1 {
      add("linkage", task.linkage.map(linkage))
    } else if !task.linkages.isEmpty {
      lines.append("linkages:")
      lines += task.linkages.map { "  - " + linkage($0) }
    }
    add("activeTask", task.activeTask.map(activeTask))
    if !task.survey.isEmpty {
      lines.append("survey:")
      lines += task.survey.map { "  - " + question($0) }
    }
    if !task.thresholds.isEmpty {
      lines.append("thresholds:")
      lines += task.thresholds.map { "  - " + threshold($0) }
    }
    add("reminder", task.reminder.map(reminder))
    add("fallback", task.fallback.map { "{after: \(duration(.seconds($0.after)))}" })
    if !task.rules.isEmpty {
      lines.append("rules:")
      lines += task.rules.map { "  - " + rule($0) }
    }
    if !task.notify.isEmpty {
      lines.append("notify:")
      lines += task.notify.map { "  - " + notify($0) }
    }
    add("progress", task.progressStrategy?.rawValue)
    add("optional", task.isOptional ? "true" : nil)
    add("resettable", task.isResettable ? "true" : nil)
    add("effectiveDate", task.effectiveDate.map { time($0, in: timeZone) })
    add("carePlan", task.carePlan.map(YAMLText.scalar))
    add("group", task.group.map(YAMLText.scalar))
    add("tags", texts(task.tags))
    add("style", task.style?.rawValue)
    add("glyph", task.glyph.map(glyph))
    add("image", task.image.map(YAMLText.scalar))
    add("video", task.video.map(YAMLText.scalar))
    add("details", task.details.map(YAMLText.scalar))
    let facts = task.userInfo.sorted { $0.key < $1.key }
    for (name, isLink) in [("userInfo", false), ("links", true)] {
      let own = facts.filter { PlannedTask.isAddress($0.value) == isLink }.map { key, value in
        "\(YAMLText.scalar(key)): \(YAMLText.scalar(value))"
      }
      add(name, own.isEmpty ? nil : "{" + own.joined(separator: ", ") + "}")
    }
    add("remoteID", task.remoteID.map(YAMLText.scalar))
    return lines
  }

  private func linkage(_ linkage: Linkage) -> String {
    YAMLText.flow([
      "quantity": linkage.quantity.rawValue, "type": linkage.type.rawValue,
      "unit": YAMLText.scalar(linkage.unit.code),
      "device": linkage.device.map { YAMLText.scalar($0.text) },
    ])
  }

  private func activeTask(_ activeTask: ActiveTask) -> String {
    YAMLText.flow(
      [("type", activeTask.type.rawValue)]
        + ActiveTaskForm.Key.allCases.map { key in
          (key.rawValue, activeTask[key].map { text(of: $0, key.values) })
        })
  }

  /// The value of an active task's key, with its unit.
  private func text(
    of argument: ActiveTask.Argument, _ values: ActiveTaskForm.Key.Values
  ) -> String {
    switch (argument, values) {
    case (.word(let word), _): word
    case (.number(let number), .number(_, let unit)): YAMLText.scalar("\(number) \(unit.code)")
    case (.number(let number), _): YAMLText.scalar("\(number)")
    case (.count(let count), .count(_, .second)): "\(count)s"
    case (.count(let count), _): "\(count)"
    }
  }

  private func question(_ question: SurveyQuestion) -> String {
    YAMLText.flow([
      "kind": YAMLText.scalar(question.kind), "type": question.type.rawValue,
      "title": question.title.map(YAMLText.scalar), "minimum": question.minimum.map(number),
      "maximum": question.maximum.map(number), "step": question.step.map(number),
      "unit": question.unit.map { YAMLText.scalar($0.code) }, "choices": texts(question.choices),
      "anchors": texts(question.anchors),
      "optional": question.isOptional ? "true" : nil,
    ])
  }

  private func threshold(_ threshold: Threshold) -> String {
    let kind = threshold.kind.map { "kind: \(YAMLText.scalar($0)), " } ?? ""
    let alert = threshold.alerts ? ", alert: true" : ""
    return
      "{\(kind)\(condition(threshold.condition)), says: \(YAMLText.scalar(threshold.says))\(alert)}"
  }

  private func condition(_ condition: Threshold.Condition) -> String {
    let (key, limit) =
      switch condition {
      case .above(let limit): ("above", number(limit))
      case .atLeast(let limit): ("atLeast", number(limit))
      case .below(let limit): ("below", number(limit))
      case .atMost(let limit): ("atMost", number(limit))
      case .equal(let limit): ("equal", number(limit))
      case .between(let lower, let upper, isInclusive: true):
        ("between", "[\(number(lower)), \(number(upper))], inclusive: true")
      case .between(let lower, let upper, isInclusive: false):
        ("between", "[\(number(lower)), \(number(upper))]")
      }
    return "\(key): \(limit)"
  }

  private func reminder(_ reminder: Reminder) -> String {
    let repeats =
      reminder.times > 1
      ? ", every: \(duration(.seconds(reminder.every))), times: \(reminder.times)" : ""
    return "{\(reminder.offset > 0 ? "after" : "before"):"
      + " \(duration(.seconds(abs(reminder.offset))))\(repeats)}"
  }

  private func rule(_ rule: Rule) -> String {
    var pairs: [String] = []
    switch rule.trigger {
    case .results(let count, let among, let limit):
      pairs.append("after: \(count)")
      if among != count { pairs.append("ofLast: \(among)") }
      pairs.append(condition(limit))
    case .change(let amount, let span):
      pairs.append("\(amount > 0 ? "rises" : "falls"): \(number(abs(amount)))")
      pairs.append("within: \(YAMLText.scalar(span.text))")
    case .median(let days, let amount):
      let key = amount > 0 ? "rises" : "falls"
      pairs.append("median: {days: \(days), \(key): \(number(abs(amount)))}")
    case .missed(let count): pairs.append("missed: \(count)")
    case .silent(let span, let source):
      pairs.append("silent: \(YAMLText.scalar(span.text))")
      switch source {
      case .quantity(let quantity): pairs.append("quantity: \(quantity.rawValue)")
      case .device(let device): pairs.append("device: \(YAMLText.scalar(device.text))")
      }
    }
    if let kind = rule.kind { pairs.append("of: \(YAMLText.scalar(kind))") }
    if let unit = rule.unit { pairs.append("unit: \(YAMLText.scalar(unit.code))") }
    var then: [String] = []
    switch rule.target?.amount {
    case .to(let value): then.append("target: \(number(value))")
    case .by(let value):
      then.append("by: \(number(value))")
      if let limit = rule.target?.limit {
        then.append("\(value > 0 ? "atMost" : "atLeast"): \(number(limit))")
      }
    case nil: break
    }
    if let contact = rule.contact { then.append("contact: \(YAMLText.scalar(contact))") }
    if !then.isEmpty { pairs.append("then: {\(then.joined(separator: ", "))}") }
    if let message = rule.message { pairs.append("message: \(YAMLText.scalar(message))") }
    return "{\(pairs.joined(separator: ", "))}"
  }

  /// A whole number without a point.
  private func number(_ number: Double) -> String {
    Int64(exactly: number).map { "\($0)" } ?? "\(number)"
  }

  private func glyph(_ glyph: Glyph) -> String {
    switch glyph {
    case .standard(let name): name.rawValue
    case .custom(let name): YAMLText.flow(["custom": YAMLText.scalar(name)])
    }
  }
}

// MARK: - Schedules

extension PlanEncoding {
  func element(_ element: ScheduleElement) -> String {
    let zone = element.timeZone
    let targets = element.targets.map(target)
    return YAMLText.flow([
      "start": time(element.start, in: zone), "end": element.end.map { time($0, in: zone) },
      "interval": element.selection.lastDay == nil
        ? interval(
          element.selection.weekday.map { Interval(months: $0.months) } ?? element.interval) : nil,
      "rrule": element.selection.lastDay.map {
        YAMLText.scalar("FREQ=MONTHLY;INTERVAL=\($0);BYMONTHDAY=-1")
      },
      "weekday": element.selection.weekday.map { choice in
        let day = CalendarDate(element.start, in: zone).weekday
        return "{nth: \(choice.nth), day: \(Weekday.names[day])}"
      },
      "cycle": element.selection.cycle.map { "{on: \($0.on), off: \($0.off)}" },
      "except": element.selection.except.isEmpty
        ? nil : YAMLText.flow(element.selection.except.map(\.description)),
      "countedFrom": element.selection.anchor?.description,
      "duration": duration(element.duration),
      "targets": targets.isEmpty ? nil : YAMLText.flow(targets),
      "text": element.text.map(YAMLText.scalar),
      "timeZone": zone == timeZone ? nil : YAMLText.scalar(zone.identifier),
    ])
  }

  private func pause(_ pause: StepSelection.Pause) -> String {
    YAMLText.flow([
      "from": pause.from.description, "to": pause.to?.description,
      "reason": pause.reason.map(YAMLText.scalar),
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
      "kind": target.kind.map(YAMLText.scalar), "atMost": target.isAtMost ? "true" : nil,
    ])
  }

  private func value(_ value: Value) -> String {
    switch value {
    case .integer(let number): "\(number)"
    case .double(let number): "\(number)"
    case .boolean(let flag): "\(flag)"
    case .text(let text): YAMLText.scalar(text)
    case .binary(let bytes): YAMLText.scalar(bytes.hexString)
    case .attachment(let attachment): YAMLText.scalar(attachment.sha256)
    case .date(let date): YAMLText.scalar(date.rfc3339(in: timeZone))
    }
  }
}
