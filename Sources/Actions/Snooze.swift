import Access
package import Care
package import Foundation

/// Puts the reminder of an event off, or the request to measure for it: it comes again at another time.
package struct Snooze: Action {
  /// The event, as it is in the transaction.
  package var event: Event
  /// When it is to come again.
  package var until: Date

  /// How many minutes a reminder can be put off: a week at most.
  package static let minutes = 1...10_080

  /// Makes the action.
  package init(_ event: Event, until: Date) {
    self.event = event
    self.until = until
  }

  /// - Returns: The firing that says it.
  /// - Throws: As ``Action``; ``SnoozeRefusal``.
  package func perform(
    in writer: any StoreWriter, by performer: Performer, now: Date
  ) throws -> StoredFiring {
    try performer.demand(.answer, on: .patient(event.task.patient))
    guard event.task.reminder != nil || event.task.fallback != nil, event.awaitsReminder,
      now < event.promptsUntil
    else { throw SnoozeRefusal.nothingToPutOff(title: event.task.title) }
    guard now < until, until < event.promptsUntil else {
      throw SnoozeRefusal.outOfReach(
        title: event.task.title,
        end: event.promptsUntil.rfc3339(in: event.occurrence.element.timeZone))
    }
    let earlier = try writer.firings(
      FiringQuery(
        patient: event.task.patient, task: event.task.id, kinds: [.snooze],
        eventsFrom: event.occurrence.start)
    ).filter { $0.firing.event == event.key }
    let firing = Firing(
      Firing.Key(.snooze, event.key, number: earlier.count), due: until.wholeSecond, date: now)
    guard let stored = try writer.record(firing, making: nil, now: now) else {
      throw SnoozeRefusal.nothingToPutOff(title: event.task.title)
    }
    return stored
  }
}

/// Why a reminder cannot be put off.
package enum SnoozeRefusal: Error, Hashable {
  /// Nothing will remind of the event: it is answered, over, or has no reminder.
  case nothingToPutOff(title: String)
  /// The time is past, or the event is over by then; the end is written in the task's zone.
  case outOfReach(title: String, end: String)
}

extension Date {
  /// The date without a part of a second: nobody puts anything off more exactly.
  fileprivate var wholeSecond: Date {
    Date(microseconds: microseconds - ((microseconds % 1_000_000) + 1_000_000) % 1_000_000)
  }
}
