import Actions
import ArgumentParser
import Care
import CareStore
import Foundation
import Localization
import Terminal

/// `measured put-back`.
struct PutBackCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "put-back",
    abstract: "Restores the answer that was taken back last, with its own time.",
    discussion: """
      What measured undo took back by mistake is there again.

      Example:
        measured put-back pills
        measured put-back pills --date 2026-11-20
      """)

  @OptionGroup var answer: AnswerOptions

  func run() async throws {
    try await answer.reporting { store, now in
      try await store.write { writer in
        let day = try answer.day(writer, now: now)
        let event = try day.eventToAnswer(answer.place)
        let change = try PutBack(event).perform(in: writer, by: .owner, now: now)
        return try day.result(
          change.event, in: writer, verb: nil, contradictions: change.review.contradictions)
      }
    }
  }
}

/// `measured snooze`.
struct SnoozeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "snooze",
    abstract: "Puts the reminder of a task off: it comes again later.",
    discussion: """
      The task needs a reminder or a fallback, and its event has to be open still by then.

      Example:
        measured snooze pills --minutes 30
        measured snooze pills --until 21:00
      """)

  @OptionGroup var answer: AnswerOptions

  @Option(help: "How many minutes later it comes again, 1 to 10080.")
  var minutes: Int?

  @Option(
    help: "When it comes again, such as 21:00 or 2026-11-20T21:00.",
    transform: TimeArgument.init(entered:))
  var until: TimeArgument?

  func validate() throws {
    guard (minutes == nil) != (until == nil) else {
      throw ValidationError("Give --minutes or --until.")
    }
    guard minutes.map(Snooze.minutes.contains) ?? true else {
      throw ValidationError(
        "--minutes is from \(Snooze.minutes.lowerBound) to \(Snooze.minutes.upperBound).")
    }
  }

  func run() async throws {
    try await answer.reporting { store, now in
      try await store.write { writer in
        let day = try answer.day(writer, now: now)
        let event = try day.eventToAnswer(answer.place)
        let later = try until?.instant(in: day.timeZone, now: now)
        let stored = try Snooze(event, until: later ?? now + Double(minutes ?? 0) * 60)
          .perform(in: writer, by: .owner, now: now)
        let time = stored.firing.due.clock(in: day.timeZone)
        return try day.result(
          event, in: writer,
          verb: LocalizedText("snooze.until", ["time": "\(time)"]).message)
      }
    }
  }
}
