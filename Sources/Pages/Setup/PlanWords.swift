import Assessments
package import Care
import Foundation
import Localization
import Motion

/// The words in which a plan describes a person or a task.
package struct PlanWords {
  private let words: Language
  private let viewer: Viewer

  /// Makes words for a viewer.
  package init(_ viewer: Viewer) {
    words = viewer.language
    self.viewer = viewer
  }

  /// The longest text that is shown of a value, in characters.
  private static let longest = 160

  fileprivate func change(
    _ key: String, from old: String?, to new: String?
  ) -> PlanChanges.Change {
    guard old != new else { return PlanChanges.Change(key: key) }
    return PlanChanges.Change(key: key, values: (shown(old), shown(new)))
  }

  private func shown(_ text: String?) -> String {
    guard let text, !text.isEmpty else { return words.text("plan.none") }
    let line = text.split(whereSeparator: \.isNewline).joined(separator: " ")
    return line.count > Self.longest ? line.prefix(Self.longest - 1) + "…" : line
  }

  // MARK: People

  fileprivate func value(_ key: String, of person: Patient) -> String? {
    switch key {
    case "name": words.fullName(of: person)
    case "units": words.text("setup.units." + (person.units ?? .metric).rawValue)
    case "timeZone": person.timeZone?.identifier
    case "language": person.language
    case "birthday": person.birthday?.description
    case "allergies": words.list(person.allergies)
    case "expects":
      words.list(
        person.expects.sorted { $0.key < $1.key }.compactMap { name, expected in
          Quantity(rawValue: name).map { quantity in
            words.title(of: quantity) + " "
              + words.figure(quantity.text(expected.value, for: person.units))
          }
        })
    case "others":
      words.list(person.others.map { Quantity.bodyMass.text($0.value, for: person.units) })
    default: nil
    }
  }

  // MARK: Tasks

  fileprivate func value(_ key: String, of task: PlannedTask) -> String? {
    switch key {
    case "title": task.title
    case "text": task.text
    case "instructions": task.instructions
    case "group": task.group
    case "carePlan": task.carePlan
    case "tags": words.list(task.tags)
    case "image": task.image
    case "video": task.ownVideo.map(words.fileText) ?? task.video
    case "details": task.details
    case "remoteID": task.remoteID
    case "style": task.style.map { words.text("taskForm.style." + $0.rawValue) }
    case "glyph":
      switch task.glyph {
      case .standard(let glyph): words.text("glyph." + glyph.rawValue)
      case .custom(let name): name
      case nil: nil
      }
    case "optional": yes(task.isOptional)
    case "resettable": yes(task.isResettable)
    case "effectiveDate": task.effectiveDate.map { words.dayMonthOrYear($0, viewer) }
    case "schedule":
      task.schedule.elements.map { element in
        let targets = element.targets.map { goal($0, of: task) }
        return ([words.line(of: element, viewer)] + targets).joined(separator: ", ")
      }.joined(separator: "; ")
    case "linkages": words.list(task.linkages.map { words.title(of: $0.quantity) })
    case "activeTask": task.activeTask.map(assessment)
    case "survey": words.list(task.survey.map { $0.title ?? $0.kind })
    case "thresholds": words.list(task.thresholds.map { threshold($0, of: task) })
    case "reminder": task.reminder.map { words.moment($0.offset, in: task.schedule) }
    case "fallback": task.fallback.map { words.moment($0.after, in: task.schedule) }
    case "rules": task.rules.map { words.rule($0, of: task) }.joined(separator: "; ")
    default: nil
    }
  }

  private func yes(_ flag: Bool) -> String { words.text(flag ? "answer.yes" : "answer.no") }

  private func goal(_ target: TargetValue, of task: PlannedTask) -> String {
    let number = target.value.number.map { number in
      words.figure(target.unit?.text(number.plainText) ?? number.plainText)
    }
    return words.text(
      target.isAtMost ? "plan.goalAtMost" : "plan.goal", ["goal": number ?? ""])
  }

  private func assessment(_ task: ActiveTask) -> String {
    ([words.title(of: task.type)] + words.arguments(of: task)).joined(separator: ", ")
  }

  private func threshold(_ threshold: Threshold, of task: PlannedTask) -> String {
    words.text(
      "rule.threshold",
      [
        "what": words.name(ofKind: threshold.kind, in: task),
        "condition": words.condition(threshold.condition) { words.figure($0.plainText) },
        "says": threshold.says,
      ])
  }
}

