import Actions
import ArgumentParser
import Care
import CareStore
import Foundation
import Localization
import Terminal
import Traces

/// `measured done`.
struct DoneCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "done",
    abstract: "Says that a task is done, that it was not, or that it is left out.",
    discussion: """
      The task is named by its id or its title. Of several events that are open on the day, the \
      first is meant; --occurrence names another one, also to answer it again. Each --unit and \
      --kind belongs to the --value before it. A measured value without a unit is in the one that \
      the person reads, which measured today shows. Where answers add up (glasses, minutes, steps), \
      a value is added to those before; --replace puts it in their place.

      Example:
        measured done pills
        measured done pills --date yesterday
        measured done weigh-in --value 63.9 --unit kg --date 2026-11-20
        measured done check-in --value 4 --kind pain --value 7.5 --unit h --kind sleep
        measured done wound --file picture=knee.jpg
        measured done water --value 300
        measured done exercises --not --reason "no time"
        measured done exercises --skip --reason "knee is swollen"
      """)

  @OptionGroup var answer: AnswerOptions

  @OptionGroup var values: ValueOptions

  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      "A picture or video that answers the question of a kind. May be given several times.",
      valueName: "kind=path"))
  var file: [FileAnswer] = []

  @Flag(name: .customLong("replace"), help: "Replace what was entered before, where values add up.")
  var replaces = false

  @Flag(name: .customLong("not"), help: "It was not done.")
  var isNotDone = false

  @Flag(
    name: .customLong("skip"),
    help: "It was left out for a reason: it is excused, and no part of adherence.")
  var isSkipped = false

  /// The answer in words.
  private var state: Answer.State { isNotDone ? .notDone : isSkipped ? .skipped : .done }

  @Option(help: "Why it was not done or was left out, or another remark.")
  var reason: String?

  @Option(
    help: "When it was done, such as 8:15 or 2026-11-20T08:15. Default: now.",
    transform: TimeArgument.init(entered:))
  var at: TimeArgument?

  func validate() throws {
    guard !isNotDone || !isSkipped else {
      throw ValidationError(LocalizedText("command.answer.notOrSkip").message)
    }
    guard state == .done || values.value.isEmpty && file.isEmpty else {
      throw ValidationError(LocalizedText("command.answer.noValue").message)
    }
  }

  func run() async throws {
    try await answer.reporting { store, now in
      let entries = try values.entries()
      try await confirmIfEarly(store, now: now)
      let files = try file.map { (kind: $0.kind, file: try $0.read(for: store)) }
      return try await store.write { writer in
        let day = try answer.day(writer, now: now)
        let done = try at?.instant(in: day.timeZone, now: now, day: day.span.lowerBound)
        let event = try day.eventToAnswer(answer.place, isAddition: state == .done)
        let mistaken = self.answer.occurrence == nil ? day.mistaken(for: event) : nil
        let answer = Answer(state: state, reason: reason, at: done)
        let units = day.text.units[event.task.patient]
        let change = try AnswerEvent(
          event, entries, files: Dictionary(files) { _, last in last }, answer: answer,
          replaces: replaces, units: units
        ).perform(in: writer, by: .owner, now: now)
        let answered = change.event
        let isRepeated = !change.isChanged
        let isMeasured =
          !(entries.isEmpty && files.isEmpty)
          && answered.enteredValues.contains { $0.value.number != nil }
        return try day.result(
          answered, in: writer, verb: isRepeated ? LocalizedText("day.doneAlready").message : nil,
          remark: (isMeasured ? day.mixture(of: event) : nil) ?? mistaken,
          contradictions: change.review.contradictions)
      }
    }
  }

  /// Asks on a terminal whether an event that is hours ahead is meant: a command that is repeated by
  /// mistake would answer the evening's dose in the morning.
  private func confirmIfEarly(_ store: SQLStore, now: Date) async throws {
    guard !answer.json, answer.occurrence == nil, Console.isInputTerminal else { return }
    let (event, text) = try await store.read { reader in
      let day = try answer.day(reader, now: now)
      return (try day.eventToAnswer(nil, isAddition: state == .done), day.text)
    }
    guard let early = text.earlyAnswer(of: event) else { return }
    let question = LocalizedText.verbatim(early).followed(by: "command.answer.now").message
    guard await Console.confirm(question) else {
      throw CommandFailure(.refused, "command.answer.nothing")
    }
  }
}

/// A picture or video that answers a question: `picture=knee.jpg`.
struct FileAnswer: ExpressibleByArgument, Hashable {
  /// The question's kind.
  let kind: String
  let path: String

  init?(argument: String) {
    let sides = argument.split(separator: "=", maxSplits: 1).map(String.init)
    guard sides.count == 2 else { return nil }
    (kind, path) = (sides[0], sides[1])
  }

  /// Reads the file.
  ///
  /// - Throws: `TraceError` if it cannot be read, ``CommandFailure`` with its name if it cannot be
  ///   stored.
  func read(for store: SQLStore) throws -> AttachmentFile {
    var stream = try CommandFiles.stream(path)
    do {
      let draft = try AttachmentDraft(nil, for: store, id: .random())
      while true {
        let block = try stream.read(upTo: Attachment.partLength)
        guard !block.isEmpty else { return try draft.finish() }
        try draft.append(Array(block))
      }
    } catch let error as AttachmentError {
      throw CommandFailure(
        .refused,
        LocalizedText(
          "command.file.problem", ["path": "\(path)", "problem": .text(error.localized)]),
        file: path)
    }
  }
}
