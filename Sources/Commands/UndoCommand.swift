import Actions
import ArgumentParser
import Care
import CareStore
import Foundation
import Localization
import Terminal

/// `measured undo`.
struct UndoCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "undo",
    abstract: "Takes back what a person said of a task.",
    discussion: """
      The task is named by its id or its title. Of several events that were answered on the day, \
      the one answered last is meant. Where answers add up, the last addition is taken back, then \
      the one before. What a sensor measured stays; see measured samples delete.

      Example:
        measured undo pills
        measured undo pills --date 2026-11-20
      """)

  @OptionGroup var answer: AnswerOptions

  func run() async throws {
    try await answer.reporting { store, now in
      try await store.write { writer in
        let day = try answer.day(writer, now: now)
        let event = try day.eventToReopen(answer.place)
        let answer = event.result(in: day.timeZone, for: day.text.units[event.task.patient])
        let change: EventChange
        do {
          change = try TakeBack(event).perform(in: writer, by: .owner, now: now)
        } catch StoreError.refused(.computedOutcome(let task, let occurrence)) {
          guard let sample = day.measured[event.id], let way = day.text.correction(of: sample)
          else {
            throw StoreError.refused(.computedOutcome(task: task, occurrence: occurrence))
          }
          throw CommandFailure(
            .refused,
            LocalizedText("command.day.measuredOnly", ["task": "\(task)"])
              .followed(by: .verbatim(way)))
        }
        let left = change.event.result(in: day.timeZone, for: day.text.units[event.task.patient])
        let verb: LocalizedText =
          change.isLastValue
          ? left.map { LocalizedText("day.entryTakenBackOf", ["left": "\($0)"]) }
            ?? "day.entryTakenBack"
          : answer.map { LocalizedText("day.takenBackOf", ["result": "\($0)"]) } ?? "day.takenBack"
        return try day.result(
          change.event, in: writer, verb: verb.message,
          contradictions: change.review.contradictions)
      }
    }
  }
}