// MARK: - Changes

/// The people, tasks and zone of a store, as an import finds them.
package struct PlanParts: Sendable {
  fileprivate let tasks: [TaskReference: PlannedTask]
  fileprivate let people: [String: Patient]
  fileprivate let zone: TimeZone?

  /// Reads the plan.
  ///
  /// - Throws: ``StoreError``.
  package init(_ reader: any StoreReader) throws {
    var tasks: [TaskReference: PlannedTask] = [:]
    for history in try reader.histories(patient: nil) {
      guard let task = history.versions.last else { continue }
      tasks[TaskReference(patient: task.patient, task: task.id)] = task.planned
    }
    self.tasks = tasks
    people = Dictionary(
      try reader.patients().map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    zone = try reader.planTimeZone()
  }
}

/// The changes that an import of a plan makes, key by key, in words.
package struct PlanChanges {
  private let parts: PlanParts
  private let plan: PlanDocument
  private let words: PlanWords

  /// One key that changes.
  package struct Change: Sendable {
    /// The key.
    package let key: String
    /// Its values before and after; `nil` if they have no words.
    package var values: (old: String, new: String)?
  }

  /// Compares what the store had before an import with the plan.
  package init(_ parts: PlanParts, _ plan: PlanDocument, _ words: PlanWords) {
    self.parts = parts
    self.plan = plan
    self.words = words
  }

  /// The changes of one thing; none for what is new or goes.
  package func of(_ line: PlanImportReport.Line) -> [Change] {
    guard line.change == .updated else { return [] }
    switch line.kind {
    case .zone:
      return [words.change("timeZone", from: parts.zone?.identifier, to: plan.timeZone.identifier)]
    case .task:
      // Only the file's values change: values that a person changed stay.
      let patient = line.patient ?? ""
      let old = parts.tasks[TaskReference(patient: patient, task: line.id)]
      let new = plan.tasks.first { $0.id == line.id && $0.patient == patient }
      return line.changedKeys.map { key in
        words.change(
          key, from: old.flatMap { words.value(key, of: $0) },
          to: new.flatMap { words.value(key, of: $0) })
      }
    case .patient:
      let old = parts.people[line.id]
      let new = plan.patients.first { $0.id == line.id }
      return line.changedKeys.map { key in
        words.change(
          key, from: old.flatMap { words.value(key, of: $0) },
          to: new.flatMap { words.value(key, of: $0) })
      }
    default: return line.changedKeys.map { Change(key: $0) }
    }
  }
}

extension Language {
  /// A key of a plan in words.
  func planKey(_ key: String) -> String { optionalText("plan.key." + key) ?? key }
}

// MARK: - Reminders and rules

extension Language {
  /// When a reminder or fallback is due: `15 min before the start`, `at 08:00` of an all-day event.
  func moment(_ offset: TimeInterval, in schedule: Schedule) -> String {
    let isAllDay = schedule.elements.allSatisfy { $0.duration == .allDay }
    if isAllDay, (0..<86_400).contains(offset) {
      let midnight = Date(timeIntervalSince1970: 0)
      return text("moment.at", ["time": time(midnight + offset, in: .gmt)])
    }
    guard offset != 0 else { return text("moment.start") }
    return text(
      offset < 0 ? "moment.before" : "moment.after", ["length": length(abs(offset))])
  }
}

// MARK: - Assessments

extension Language {
  /// Describes the arguments of an assessment: `knee`, `Sets: 3`.
  func arguments(of task: ActiveTask) -> [String] {
    ActiveTaskForm.Key.allCases.compactMap { key in
      let value: String
      switch (task[key], key.values) {
      case (nil, _): return nil
      case (.word(let word), _):
        if let part = optionalText("body." + word) { return part }
        value = word
      case (.number(let number), .number(_, let unit)): value = figure(unit.text(number.plainText))
      case (.number(let number), _): value = figure(number.plainText)
      case (.count(let count), .count(_, let unit)): value = unit.text(String(count))
      case (.count(let count), _): value = String(count)
      }
      return text("taskForm.keyIs", ["key": text("taskForm.key." + key.rawValue), "value": value])
    }
  }
}
