import ArgumentParser
import Care
import CareStore
import Foundation

/// `measured done`.
struct DoneCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "done",
    abstract: "Says that a task is done, or that it was not.",
    discussion: """
      The task is named by its id or its title. Of several events that are open on the day, the \
      first is meant; --occurrence names another one, also to answer it again. Each --unit and \
      --kind belongs to the --value before it. A measured value without a unit is in the one that \
      the person reads, which measured today shows.

      Example:
        measured done pills
        measured done pills --date yesterday
        measured done weigh-in --value 63.9 --unit kg --date 2026-11-20
        measured done check-in --value 4 --kind pain --value 7.5 --unit h --kind sleep
        measured done exercises --not --reason "knee is swollen"
      """)

  @OptionGroup var answer: AnswerOptions

  @OptionGroup var values: ValueOptions

  @Flag(name: .customLong("not"), help: "It was not done.")
  var isNotDone = false

  @Option(help: "Why it was not done, or another remark.")
  var reason: String?

  @Option(
    help: "When it was done, such as 2026-11-20T08:15. Default: now.",
    transform: TimeArgument.init(entered:))
  var at: TimeArgument?

  func validate() throws {
    guard !isNotDone || values.value.isEmpty else {
      throw ValidationError("What was not done has no value; leave out --not or --value.")
    }
  }

  func run() async throws {
    try await answer.reporting { store, now in
      let entries = try values.entries()
      try await confirmIfEarly(store, now: now)
      return try await store.write { writer in
        let day = try answer.day(writer, now: now)
        let done = try at?.instant(in: day.timeZone, now: now)
        let event = try day.eventToAnswer(occurrence: answer.occurrence)
        let answer = Answer(state: isNotDone ? .notDone : .done, reason: reason, at: done)
        let units = day.text.units[event.task.patient]
        let values = try entries.map {
          try $0.outcomeValue(for: event.task.planned, units: units, at: done ?? now)
        }
        if values.contains(where: { $0.value == .boolean(false) }), event.task.survey.isEmpty {
          throw CommandFailure.falseCountsAsDone(event.task.id)
        }
        // A task that is done stays as it is, with its values, unless several stores answered it.
        let isRepeated =
          try event.progress.isCompleted && values.isEmpty && answer == .done
          && !writer.outcomeConflicts().contains { $0.event == event.key }
        let answered =
          isRepeated
          ? event
          : try writer.setOutcome(values, answer: answer, of: event.reference, now: now)
        return try day.result(
          answered, in: writer, verb: isRepeated ? "was done already" : nil)
      }
    }
  }

  /// Asks on a terminal whether an event that is hours ahead is meant: a command that is repeated by
  /// mistake would answer the evening's dose in the morning.
  private func confirmIfEarly(_ store: SQLStore, now: Date) async throws {
    guard !answer.json, answer.occurrence == nil, Console.isInputTerminal else { return }
    let (event, text) = try await store.read { reader in
      let day = try answer.day(reader, now: now)
      return (try day.eventToAnswer(occurrence: nil), day.text)
    }
    guard let question = text.earlyAnswer(of: event).map({ $0 + " Answer it now?" }) else { return }
    guard await Console.confirm(question) else {
      throw CommandFailure(.refused, "Nothing was answered.")
    }
  }
}
