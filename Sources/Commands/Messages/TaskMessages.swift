import Assessments
import Care
import Foundation
import Interchange
import Localization
import Motion
import Plans
import StrictYAML
import Terminal

// MARK: - Failures

extension CommandFailure {
  /// No task has that id or title.
  static func unknownTask(_ name: String, known: [CareTask]) -> CommandFailure {
    let ids = Set(known.map(\.id)).sorted()
    let titles = Set(known.map(\.title)).sorted()
    let near = Spelling.nearest(to: name, among: ids) == nil ? titles : ids
    return CommandFailure(
      .unknown,
      LocalizedText(
        ids.isEmpty ? "command.task.unknownOfNone" : "command.task.unknown",
        [
          "task": "\(name)", "suggestion": .suggestion(for: name, among: near),
          "known": .quoted(ids),
        ]))
  }

  /// Several tasks have that id or title.
  static func ambiguousTask(_ name: String, among tasks: [CareTask]) -> CommandFailure {
    let ids = Set(tasks.map(\.id)).sorted()
    let patients = Set(tasks.map(\.patient)).sorted()
    guard ids.count > 1 else {
      return CommandFailure(
        .refused,
        LocalizedText(
          "command.task.ofSeveral", ["task": "\(name)", "patients": .quoted(patients)]))
    }
    return CommandFailure(
      .refused,
      LocalizedText("command.task.ambiguous", ["task": "\(name)", "ids": .quoted(ids)]))
  }
}

// MARK: - Requests of a task

extension PlannedTask {
  /// The request in a few words: `Weight`, `Range of motion (left knee), 90°`.
  var request: String {
    let words = Console.language
    let comma = words.text("list.comma")
    var parts: [String] = []
    if let activeTask { parts.append(activeTask.title) }
    parts += linkages.map { words.title(of: $0.quantity) }
    if !survey.isEmpty {
      let kinds = survey.map(\.kind).joined(separator: comma)
      parts.append(words.text("command.task.questions", ["kinds": kinds]))
    }
    if parts.isEmpty {
      parts.append(words.text(kind == .readOnly ? "command.task.toRead" : "command.task.toDo"))
    }
    parts += (schedule.elements.first?.targets ?? []).compactMap(\.text)
    if isOptional { parts.append(words.text("day.optional")) }
    return parts.joined(separator: comma)
  }
}

extension ActiveTask {
  /// Its name: `Range of motion (left knee)`.
  fileprivate var title: String {
    let words = Console.language
    let name = words.title(of: type)
    guard let part = words.movement(MeasurementContext(self)) else { return name }
    return words.text("command.task.ofPart", ["task": name, "part": part])
  }
}

extension TargetValue {
  /// The value to reach: `90°`, `at most 7`.
  fileprivate var text: String? {
    value.number.map { number in
      let text = unit?.text(number.plainText) ?? number.plainText
      return isAtMost ? Console.language.text("command.task.atMost", ["value": text]) : text
    }
  }
}

// MARK: - Deletions

extension CommandFailure {
  /// A deletion cannot be planned.
  static func deletionInFuture(_ task: String) -> CommandFailure {
    CommandFailure(
      .refused, LocalizedText("command.task.deletionInFuture", ["task": "\(task)"]))
  }
}

// MARK: - Answers

extension CommandFailure {
  /// Nothing of the task is due on that day.
  static func nothingDue(
    _ task: CareTask, on day: String, next: Event?, in timeZone: TimeZone
  ) -> CommandFailure {
    CommandFailure(
      .refused,
      LocalizedText(
        next == nil ? "command.day.nothingDue" : "command.day.nothingDueUntil",
        [
          "task": .init(task.id), "day": "\(day)",
          "next": .init(next?.occurrence.when(in: timeZone) ?? ""),
        ]))
  }

