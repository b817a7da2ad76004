public import Foundation

/// One occurrence of a task, with its outcome.
///
/// Computed, never stored.
public struct Event: Hashable, Sendable, Identifiable {
  /// The version of the task that owns the occurrence.
  public var task: CareTask
  /// Which version of the task that is, counted from 1.
  public var version: Int
  /// The occurrence in that version's schedule.
  public var occurrence: ScheduleOccurrence
  /// Its place among the task's occurrences that start together, from 0.
  public var ordinal: Int
  /// Its outcome, if it has one.
  public var outcome: Outcome?

  /// `<version uuid>_<occurrence>`.
  public var id: String { "\(task.uuid.uuidString)_\(occurrence.index)" }

  /// Makes an event.
  public init(
    task: CareTask, version: Int, occurrence: ScheduleOccurrence, ordinal: Int = 0,
    outcome: Outcome? = nil
  ) {
    self.task = task
    self.version = version
    self.occurrence = occurrence
    self.ordinal = ordinal
    self.outcome = outcome
  }
}

/// Identifies an event by the version of the task that owns it.
public struct EventReference: Hashable, Sendable {
  /// The version of the task.
  public var taskUUID: UUID
  /// The occurrence in that version's schedule.
  public var occurrence: Int

  /// Makes a reference.
  public init(taskUUID: UUID, occurrence: Int) {
    self.taskUUID = taskUUID
    self.occurrence = occurrence
  }
}

/// Identifies an event by its task and start, whichever version owns it.
///
/// An outcome is found by it, so that it follows its event to another version of the task.
public struct EventKey: Hashable, Sendable {
  /// The task's patient.
  public var patient: String
  /// The task's id.
  public var task: String
  /// When the event starts.
  public var start: Date
  /// Its place among the task's events that start together, from 0.
  public var ordinal: Int

  /// Makes a key.
  public init(patient: String, task: String, start: Date, ordinal: Int = 0) {
    self.patient = patient
    self.task = task
    self.start = start
    self.ordinal = ordinal
  }
}

extension Event {
  /// Identifies the event in a store.
  public var reference: EventReference {
    EventReference(taskUUID: task.uuid, occurrence: occurrence.index)
  }

  /// Identifies the event in every store.
  public var key: EventKey {
    EventKey(patient: task.patient, task: task.id, start: occurrence.start, ordinal: ordinal)
  }
}

/// Where an event stands for people.
public enum EventState: String, Hashable, Sendable, CaseIterable {
  /// There is nothing to complete.
  case readOnly
  /// It is complete.
  case done
  /// A person said that it was not done.
  case notDone
  /// A person said that it was left out for a reason.
  case skipped
  /// It is over, and has a value that does not reach its goal.
  case performed
  /// It is over, without a value or an answer.
  case missed
  /// It is over, was only for when it is needed, and was not.
  case notNeeded
  /// It is of this day, and not completed.
  case open
  /// It is of a later day.
  case later
}

extension Event {
  /// Where it stands at `now`.
  public func state(at now: Date) -> EventState {
    if task.kind == .readOnly { return .readOnly }
    switch outcome?.answer.state {
    case .notDone: return .notDone
    case .skipped: return .skipped
    case .done, nil: break
    }
    if progress.isCompleted { return .done }
    if occurrence.overFrom <= now {
      return isPerformed ? .performed : task.isOptional ? .notNeeded : .missed
    }
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = occurrence.element.timeZone
    return calendar.startOfDay(for: occurrence.start) > now ? .later : .open
  }
}

extension Event {
  /// Whether it was done, in part at least: it has a value, or the answer that it was done.
  public var isPerformed: Bool {
    outcome.map { $0.answer.state == .done } ?? progress.isCompleted
  }

  /// When it was done, as far as anybody said; `nil` where nobody did.
  ///
  /// Who says of a dose that was due at two in the evening that it was taken does not say when. An
  /// answer while the event lasts is given as it is done.
  ///
  /// - Parameter value: The value whose time it is; `nil` for the answer without one.
  /// - Returns: The time.
  package func doneTime(by value: OutcomeValue? = nil) -> Date? {
    guard let outcome else { return nil }
    let time = value?.time ?? outcome.createdDate
    let isByHand = value.map { $0.provenance == .manual } ?? true
    // A value that was measured or asked for has the time at which it was.
    let isPlain = task.linkages.isEmpty && task.survey.isEmpty && task.activeTask == nil
    return outcome.answer.at ?? (isByHand && isPlain && time >= occurrence.overFrom ? nil : time)
  }

