import Assessments
import Care
import Foundation
import Interchange
import Localization
import Motion
import Plans
import StrictYAML

// MARK: - Failures

extension CommandFailure {
  /// No task has that id or title.
  static func unknownTask(_ name: String, known: [CareTask]) -> CommandFailure {
    let ids = Set(known.map(\.id)).sorted()
    let titles = Set(known.map(\.title)).sorted()
    let suggestion = Spelling.suggestion(for: name, among: ids)
    return CommandFailure(
      .unknown,
      "There is no task ‘\(name)’"
        + (suggestion.isEmpty ? Spelling.suggestion(for: name, among: titles) : suggestion)
        + (ids.isEmpty
          ? ". There is none yet; import a plan." : ". There is \(ids.quoted)."))
  }

  /// Several tasks have that id or title.
  static func ambiguousTask(_ name: String, among tasks: [CareTask]) -> CommandFailure {
    let ids = Set(tasks.map(\.id)).sorted()
    let patients = Set(tasks.map(\.patient)).sorted().quoted
    guard ids.count > 1 else {
      return CommandFailure(
        .refused, "Several patients have a task ‘\(name)’: \(patients). Add --patient.")
    }
    return CommandFailure(
      .refused, "Several tasks are called ‘\(name)’: \(ids.quoted). Use the id.")
  }
}

extension Sequence<String> {
  /// The texts in quotation marks: `‘a’, ‘b’`.
  var quoted: String { map { "‘\($0)’" }.joined(separator: ", ") }
}

// MARK: - Requests of a task

extension PlannedTask {
  /// The request in a few words: `Weight`, `Range of motion (left knee), 90°`.
  var request: String {
    var parts: [String] = []
    if let activeTask { parts.append(activeTask.title) }
    parts += linkages.map(\.quantity.title)
    if !survey.isEmpty { parts.append("Questions (\(survey.map(\.kind).joined(separator: ", ")))") }
    if parts.isEmpty { parts.append(kind == .readOnly ? "To read" : "To do") }
    let targets = schedule.elements.first?.targets ?? []
    return (parts + targets.compactMap(\.text)).joined(separator: ", ")
      + (isOptional ? ", optional" : "")
  }
}

extension ActiveTask {
  /// Its name: `Range of motion (left knee)`.
  fileprivate var title: String {
    let assessment = AssessmentList.all.first { $0.type == type }
    let part = [side?.rawValue, joint?.rawValue].compactMap(\.self).joined(separator: " ")
    return (assessment?.title ?? type.rawValue) + (part.isEmpty ? "" : " (\(part))")
  }
}

extension TargetValue {
  /// The value to reach: `90°`, `at most 7`.
  fileprivate var text: String? {
    value.number.map { number in
      (isAtMost ? "at most " : "") + (unit?.text(number.plainText) ?? number.plainText)
    }
  }
}

// MARK: - Deletions

extension CommandFailure {
  /// A deletion cannot be planned.
  static func deletionInFuture(_ task: String) -> CommandFailure {
    CommandFailure(
      .refused,
      "A deletion hides the whole history at once, so it cannot be planned. To let the task stop"
        + " then: measured task end \(task) --at TIME")
  }
}

// MARK: - Answers

extension CommandFailure {
  /// Nothing of the task is due on that day.
  static func nothingDue(
    _ task: CareTask, on day: String, next: Event?, in timeZone: TimeZone
  ) -> CommandFailure {
    let next = next.map { ". It is due next on " + $0.occurrence.when(in: timeZone) }
    return CommandFailure(
      .refused, "Nothing of ‘\(task.id)’ is due on \(day)\(next ?? "").")
  }

  /// No occurrence with that number is due on that day.
  static func noOccurrence(
    _ place: EventPlace, of events: [Event], on day: String, in timeZone: TimeZone
  ) -> CommandFailure {
    let version = place.version.map { " of version \($0)" } ?? ""
    let due =
      version.isEmpty
      ? list(events, in: timeZone)
      : events.map {
        "\($0.occurrence.index) of version \($0.version) (\($0.occurrence.when(in: timeZone)))"
      }.joined(separator: ", ")
    return CommandFailure(
      .unknown, "Occurrence \(place.occurrence)\(version) is not due on \(day). Due are \(due).")
  }

  /// Several events of the day have that number, each in the count of another version of the task.
  static func severalOccurrences(
    _ number: Int, _ events: [Event], in timeZone: TimeZone
  ) -> CommandFailure {
    let list = events.map { "version \($0.version): \($0.occurrence.when(in: timeZone))" }
    return CommandFailure(
      .refused,
      "The task was changed, so several events of the day are occurrence \(number). Add --version"
        + " (\(list.joined(separator: "; "))).")
  }

  /// No event of the day is open.
  static func nothingOpen(
    _ events: [Event], measured: [String: NumberedSample] = [:], text: DayText
  ) -> CommandFailure {
    let answered = events.map { event in
      "occurrence \(event.occurrence.index) (\(event.occurrence.when(in: text.timeZone))): "
        + (event.result(in: text.timeZone, for: text.units[event.task.patient])
          ?? EventState.done.title)
    }.joined(separator: "; ")
    guard let last = events.last else { return CommandFailure(.refused, "Nothing is open.") }
    let fact =
      "Nothing of ‘\(last.task.id)’ is open on \(last.occurrence.start.day(in: text.timeZone)): "
      + answered
    if let sample = measured[last.id], let way = text.correction(of: sample) {
      let addition =
        last.task.linkage?.type == .cumulative
        ? " To put another count in its place: \(text.command("done", for: last))"
          + " \(text.placeFlags(of: last)) --value …"
        : ""
      return CommandFailure(.refused, "\(fact). It was measured. \(way)\(addition)")
    }
    return CommandFailure(
      .refused,
      "\(fact). To answer again: \(text.command("done", for: last))"
        + " \(text.placeFlags(of: last)); to take an answer back: \(text.command("undo", for: last))"
    )
  }

