package import Care
package import Foundation

/// A task as JSON.
package struct TaskOutput: Encodable, Sendable {
  package var id: String
  package var patient: String
  package var title: String
  package var text: String?
  package var instructions: String?
  package var kind: String
  package var optional: Bool?
  /// Which version it is, counted from 1, and how many there are.
  package var version: Int
  package var versions: Int
  package var effective: String
  /// When it ended, or will end.
  package var ended: String?
  package var deleted: Bool?
  package var group: String?
  package var tags: [String]?
  package var carePlan: String?
  package var linkages: [Linkage]?
  package var activeTask: ActiveTask?
  package var survey: [SurveyQuestion]?
  package var thresholds: [Threshold]?
  package var reminder: Reminder?
  package var fallback: Fallback?
  package var rules: [Rule]?
  package var schedule: [ScheduleElementOutput]
  /// When it is due next.
  package var next: String?

  /// Describes a version of a task; `timeZone` is the plan's zone.
  package init(
    _ version: CareTask, of history: TaskHistory, next: Event?, in timeZone: TimeZone,
    isDeleted: Bool = false
  ) {
    let task = version.planned
    let zone = task.schedule.elements.first?.timeZone ?? timeZone
    id = task.id
    patient = task.patient
    title = task.title
    text = task.text
    instructions = task.instructions
    kind = task.kind.rawValue
    optional = task.isOptional ? true : nil
    self.version = (history.versions.firstIndex { $0.uuid == version.uuid } ?? 0) + 1
    versions = history.versions.count
    effective = version.effectiveDate.rfc3339(in: zone)
    ended = history.end.map { $0.rfc3339(in: zone) }
    deleted = isDeleted ? true : nil
    group = task.group
    tags = task.tags.isEmpty ? nil : task.tags
    carePlan = task.carePlan
    linkages = task.linkages.isEmpty ? nil : task.linkages
    activeTask = task.activeTask
    survey = task.survey.isEmpty ? nil : task.survey
    thresholds = task.thresholds.isEmpty ? nil : task.thresholds
    reminder = task.reminder
    fallback = task.fallback
    rules = task.rules.isEmpty ? nil : task.rules
    schedule = task.schedule.elements.map(ScheduleElementOutput.init)
    self.next = next.map { $0.occurrence.start.rfc3339(in: $0.occurrence.element.timeZone) }
  }
}

extension TaskHistory {
  /// When the task ends for good; `nil` if it does not.
  fileprivate var end: Date? {
    // The version that is in force at the end of all time.
    guard let last = version(at: .distantFuture), last.isEnded else { return nil }
    return last.effectiveDate
  }
}

/// An element of a schedule as JSON.
package struct ScheduleElementOutput: Encodable, Sendable {
  package var start: String
  package var end: String?
  package var interval: Interval
  package var duration: EventDuration
  package var targets: [TargetOutput]?
  package var text: String?

  package init(_ element: ScheduleElement) {
    let zone = element.timeZone
    start = element.start.rfc3339(in: zone)
    end = element.end?.rfc3339(in: zone)
    interval = element.interval
    duration = element.duration
    targets = element.targets.isEmpty ? nil : element.targets.map(TargetOutput.init)
    text = element.text
  }
}
