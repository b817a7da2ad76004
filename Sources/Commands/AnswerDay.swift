import Actions
import ArgumentParser
import Care
import CareStore
import Foundation
import Interchange
import Localization
import Terminal

extension CompletionKind {
  /// The ids of the tasks of the usual store.
  static var tasks: CompletionKind {
    .shellCommand(
      #"measured tasks --json 2>/dev/null | sed -n 's/.*"id":"\([^"]*\)","kind".*/\1/p'"#)
  }
}

/// The flags that identify an event by its task and day.
struct AnswerOptions: ParsableArguments {
  @Argument(help: "The task's id or title.", completion: .tasks)
  var task: String

  @OptionGroup var storage: StoreOptions

  @Option(
    help:
      "The day: 2026-11-20, yesterday, today or tomorrow. Default: today, in the person's time zone.",
    transform: TimeArgument.init(entered:))
  var date: TimeArgument?

  @Option(help: "The occurrence, as measured events --json counts it.")
  var occurrence: Int?

  @Option(
    help: "The version of the task that counts the occurrence so, where several have that number.")
  var version: Int?

  func validate() throws {
    guard version == nil || occurrence != nil else {
      throw ValidationError(LocalizedText("command.answer.version").message)
    }
  }

  /// The event that the flags name; `nil` without a number.
  var place: EventPlace? { occurrence.map { EventPlace(occurrence: $0, version: version) } }

  @Flag(help: "Print JSON Lines: the event.")
  var json = false

  /// The day that is meant.
  func day(_ reader: any StoreReader, now: Date) throws -> AnswerDay {
    let history = try TaskLookup(reader, patient: storage.patient, now: now).task(named: task)
    let zone = try reader.zone(of: history.reference?.patient, at: now)
    let text = DayText(
      timeZone: zone, now: now, store: storage.store, tasks: try reader.histories(patient: nil),
      units: try reader.preferredUnits())
    return try AnswerDay(
      reader, task: history, on: try date?.instant(in: zone, now: now) ?? now, text: text)
  }

  /// Runs `body`, and prints the event and what is left of the day.
  func reporting(
    _ body: (SQLStore, Date) async throws -> AnswerDay.Result
  ) async throws {
    do {
      let now = Console.now
      let store = try storage.openExisting()
      let result = try await body(store, now)
      guard !json else { return try Console.json(EventOutput(result.event)) }
      result.lines.forEach(Console.out)
      result.contradictions.moves(for: result.text.units).forEach(Console.out)
    } catch {
      throw CommandFailure(error, isJSON: json)
    }
  }
}

/// An event of a task by its number, and by the version that counts so where several do.
struct EventPlace: Hashable {
  var occurrence: Int
  var version: Int?

  /// Whether it names `event`.
  func names(_ event: Event) -> Bool {
    event.occurrence.index == occurrence && (version ?? event.version) == event.version
  }
}

/// The events of one task on one day, and which of them a command means: one rule for the command
/// that is printed and for the one that is read.
struct AnswerChoice {
  /// The events that start on the day or last into it, in order.
  var events: [Event]
  /// The day.
  var day: Range<Date>
  /// Whether the day is the current one.
  let isToday: Bool
  /// The events among which a command without a number chooses.
  let usual: [Event]
  /// Whether any of the events starts on the day.
  let hasOwn: Bool

  /// Makes the choice among the events of a task on `day`.
  init(events: [Event], day: Range<Date>, now: Date) {
    self.events = events
    self.day = day
    let isToday = day.contains(now)
    self.isToday = isToday
    // An event that began on the day before and can still be done is meant before one that is yet to come.
    let near = events.filter { event in
      event.occurrence.start >= day.lowerBound
        || isToday && event.occurrence.start <= now && now < event.occurrence.overFrom
    }
    usual = near.isEmpty ? events : near
    hasOwn = events.contains { $0.occurrence.start >= day.lowerBound }
  }

  /// The event that a person answers without naming one: the first open one.
  ///
  /// The store refuses a read-only task with the reason.
  var next: Event? { usual.first { $0.isOpen || $0.task.kind == .readOnly } }

  /// The events that a number names: those that start on the day before those that last into it.
  func named(_ place: EventPlace) -> [Event] {
    let named = events.filter(place.names)
    let own = named.filter { $0.occurrence.start >= day.lowerBound }
    return own.isEmpty ? named : own
  }
}

/// The events of one task on one day.
struct AnswerDay {
  /// The task as people see it.
  var task: CareTask
  /// The events, and which of them is meant.
  var choice: AnswerChoice
  /// The first event after the day.
  var next: Event?
  /// The day's first instant and the next day's.
  var span: Range<Date>
  /// The latest sample that each measured event has, by the event's id.
  var measured: [String: NumberedSample] = [:]
  /// How its events read for people.
  var text: DayText