  /// No event of the day has an answer that could be taken back.
  static func nothingAnswered(_ task: CareTask, on day: String) -> CommandFailure {
    CommandFailure(.unknown, "Nothing of ‘\(task.id)’ was answered by hand on \(day).")
  }

  private static func list(_ events: [Event], in timeZone: TimeZone) -> String {
    events.map { "\($0.occurrence.index) (\($0.occurrence.when(in: timeZone)))" }
      .joined(separator: ", ")
  }
}

extension ScheduleOccurrence {
  /// The day, and the time unless it lasts all day: `2026-11-20 08:00`.
  func when(in timeZone: TimeZone) -> String {
    start.day(in: timeZone) + (isAllDay ? "" : " " + start.clock(in: timeZone))
  }
}

// MARK: - Conflicts

extension PlanConflict {
  /// The versions of a thing that several stores changed, with their numbers, and how to settle it.
  func lines(in timeZone: TimeZone) -> [String] {
    let heading = "\(thing.message): \(versions.count) versions, the newest is shown"
    let list = versions.enumerated().map { index, version in
      "  \(index + 1)  \(version.text(in: timeZone, isShown: index == 0))"
    }
    let command: String? =
      switch thing.kind {
      case .task:
        "measured task settle \(thing.id.shellQuoted) --patient \(thing.patient.shellQuoted)"
      case .patient: "measured patient settle \(thing.id.shellQuoted)"
      case .carePlan, .contact, .note, .message: nil
      }
    return [heading] + list
      + (command.map { ["  To settle it: \($0) --version 1, or the number of another one"] } ?? [])
  }
}

extension PlanConflict.Version {
  /// The title, the origin and the time: `“Long walk”, by hand here at …; differs in title`.
  func text(in timeZone: TimeZone, isShown: Bool) -> String {
    let made =
      (isImported ? "by a plan" : "by hand") + (isOwn ? " here" : " in another store")
      + " at \(createdDate.toTheSecond(in: timeZone))"
    let what =
      isDeleted
      ? "deleted"
      : isEnded ? "ended at \(effectiveDate.toTheSecond(in: timeZone))" : nil
    let difference =
      differences.isEmpty ? nil : "differs in \(differences.joined(separator: ", "))"
    let parts = [title.map { "“\($0)”" }, what, made, isShown ? "shown" : difference]
    return parts.compactMap(\.self).joined(separator: ", ")
  }
}

extension OutcomeConflict {
  /// Which event several stores answered, and how to settle it.
  ///
  /// - Parameters:
  ///   - occurrence: The event's occurrence, which the command names; `nil` if its task has no such
  ///     event any longer.
  ///   - timeZone: The zone of times.
  /// - Returns: The text.
  func text(occurrence: Int?, in timeZone: TimeZone) -> String {
    let flags =
      " \(event.task.shellQuoted) --patient \(event.patient.shellQuoted)"
      + " --date \(event.start.day(in: timeZone))"
      + (occurrence.map { " --occurrence \($0)" } ?? "")
    return "event of task ‘\(event.task)’ of ‘\(event.patient)’ at"
      + " \(event.start.toTheSecond(in: timeZone)): \(others.count + 1) answers, the newest is shown."
      + " To settle it, answer it again: measured done\(flags); or take the answer back: measured"
      + " undo\(flags)"
  }
}

// MARK: - Contacts, care plans, notes

extension Contact {
  /// The contact with its numbers and addresses.
  var lines: [String] {
    let about = [role, organization].compactMap(\.self).joined(separator: ", ")
    let owner = patient.map { "for \($0)" } ?? ""
    let names = [title, name.given, name.family].compactMap(\.self).joined(separator: " ")
    let heading = [names.isEmpty ? id : names, about, owner].filter { !$0.isEmpty }
    let numbers =
      phoneNumbers.map { ("phone", $0) } + messagingNumbers.map { ("message", $0) }
      + emailAddresses.map { ("mail", $0) }
    let post = [
      address?.street,
      [address?.postalCode, address?.city].compactMap(\.self).joined(separator: " "),
      address?.state, address?.country,
    ].compactMap(\.self).filter { !$0.isEmpty }
    return [heading.joined(separator: " – ")]
      + numbers.map { kind, number in
        "  \(number.label ?? kind): \(number.value)"
      } + (post.isEmpty ? [] : ["  " + post.joined(separator: ", ")])
      + channels.map { "  \($0.text)" }
  }
}

extension CarePlan {
  /// The care plan in one line.
  var line: String { "Care plan ‘\(id)’ of \(patient): \(title)" }
}

extension Note {
  /// The note in one line.
  var line: String {
    "Note on \(patient)" + (task.map { ", \($0)" } ?? "") + (author.map { " by \($0)" } ?? "")
      + ": "
      + [title, content].compactMap(\.self).joined(separator: ": ")
  }
}