  /// Whether a person said that it was not done, or was left out.
  public var isDeclined: Bool { outcome.map { $0.answer.state != .done } ?? false }
}

/// The order of a day: events sort by start, then by the plan's order of tasks, then by the task's
/// id and patient, then by occurrence.
///
/// It is the same in every store, and for any order of input.
public struct EventOrder: Hashable, Sendable {
  private var places: [TaskReference: Int]

  /// The order of a plan that lists its tasks like this; other tasks come last.
  public init(_ tasks: [TaskReference] = []) {
    places = Dictionary(
      tasks.enumerated().map { ($0.element, $0.offset) }, uniquingKeysWith: { first, _ in first })
  }

  /// The events in order.
  public func sorted(_ events: [Event]) -> [Event] {
    // Keys are sorted rather than events, which are large.
    let keys = events.indices.map { index in
      (start: events[index].occurrence.start, place: place(of: events[index]), index: index)
    }
    return keys.sorted { a, b in
      if a.start != b.start { return a.start < b.start }
      if a.place != b.place { return a.place < b.place }
      let (first, second) = (events[a.index], events[b.index])
      return (first.task.id, first.task.patient, first.occurrence.index)
        < (second.task.id, second.task.patient, second.occurrence.index)
    }.map { events[$0.index] }
  }

  private func place(of event: Event) -> Int {
    guard !places.isEmpty else { return .max }
    return places[TaskReference(patient: event.task.patient, task: event.task.id)] ?? .max
  }
}

/// Identifies a task.
public struct TaskReference: Hashable, Sendable, Codable {
  /// The task's patient.
  public var patient: String
  /// The task's id, unique within the patient.
  public var task: String

  /// Makes a reference.
  public init(patient: String, task: String) {
    self.patient = patient
    self.task = task
  }
}

// MARK: - Expansion

/// Joins versions, occurrences and outcomes into events.
public enum EventExpansion {
  /// The most events of an answer, which bounds its memory: a year of 130 a day.
  public static let limit = 50_000
  /// The most events a day of one task in a list of several: one each minute, and a few more.
  public static let dailyLimit = 1_500

  /// The events of [from, to) with their outcomes, sorted.
  ///
  /// - Parameters:
  ///   - histories: The tasks.
  ///   - outcomes: The shown outcomes; those of other events are ignored.
  ///   - order: The order of events that start together.
  ///   - from: An event that ended exactly then is among them.
  ///   - to: An event that starts then is not.
  ///   - omitsCrowded: Whether tasks that are crowded in the span are left out.
  /// - Returns: The events, each with the outcome of its start and ordinal.
  /// - Throws: ``ScheduleError/tooManyOccurrences(limit:)`` beyond ``limit``.
  public static func events(
    of histories: [TaskHistory], outcomes: [Outcome], order: EventOrder = EventOrder(), from: Date,
    to: Date, omitsCrowded: Bool = false
  ) throws(ScheduleError) -> [Event] {
    let byEvent = Dictionary(
      outcomes.map { ($0.key, $0) }, uniquingKeysWith: { _, last in last })
    var events: [Event] = []
    for history in histories {
      do throws(ScheduleError) {
        events += try history.events(
          from: from, to: to, limit: omitsCrowded ? crowd(from: from, to: to) : limit - events.count
        )
      } catch .tooManyOccurrences {
        guard omitsCrowded else { throw .tooManyOccurrences(limit: limit) }
      }
      guard events.count <= limit else { throw .tooManyOccurrences(limit: limit) }
    }
    if !byEvent.isEmpty {
      for index in events.indices { events[index].outcome = byEvent[events[index].key] }
    }
    return order.sorted(events)
  }

  /// How many events of one task are shown among those of others.
  static func crowd(from: Date, to: Date) -> Int {
    let days = Int(saturating: (to.timeIntervalSince(from) / 86_400).rounded(.up))
    return min(limit, max(1, days).saturatingProduct(dailyLimit))
  }

  /// The versions sorted into one history for each task of each patient, by patient and id.
  public static func histories(of versions: [CareTask]) -> [TaskHistory] {
    let groups = Dictionary(grouping: versions) {
      TaskReference(patient: $0.patient, task: $0.id)
    }
    return groups.sorted { ($0.key.patient, $0.key.task) < ($1.key.patient, $1.key.task) }
      .map { TaskHistory($0.value) }
  }
}
