import Actions
import Assessments
import Care
import Foundation
import Interchange
import Localization
import Terminal

/// How events read on a page of one day.
struct DayText {
  /// The zone of times.
  var timeZone: TimeZone
  /// The current time.
  var now: Date
  /// The store that the command named, to be named again.
  var store: String?
  /// The units in which people read values, by patient.
  var units: [String: PreferredUnits]
  /// The ids of tasks that are also the id or title of another patient's.
  var sharedIDs: Set<String> = []
  /// The people who were deleted, by id, if nobody else is in the plan.
  var deletedPeople: [String] = []
  /// The devices' warnings about the values of events, by the events' ids.
  var cautions: [String: MeasurementContext] = [:]
  /// The versions of the tasks, of which each counts its occurrences for itself.
  private let histories: [TaskReference: TaskHistory]

  init(
    timeZone: TimeZone, now: Date, store: String? = nil, tasks: some Sequence<TaskHistory> = [],
    units: [String: PreferredUnits] = [:], cautions: [String: MeasurementContext] = [:]
  ) {
    self.cautions = cautions
    self.timeZone = timeZone
    self.now = now
    self.store = store
    self.units = units
    let known = tasks.compactMap { history in history.reference.map { ($0, history) } }
    histories = Dictionary(known, uniquingKeysWith: { first, _ in first })
    // A name that could also mean another person's task needs its person.
    var owners: [String: Set<String>] = [:]
    for (reference, history) in known {
      let title = history.current(at: now)?.title ?? reference.task
      for name in [reference.task, title] {
        owners[name.lowercased(), default: []].insert(reference.patient)
      }
    }
    sharedIDs = Set(
      known.map(\.0.task).filter { (owners[$0.lowercased()]?.count ?? 0) > 1 })
  }

  /// The event in one line: `○ 08:00    Take the pills, 200 mg  [pills]`.
  ///
  /// One that began before `day` does shows its date.
  func line(_ event: Event, on day: Date) -> String {
    let occurrence = event.occurrence
    let began = occurrence.start < day ? occurrence.start.day(in: timeZone) + " " : ""
    let time =
      occurrence.isAllDay
      ? Console.language.text("event.anytime") : began + occurrence.start.clock(in: timeZone)
    var text = event.state(at: now).mark + " " + time.padded(to: max(9, time.columns + 1))
    text += title(event)
    if let result = event.result(in: timeZone, for: units[event.task.patient]) {
      text += ": " + result
    }
    let remarks = event.thresholds.map(\.says) + [cautions[event.id]?.text].compactMap(\.self)
    if !remarks.isEmpty { text += " (\(remarks.joined(separator: ", ")))" }
    text = text.oneLine + "  [\(event.task.id)]"
    guard event.isOpen else { return text }
    if event.outcome == nil, !event.isAtMost, event.progress.goal != nil {
      text += "  (\(Console.language.progress(of: event, for: units[event.task.patient])))"
    }
    if event.task.isOptional { text += "  (\(Console.language.text("day.optional")))" }
    if event.state(at: now) == .missed { text += "  (\(EventState.missed.title))" }
    return text
  }

  /// The title with its fact: `Take the pills, 200 mg`.
  private func title(_ event: Event) -> String {
    [event.task.title, event.occurrence.element.text, event.task.text].compactMap(\.self)
      .joined(separator: ", ")
  }

  /// The command to type when the event is done; `nil` if nothing can be answered yet.
  ///
  /// - Parameters:
  ///   - event: The event.
  ///   - choice: What a command may mean on the day that is shown.
  /// - Returns: The command line, which means this event and no other.
  func command(for event: Event, among choice: AnswerChoice) -> String? {
    let start = event.occurrence.start
    guard event.isOpen, start.day(in: timeZone) <= now.day(in: timeZone) else { return nil }
    var words = ["measured", "done", event.task.id.shellQuoted]
    if sharedIDs.contains(event.task.id) { words += ["--patient", event.task.patient.shellQuoted] }
    words += flags(of: event, among: choice)
    words += event.task.planned.valueFlags(for: units[event.task.patient])
    if let store { words += ["--store", store.shellQuoted] }
    return words.joined(separator: " ")
  }

  /// The day and number that a command needs to mean this event.
  private func flags(of event: Event, among choice: AnswerChoice) -> [String] {
    let day = event.occurrence.start.day(in: timeZone)
    let isUsual = choice.next?.id == event.id
    if choice.day.contains(event.occurrence.start) {
      return (choice.isToday ? [] : ["--date", day]) + (isUsual ? [] : [placeFlags(of: event)])
    }
    // It is over before the next one of the day that is shown begins, or lasts longer than a day.
    if isUsual, choice.isToday, !choice.hasOwn { return [] }
    return ["--date", day] + (isAlone(event) ? [] : [placeFlags(of: event)])
  }

  /// Whether no other event of its task starts on its day.
  private func isAlone(_ event: Event) -> Bool {
    let reference = TaskReference(patient: event.task.patient, task: event.task.id)
    let day = Adherence.Period.day.span(around: event.occurrence.start, in: timeZone)
    let events = try? histories[reference]?.events(from: day.lowerBound, to: day.upperBound)
    return events.map { $0.count { day.contains($0.occurrence.start) } == 1 } ?? false
  }