  var timeZone: TimeZone { text.timeZone }

  /// The events among which a command without a number chooses.
  var events: [Event] { choice.usual }

  init(
    _ reader: any StoreReader, task history: TaskHistory, on date: Date, text: DayText
  ) throws {
    let (timeZone, now) = (text.timeZone, text.now)
    guard let task = history.current(at: now) else {
      throw CommandFailure.unknownTask("", known: [])
    }
    let day = try CareDay(reader, patient: task.patient, on: date, in: timeZone, now: now)
    let own = day.events.filter { $0.task.id == task.id }
    self.task = task
    span = day.start..<day.end
    choice = AnswerChoice(events: own, day: span, now: now)
    next = own.isEmpty ? try history.next(after: day.end) : nil
    self.text = text
    for event in own {
      measured[event.id] = try Self.sample(of: event, in: reader)
    }
  }

  /// The latest sample that an event's outcome has from a sensor; `nil` without one.
  private static func sample(of event: Event, in reader: any StoreReader) throws -> NumberedSample?
  {
    let values = event.outcome?.values.filter { $0.provenance == .passive } ?? []
    guard let last = values.max(by: { $0.time < $1.time }) else { return nil }
    for linkage in event.task.linkages {
      let query = SampleQuery(
        owner: .patient(event.task.patient), quantity: linkage.quantity,
        from: event.occurrence.start, to: last.time.addingTimeInterval(0.001), limit: 64)
      let found = try reader.samples(query).last { $0.provenance != .manual }
      if let found { return try NumberedSample(found, in: reader) }
    }
    return nil
  }

  /// The event that a person answers: the first open one; the last one if none is open and the
  /// answer adds to what it has.
  ///
  /// - Parameters:
  ///   - place: The event, if the person names it: it may be answered again.
  ///   - isAddition: Whether the answer is an entry of what adds up.
  /// - Returns: The event.
  /// - Throws: ``CommandFailure`` if nothing is due, or nothing is open, or if several events have
  ///   the number and the next open one does not.
  func eventToAnswer(
    _ place: EventPlace?, isAddition: Bool = false
  ) throws(CommandFailure) -> Event {
    let added = events.last { event in
      isAddition && event.task.planned.addsUp && event.occurrence.start <= text.now
    }
    let next = choice.next ?? added
    if let place { return try event(place, preferring: next) }
    try requireEvents()
    guard let next else { throw .nothingOpen(events, measured: measured, text: text) }
    return next
  }

  /// The note that a person's value replaces the measured one of an event, which is kept; `nil` if
  /// sensors measured nothing.
  func mixture(of event: Event) -> String? {
    guard let linkage = event.task.linkage,
      event.outcome?.values.contains(where: { $0.provenance == .passive }) ?? false
    else { return nil }
    return LocalizedText(
      "command.answer.inPlace",
      [
        "quantity": .quantityInSentence(linkage.quantity),
        "undo": .init(text.command("undo", for: event)),
      ]
    ).message
  }

  /// That an event whose time is over was answered while another one of the task runs; `nil` else.
  func mistaken(for event: Event) -> String? {
    guard event.isOver(at: text.now) else { return nil }
    let running = choice.events.first { other in
      other.id != event.id && other.isOpen && other.occurrence.start <= text.now
        && text.now < other.occurrence.overFrom
    }
    guard let running else { return nil }
    return LocalizedText(
      "command.answer.otherOpen",
      [
        "time": .init(event.occurrence.when(in: timeZone)),
        "other": .init(running.occurrence.when(in: timeZone)),
        "command": "\(text.command("done", for: running)) \(text.placeFlags(of: running))",
      ]
    ).message
  }

  /// The event whose answer a person takes back: the one that was answered last.
  func eventToReopen(_ place: EventPlace?) throws(CommandFailure) -> Event {
    try requireEvents()
    let answered = events.filter { event in
      guard let outcome = event.outcome else { return false }
      return outcome.values.isEmpty || outcome.values.contains { $0.provenance != .passive }
    }
    let last = answered.max { a, b in
      (a.outcome?.createdDate ?? .distantPast) < (b.outcome?.createdDate ?? .distantPast)
    }
    if let place { return try event(place, preferring: last) }
    // The store refuses to delete values of sensors, with the reason.
    guard let event = last ?? events.first(where: { $0.outcome != nil }) else {
      throw .nothingAnswered(task, on: span.lowerBound.day(in: timeZone))
    }
    return event
  }

