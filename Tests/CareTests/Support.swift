import Care
import Foundation
import Testing

/// The zone of that name, which every system with tzdata has.
func zone(_ name: String) throws -> TimeZone {
  try #require(TimeZone(iana: name))
}

/// The instant of a local date or time in New York, or in another zone.
func date(_ text: String, _ name: String = "America/New_York") throws -> Date {
  try #require(Date(text, in: zone(name)))
}

/// A schedule of one element in New York, or in another zone.
func schedule(
  _ start: String, until end: String? = nil, every interval: Interval,
  lasting duration: EventDuration = .seconds(3600), targets: [TargetValue] = [],
  in name: String = "America/New_York"
) throws -> Schedule {
  try Schedule([
    ScheduleElement(
      start: date(start, name), end: end.map { try date($0, name) }, interval: interval,
      duration: duration, targets: targets, timeZone: zone(name))
  ])
}

extension Schedule {
  /// The local starts of the occurrences of a span, in the schedule's own zone.
  func starts(from: Date, to: Date) throws -> [String] {
    try occurrences(from: from, to: to).map {
      String($0.start.rfc3339(in: $0.element.timeZone).prefix(16))
    }
  }

  /// The first `count` starts with their offsets.
  func firstStarts(_ count: Int) -> [String] {
    (0..<count).compactMap { occurrence(at: $0) }.map {
      $0.start.rfc3339(in: $0.element.timeZone)
    }
  }
}

/// A task with this schedule, effective from its start unless another date is given.
func task(
  _ schedule: Schedule, id: String = "task", uuid: UUID = UUID(), kind: TaskKind = .task,
  linkage: Linkage? = nil, activeTask: ActiveTask? = nil, isOptional: Bool = false,
  isResettable: Bool = false, effective: Date? = nil
) -> CareTask {
  CareTask(
    uuid: uuid,
    planned: PlannedTask(
      id: id, patient: "john", kind: kind, title: id, schedule: schedule, linkage: linkage,
      activeTask: activeTask, isOptional: isOptional, isResettable: isResettable),
    effectiveDate: effective ?? schedule.startDate, createdDate: schedule.startDate)
}

/// The first event of a task, with an outcome of these values, or without one for `nil`.
func event(
  of task: CareTask, values: [OutcomeValue]? = nil, answer: Answer = .done
) throws -> Event {
  let occurrence = try #require(task.schedule.occurrence(at: 0))
  let outcome = values.map {
    Outcome(
      uuid: UUID(), event: Event(task: task, version: 1, occurrence: occurrence), values: $0,
      createdDate: occurrence.start, answer: answer)
  }
  return Event(task: task, version: 1, occurrence: occurrence, outcome: outcome)
}

extension CareTask {
  /// The same version, made later than all others.
  var madeLater: CareTask {
    var task = self
    task.createdDate += 86_400
    return task
  }

  /// The same version as a plan's import makes it, later than all others.
  var imported: CareTask {
    var task = madeLater
    task.closesLater = true
    return task
  }
}

extension Outcome {
  /// The outcome of an occurrence of a task that has one version.
  init?(of task: CareTask, _ occurrence: Int, values: [OutcomeValue]) {
    let reference = EventReference(taskUUID: task.uuid, occurrence: occurrence)
    guard let event = TaskHistory([task]).event(reference) else { return nil }
    self.init(
      uuid: UUID(), event: event, values: values, createdDate: event.occurrence.start)
  }
}

/// A value that a person entered in 1970, or at another time.
func value(
  _ value: Value, _ unit: String? = nil, kind: String? = nil,
  at time: Date = .init(microseconds: 0),
  provenance: Provenance = .manual
) -> OutcomeValue {
  OutcomeValue(
    value: value, unit: unit.flatMap { UnitOfMeasure($0) }, kind: kind, time: time,
    provenance: provenance)
}

/// The first arguments of the static members of `type` that a file of Care's quantities defines.
func definedNames(_ type: String, _ file: String) throws -> [String] {
  let path = URL(filePath: #filePath).appending(
    path: "../../../Sources/Care/Quantities/\(file).swift")
  let source = try String(contentsOf: path.standardizedFileURL, encoding: .utf8)
  let member = try Regex(
    #"static let \w+ = \#(type)\(\s*"([^"]*)""#, as: (Substring, Substring).self)
  return source.matches(of: member).map { String($0.output.1) }
}