  /// No occurrence with that number is due on that day.
  static func noOccurrence(
    _ place: EventPlace, of events: [Event], on day: String, in timeZone: TimeZone
  ) -> CommandFailure {
    let due = events.map { event in
      LocalizedText(
        place.version == nil ? "command.day.numbered" : "command.day.numberedOfVersion",
        [
          "number": .init(event.occurrence.index), "version": .init(event.version),
          "time": .init(event.occurrence.when(in: timeZone)),
        ]
      ).message
    }
    return CommandFailure(
      .unknown,
      LocalizedText(
        place.version == nil ? "command.day.noOccurrence" : "command.day.noOccurrenceOfVersion",
        [
          "number": .init(place.occurrence), "version": .init(place.version ?? 0),
          "day": "\(day)", "due": .init(due.joined(separator: Console.language.text("list.comma"))),
        ]))
  }

  /// Several events of the day have that number, each in the count of another version of the task.
  static func severalOccurrences(
    _ number: Int, _ events: [Event], in timeZone: TimeZone
  ) -> CommandFailure {
    CommandFailure(
      .refused,
      LocalizedText(
        "command.day.severalOccurrences",
        [
          "number": .init(number),
          "versions": .versions(events.map { ($0.version, $0.occurrence.when(in: timeZone)) }),
        ]))
  }

  /// No event of the day is open.
  static func nothingOpen(
    _ events: [Event], measured: [String: NumberedSample] = [:], text: DayText
  ) -> CommandFailure {
    let answered = events.map { event in
      LocalizedText(
        "command.day.answered",
        [
          "number": .init(event.occurrence.index),
          "time": .init(event.occurrence.when(in: text.timeZone)),
          "result": .init(
            event.result(in: text.timeZone, for: text.units[event.task.patient])
              ?? EventState.done.title),
        ]
      ).message
    }.joined(separator: "; ")
    guard let last = events.last else { return CommandFailure(.refused, "command.day.nothingOpen") }
    let fact = LocalizedText(
      "command.day.nothingOpenOf",
      [
        "task": .init(last.task.id), "answered": "\(answered)",
        "day": .init(last.occurrence.start.day(in: text.timeZone)),
      ])
    let again = "\(text.command("done", for: last)) \(text.placeFlags(of: last))"
    guard let sample = measured[last.id], let way = text.correction(of: sample) else {
      return CommandFailure(
        .refused,
        fact.followed(
          by: LocalizedText(
            "command.day.answerAgain",
            ["again": "\(again)", "undo": .init(text.command("undo", for: last))])))
    }
    let measured = fact.followed(by: "command.day.wasMeasured").followed(by: .verbatim(way))
    return CommandFailure(
      .refused,
      last.task.linkage?.type == .cumulative
        ? measured.followed(
          by: LocalizedText("command.day.otherCount", ["again": "\(again)"]))
        : measured)
  }

  /// No event of the day has an answer that could be taken back.
  static func nothingAnswered(_ task: CareTask, on day: String) -> CommandFailure {
    CommandFailure(
      .unknown,
      LocalizedText("command.day.nothingAnswered", ["task": .init(task.id), "day": "\(day)"]))
  }
}

extension LocalizedText.Value {
  /// The versions of a task with their times: `version 1: 2026-11-20 08:00; version 2: …`.
  static func versions(_ versions: [(number: Int, time: String)]) -> Self {
    .init(
      versions.map { version in
        LocalizedText(
          "command.day.version",
          ["version": .init(version.number), "time": .init(version.time)]
        ).message
      }.joined(separator: "; "))
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
    let heading = LocalizedText(
      "command.conflict.versions", ["thing": .text(thing.localized)], count: versions.count
    ).message
    let list = versions.enumerated().map { index, version in
      "  \(index + 1)  \(version.text(in: timeZone, isShown: index == 0))"
    }
    let command: String? =
      switch thing.kind {
      case .task:
        "measured task settle \(thing.id.shellQuoted) --patient \(thing.patient.shellQuoted)"
      case .patient: "measured patient settle \(thing.id.shellQuoted)"
      case .carePlan, .contact, .note, .message, .consent: nil
      }
    return [heading] + list
      + (command.map {
        ["  " + Console.language.text("command.conflict.settle", ["command": $0])]
      } ?? [])
  }
}