  /// The event that a place names; of several with that number only the one that would be meant
  /// without it.
  private func event(
    _ place: EventPlace, preferring usual: Event?
  ) throws(CommandFailure) -> Event {
    try requireEvents()
    let named = choice.named(place)
    guard let first = named.first else {
      throw .noOccurrence(
        place, of: choice.events, on: span.lowerBound.day(in: timeZone), in: timeZone)
    }
    if named.count == 1 { return first }
    guard let usual, named.contains(where: { $0.id == usual.id }) else {
      throw .severalOccurrences(place.occurrence, named, in: timeZone)
    }
    return usual
  }

  private func requireEvents() throws(CommandFailure) {
    guard events.isEmpty else { return }
    throw .nothingDue(task, on: span.lowerBound.day(in: timeZone), next: next, in: timeZone)
  }
}

extension AnswerDay {
  /// An event after a person answered it, and what is left of the day.
  struct Result: Sendable {
    var event: Event
    /// The words for the change; `nil` if the event's result says it.
    var verb: String?
    /// The day's events of the patient.
    var ofDay: [Event]
    /// The day.
    var span: Range<Date>
    /// Who else has something open, by id.
    var others: [String] = []
    /// The remark on the answer.
    var remark: String?
    /// The weighings that look like another person's now.
    var contradictions: [WeighingReview.Contradiction] = []
    /// How events read for people.
    var text: DayText

    /// The day's events of the patient that are still open.
    private var open: [Event] { ofDay.filter(\.isOpen) }
    private var day: String { span.lowerBound.day(in: text.timeZone) }

    var lines: [String] {
      let zone = text.timeZone
      let what =
        verb ?? event.result(in: zone, for: text.units[event.task.patient]) ?? EventState.done.title
      let when = event.occurrence.when(in: zone)
      var lines = [
        "\(event.state(at: text.now).mark) \(event.task.title), \(when): \(what)".oneLine
      ]
      if verb == nil { lines += text.remarks(onAnswered: event) }
      if let remark { lines.append(remark) }
      guard !open.isEmpty else { return lines + [nothingElse] }
      lines.append(LocalizedText("day.stillOpen", ["day": "\(day)"]).message)
      let shown = listed
      for (event, command) in text.commands(for: ofDay, on: span) where shown.contains(event.id) {
        lines.append("  " + text.line(event, on: span.lowerBound))
        if let command { lines.append("             → " + command) }
      }
      if shown.count < open.count {
        let more = LocalizedText(
          "day.more",
          ["number": .init(open.count - shown.count), "command": .init(text.dayCommand(of: event))])
        lines.append("  " + more.message)
      }
      return lines
    }

    /// That nothing of this person is left, and who has something left.
    private var nothingElse: String {
      guard !others.isEmpty else {
        return LocalizedText("day.nothingElse", ["day": "\(day)"]).message
      }
      let owner = event.task.patient
      let commands = others.map { text.dayCommand(of: event, patient: $0) }
      return LocalizedText(
        "day.nothingElseOf",
        [
          "owner": "\(owner)", "day": "\(day)", "others": .init(others.joined(separator: ", ")),
          "commands": .init(commands.joined(separator: "; ")),
        ]
      ).message
    }

    /// The most events that are listed as still open.
    private static let mostListed = 8

    /// The open events that are listed: if there are many, those first whose time is not over.
    private var listed: Set<String> {
      let left = open.filter { !$0.isOver(at: text.now) }
      let over = open.filter { $0.isOver(at: text.now) }
      return Set((left + over).prefix(Self.mostListed).map(\.id))
    }
  }

  /// The result in the words that the day shows, with what is left of the day in the store.
  ///
  /// - Parameters:
  ///   - event: The event.
  ///   - reader: The store.
  ///   - verb: The words for the change; `nil` if the event's result says it.
  ///   - remark: The remark on the answer.
  ///   - contradictions: The weighings that now look like another person's.
  /// - Returns: The result.
  /// - Throws: `StoreError`.
  func result(
    _ event: Event, in reader: any StoreReader, verb: String?, remark: String? = nil,
    contradictions: [WeighingReview.Contradiction] = []
  ) throws -> Result {
    let day = try CareDay(
      reader, patient: nil, on: span.lowerBound, in: timeZone, now: text.now)
    let open = day.events.filter(\.isOpen)
    return Result(
      event: day.events.first { $0.id == event.id } ?? event, verb: verb,
      ofDay: day.events.filter { $0.task.patient == task.patient }, span: span,
      others: open.map(\.task.patient).uniqued().filter { $0 != task.patient }, remark: remark,
      contradictions: contradictions, text: text)
  }
}
