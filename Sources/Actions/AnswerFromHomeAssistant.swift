import Access
package import Care
package import Foundation
package import Outlets

/// Performs an answer that somebody gave in Home Assistant: for the event of the day that the task shows
/// there.
package struct AnswerFromHomeAssistant: Action {
  package var answer: HomeAssistantAnswer

  /// Makes the action.
  package init(_ answer: HomeAssistantAnswer) { self.answer = answer }

  /// - Throws: As ``AnswerEvent``; `StoreError.unknown(_:)` if the day has no such event.
  package func perform(
    in writer: any StoreWriter, by performer: Performer, now: Date
  ) throws -> EventChange {
    try performer.demand(.answer, on: .patient(answer.patient))
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = try writer.zone(of: answer.patient, at: now)
    let day = calendar.startOfDay(for: now)
    let nextDay = calendar.date(byAdding: .day, value: 1, to: day) ?? day + 86_400
    let events = try writer.events(
      EventQuery(patient: answer.patient, task: answer.task, from: day, to: nextDay, now: now)
    ).filter { $0.occurrence.overFrom > day }
    guard let event = HomeAssistantFacts.Task.event(of: events, at: now) else {
      throw StoreError.unknown(
        .task(TaskReference(patient: answer.patient, task: answer.task)))
    }
    let action =
      switch answer.content {
      case .number(let text): AnswerEvent(event, [EnteredValue(text: text)])
      case .word(.done): AnswerEvent(event)
      case .word(.notDone): AnswerEvent(event, answer: Answer(state: .notDone))
      case .word(.skip): AnswerEvent(event, answer: Answer(state: .skipped))
      }
    return try action.perform(in: writer, by: performer, now: now)
  }
}