extension PlanConflict.Version {
  /// The title, the origin and the time: `“Long walk”, by hand here at …; differs in title`.
  func text(in timeZone: TimeZone, isShown: Bool) -> String {
    let time = LocalizedText.Value(createdDate.toTheSecond(in: timeZone))
    let made =
      switch (isImported, isOwn) {
      case (true, true): LocalizedText("command.conflict.planHere", ["time": time])
      case (true, false): LocalizedText("command.conflict.planElsewhere", ["time": time])
      case (false, true): LocalizedText("command.conflict.handHere", ["time": time])
      case (false, false): LocalizedText("command.conflict.handElsewhere", ["time": time])
      }
    let end = LocalizedText.Value(effectiveDate.toTheSecond(in: timeZone))
    let what: LocalizedText? =
      isDeleted
      ? "command.conflict.deleted"
      : isEnded ? LocalizedText("command.conflict.ended", ["time": end]) : nil
    let difference =
      differences.isEmpty
      ? nil
      : LocalizedText(
        "command.conflict.differs", ["keys": .init(differences.joined(separator: ", "))])
    let title = title.map { LocalizedText("command.conflict.title", ["title": "\($0)"]) }
    let parts = [title, what, made, isShown ? "command.conflict.shown" : difference]
    return parts.compactMap { $0?.message }.joined(separator: Console.language.text("list.comma"))
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
    return LocalizedText(
      "command.conflict.answers",
      [
        "task": .init(event.task), "patient": .init(event.patient), "flags": "\(flags)",
        "time": .init(event.start.toTheSecond(in: timeZone)),
      ], count: others.count + 1
    ).message
  }
}

// MARK: - Contacts, care plans, notes

extension Contact {
  /// The contact with its numbers and addresses.
  var lines: [String] {
    let about = [role, organization].compactMap(\.self).joined(separator: ", ")
    let words = Console.language
    let owner = patient.map { words.text("command.contact.for", ["patient": $0]) } ?? ""
    let names = [title, name.given, name.family].compactMap(\.self).joined(separator: " ")
    let heading = [names.isEmpty ? id : names, about, owner].filter { !$0.isEmpty }
    let numbers =
      phoneNumbers.map { ("command.contact.phone", $0) }
      + messagingNumbers.map { ("command.contact.message", $0) }
      + emailAddresses.map { ("command.contact.mail", $0) }
    let post = [
      address?.street,
      [address?.postalCode, address?.city].compactMap(\.self).joined(separator: " "),
      address?.state, address?.country,
    ].compactMap(\.self).filter { !$0.isEmpty }
    return [heading.joined(separator: " – ")]
      + numbers.map { kind, number in
        let label = number.label ?? words.text(kind)
        return "  "
          + words.text("command.contact.labelled", ["label": label, "value": number.value])
      } + (post.isEmpty ? [] : ["  " + post.joined(separator: ", ")])
      + channels.map { "  \($0.text)" }
  }
}

extension CarePlan {
  /// The care plan in one line.
  var line: String {
    LocalizedText(
      "command.contact.carePlan",
      ["id": "\(id)", "patient": "\(patient)", "title": "\(title)"]
    ).message
  }
}

extension Note {
  /// The note in one line.
  var line: String {
    LocalizedText(
      author == nil ? "command.contact.note" : "command.contact.noteBy",
      [
        "subject": .init(patient + (task.map { ", \($0)" } ?? "")), "author": .init(author ?? ""),
        "text": .init([title, content].compactMap(\.self).joined(separator: ": ")),
      ]
    ).message
  }
}
