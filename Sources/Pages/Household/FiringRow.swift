import Care
import Foundation
import Localization

/// Words for what rules and alerts of the plan did.
struct FiringText {
  let viewer: Viewer
  let people: [Patient]
  let contacts: [Contact]
  let tasks: [TaskReference: CareTask]

  /// Reads the tasks that firings name.
  init(_ reader: any StoreReader, people: [Patient], contacts: [Contact], viewer: Viewer) throws {
    self.viewer = viewer
    self.people = people
    self.contacts = contacts
    var tasks: [TaskReference: CareTask] = [:]
    for history in try reader.histories(patient: viewer.patient) {
      guard let task = history.current(at: viewer.now) else { continue }
      tasks[TaskReference(patient: task.patient, task: task.id)] = task
    }
    self.tasks = tasks
  }

  /// The row of a firing among the messages; `isStanding` says whether the value of an alert is
  /// still its event's.
  func row(_ stored: StoredFiring, back: String?, isStanding: Bool) -> MessageRow {
    let firing = stored.firing
    let words = viewer.language
    let task = tasks[TaskReference(patient: firing.event.patient, task: firing.event.task)]
    let title = task?.title ?? firing.event.task
    // An alert is of the time of its value, whenever it was found.
    let date = firing.kind == .alert ? firing.due : firing.date
    let isToday = date.day(in: viewer.timeZone) == viewer.now.day(in: viewer.timeZone)
    var source = words.text(
      firing.kind == .alert ? "firing.alertOf" : "firing.ruleOf",
      ["title": title, "time": words.when(date, isToday: isToday, viewer)])
    if let id = firing.rule?.contact {
      let name = contacts.first { $0.id == id }.map(words.fullName(of:)) ?? id
      source = words.text("firing.to", ["name": name, "source": source])
    }
    var undo: MessageRow.Undo?
    if let back, firing.kind == .rule, !firing.isUndone {
      undo = MessageRow.Undo(
        address: LocalAddress("firings", stored.id.uuidString, "undo").description, back: back,
        name: words.text("firing.undo", ["title": title]))
    }
    return MessageRow(
      text: text(of: firing, task: task, isStanding: isStanding), source: source, isOwn: false,
      date: firing.date,
      undo: undo)
  }

  /// Describes a firing and its cause: the author's words first, then the numbers.
  private func text(of firing: Firing, task: CareTask?, isStanding: Bool) -> String {
    let words = viewer.language
    let values = words.list(firing.results.map { number($0.value, $0.unit, firing, task) })
    let name = name(of: firing, task: task)
    var sentences: [String] = []
    if viewer.patient == nil, people.count > 1 {
      let patient = firing.event.patient
      let person = people.first { $0.id == patient }.map(words.fullName(of:)) ?? patient
      sentences.append(words.text("firing.of", ["name": person]))
    }
    if let message = firing.rule?.message { sentences.append(message) }
    if let says = firing.threshold?.says {
      sentences.append(
        words.text("firing.alert", ["name": name, "values": values, "says": says]))
    } else {
      sentences.append(words.text("firing.results", ["name": name, "values": values]))
    }
    if let target = firing.target {
      let date = words.day(target.effectiveDate, relativeTo: viewer.now, in: viewer.timeZone)
      sentences.append(
        words.text(
          "firing.target", ["value": number(target.to, target.unit, firing, task), "date": date]))
    }
    if let undone = firing.undoneDate {
      let date = words.day(undone, relativeTo: viewer.now, in: viewer.timeZone)
      sentences.append(words.text("firing.undone", ["date": date]))
    }
    if !isStanding { sentences.append(words.text("firing.gone")) }
    return sentences.dropFirst().reduce(sentences.first ?? "") { first, second in
      words.text("firing.sentences", ["first": first, "second": second])
    }
  }

  /// The name of the measured quantity or the question.
  private func name(of firing: Firing, task: CareTask?) -> String {
    let words = viewer.language
    let kind = firing.rule?.kind ?? firing.threshold?.kind
    if let kind {
      if let question = task?.survey.first(where: { $0.kind == kind }) {
        return question.title ?? kind
      }
      if let task,
        let linkage = task.linkages.first(where: { task.planned.valueKind(of: $0) == kind })
      {
        return words.title(of: linkage.quantity)
      }
      if let quantity = Quantity(rawValue: kind) { return words.title(of: quantity) }
      return words.optionalText("figure." + kind) ?? kind
    }
    return task?.linkage.map { words.title(of: $0.quantity) } ?? task?.title ?? firing.event.task
  }

  private func number(
    _ value: Double, _ unit: UnitOfMeasure?, _ firing: Firing, _ task: CareTask?
  ) -> String {
    let units = people.first { $0.id == firing.event.patient }?.units
    if let linkage = task?.linkages.first, let unit, linkage.unit.dimension == unit.dimension {
      return viewer.language.figure(linkage.quantity.text(value, in: unit, for: units))
    }
    return viewer.language.figure(unit?.text(value.plainText) ?? value.plainText)
  }
}