  /// The flags that name one event of a day: `--occurrence 84`, with `--version 2` where another
  /// version of the task has such an occurrence on that day.
  func placeFlags(of event: Event) -> String {
    let number = event.occurrence.index
    let reference = TaskReference(patient: event.task.patient, task: event.task.id)
    let day = event.occurrence.start.day(in: timeZone)
    // Only another version could have such an occurrence, and most tasks have one.
    let others = histories[reference].flatMap { $0.versions.count > 1 ? $0 : nil }
    let isAmbiguous = others?.events(at: number).contains { other in
      other.version != event.version && other.lasts(on: day, in: timeZone)
    }
    return "--occurrence \(number)" + (isAmbiguous == true ? " --version \(event.version)" : "")
  }

  /// The command that answers an event of another day or time: `measured undo pills --date …`.
  func command(_ name: String, for event: Event) -> String {
    var words = ["measured", name, event.task.id.shellQuoted]
    if sharedIDs.contains(event.task.id) { words += ["--patient", event.task.patient.shellQuoted] }
    let day = event.occurrence.start.day(in: timeZone)
    if day != now.day(in: timeZone) { words += ["--date", day] }
    if let store { words += ["--store", store.shellQuoted] }
    return words.joined(separator: " ")
  }

  /// The command that shows the whole day of an event's person: `measured today --patient anna`.
  ///
  /// - Parameters:
  ///   - event: The event.
  ///   - patient: Another person; `nil` for the event's.
  /// - Returns: The command line.
  func dayCommand(of event: Event, patient: String? = nil) -> String {
    var words = ["measured", "today", "--patient", (patient ?? event.task.patient).shellQuoted]
    let day = event.occurrence.start.day(in: timeZone)
    if day != now.day(in: timeZone) { words += ["--date", day] }
    if let store { words += ["--store", store.shellQuoted] }
    return words.joined(separator: " ")
  }

  /// How a measured value is corrected or taken out; `nil` of one of a stream.
  func correction(of numbered: NumberedSample) -> String? {
    guard let number = numbered.number else { return nil }
    let sample = numbered.sample
    let read = sample.patient.flatMap { units[$0] }
    let unit = read.map(sample.quantity.entryUnit) ?? sample.quantity.unit
    let flag = unit == .one ? "" : " --unit \(unit.shellName)"
    let place = store.map { " --store " + $0.shellQuoted } ?? ""
    return LocalizedText(
      "day.correction", ["number": .init(number), "flag": "\(flag)", "place": "\(place)"]
    ).message
  }

  /// That an event begins more than an hour from now; `nil` if it does not.
  func earlyAnswer(of event: Event) -> String? {
    let start = event.occurrence.start
    guard !event.occurrence.isAllDay, start > now + 3600 else { return nil }
    return LocalizedText("day.early", ["time": .init(event.occurrence.when(in: timeZone))]).message
  }

  /// Remarks on an answer that the person may not have meant.
  func remarks(onAnswered event: Event) -> [String] {
    var remarks: [String] = []
    if event.outcome?.answer.state == .done, let early = earlyAnswer(of: event) {
      remarks.append(
        LocalizedText(
          "day.earlyUndo", ["early": "\(early)", "command": .init(command("undo", for: event))]
        ).message)
    }
    let day = event.occurrence.start.day(in: timeZone)
    if let done = event.outcome?.answer.at?.day(in: timeZone), done != day,
      done < day || event.occurrence.end.day(in: timeZone) < done
    {
      remarks.append(
        LocalizedText("day.otherDay", ["day": "\(day)", "done": "\(done)"]).message)
    }
    return remarks
  }

  /// That nobody is in the plan, and what to do.
  var nobody: String {
    guard let first = deletedPeople.first else { return LocalizedText("day.noPlan").message }
    return LocalizedText(
      "day.everyoneDeleted",
      [
        "names": .init(deletedPeople.joined(separator: ", ")), "first": "\(first)",
        "command": .init(first.shellQuoted),
      ]
    ).message
  }

  /// The open events among those of a day, each with what to type.
  ///
  /// - Parameters:
  ///   - events: All of the day's, also those that are answered.
  ///   - day: The day that is shown.
  /// - Returns: The open ones.
  func commands(
    for events: [Event], on day: Range<Date>
  ) -> [(event: Event, command: String?)] {
    let choices = Dictionary(grouping: events) {
      TaskReference(patient: $0.task.patient, task: $0.task.id)
    }.mapValues { AnswerChoice(events: $0, day: day, now: now) }
    return events.filter(\.isOpen).map { event in
      let task = TaskReference(patient: event.task.patient, task: event.task.id)
      return (event, choices[task].flatMap { command(for: event, among: $0) })
    }
  }
}

extension PlannedTask {
  /// The flags that give its values: `--value … --unit kg`.
  fileprivate func valueFlags(for units: PreferredUnits?) -> [String] {
    let measured = linkages.flatMap { linkage in
      if let kind = valueKind(of: linkage) { return ["--value", "…", "--kind", kind.shellQuoted] }
      let unit = linkage.entryUnit(for: units)
      return ["--value", "…"] + (unit.symbol.isEmpty ? [] : ["--unit", unit.shellName])
    }
    let answered = survey.filter { !$0.isOptional }.flatMap { question in
      question.type.mediaKind == nil
        ? ["--value", "…", "--kind", question.kind.shellQuoted]
        : ["--file", question.kind.shellQuoted + "=…"]
    }
    guard linkages.isEmpty, survey.isEmpty else { return measured + answered }
    if needsAmount, targetedKinds.isEmpty {
      return ["--value", "…"] + (amountUnit(for: units).map { ["--unit", $0.shellName] } ?? [])
    }
    return targetedKinds.flatMap { kind in
      ["--value", "…"] + (targetedKinds.count > 1 ? ["--kind", kind.shellQuoted] : [])
    }
  }
}
