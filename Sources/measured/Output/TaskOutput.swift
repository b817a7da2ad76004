import Care
import Foundation
import Interchange

/// A task as JSON.
struct TaskOutput: Encodable, Sendable {
  var id: String
  var patient: String
  var title: String
  var text: String?
  var instructions: String?
  var kind: String
  var optional: Bool?
  /// Which version it is, counted from 1, and how many there are.
  var version: Int
  var versions: Int
  var effective: String
  /// When it ended, or will end.
  var ended: String?
  var deleted: Bool?
  var group: String?
  var tags: [String]?
  var carePlan: String?
  var linkages: [Linkage]?
  var activeTask: ActiveTask?
  var survey: [SurveyQuestion]?
  var thresholds: [Threshold]?
  var reminder: Reminder?
  var fallback: Fallback?
  var rules: [Rule]?
  var schedule: [ScheduleElementOutput]
  /// When it is due next.
  var next: String?

  /// The request and its times, in words.
  let asks: String
  let when: String

  private enum CodingKeys: String, CodingKey {
    case id, patient, title, text, instructions, kind, optional, version, versions, effective
    case ended, deleted, group, tags, carePlan, linkages, activeTask, survey, thresholds
    case reminder, fallback, rules, schedule, next
  }

  /// Describes a version of a task; `timeZone` is the plan's zone.
  init(
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
    asks = task.request
    when = task.schedule.words
  }

  /// `ended 2026-11-20`, `deleted`.
  var remark: String {
    if deleted == true { return "deleted" }
    return ended.map { "ended \($0.minutes)" } ?? ""
  }
}

extension String {
  /// A time of RFC 3339 to the minute, without its offset: `2026-11-20 08:00`.
  var minutes: String { prefix(16).map { $0 == "T" ? " " : String($0) }.joined() }
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
struct ScheduleElementOutput: Encodable, Sendable {
  var start: String
  var end: String?
  var interval: Interval
  var duration: EventDuration
  var targets: [TargetOutput]?
  var text: String?

  init(_ element: ScheduleElement) {
    let zone = element.timeZone
    start = element.start.rfc3339(in: zone)
    end = element.end?.rfc3339(in: zone)
    interval = element.interval
    duration = element.duration
    targets = element.targets.isEmpty ? nil : element.targets.map(TargetOutput.init)
    text = element.text
  }
}
