package import Care
package import Foundation
import Localization

/// A week of events: a row for each task, a column for each day.
package struct WeekTable {
  package var events: [Event]
  /// The first instant of the week.
  package var start: Date
  package var timeZone: TimeZone
  /// The current time.
  package var now: Date
  /// The units of the person who reads it.
  package var units: PreferredUnits?
  /// Whether a task's id stands behind its title.
  package var showsIDs = false

  package init(
    events: [Event], start: Date, timeZone: TimeZone, now: Date, units: PreferredUnits? = nil,
    showsIDs: Bool = false
  ) {
    self.events = events
    self.start = start
    self.timeZone = timeZone
    self.now = now
    self.units = units
    self.showsIDs = showsIDs
  }

  package var lines: [String] {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = timeZone
    let days = (0..<7).map { day in
      (calendar.date(byAdding: .day, value: day, to: start) ?? start).day(in: timeZone)
    }
    var table = TextTable(
      ["command.head.task"] + days.map { .verbatim(String($0.dropFirst(5))) })
    let tasks = events.map { TaskReference(patient: $0.task.patient, task: $0.task.id) }.uniqued()
    for task in tasks {
      let own = events.filter { $0.task.id == task.task && $0.task.patient == task.patient }
      let title = own.last?.task.title ?? task.task
      table.add(
        [title + (showsIDs ? " [\(task.task)]" : "")]
          + days.map { day in
            cell(own.filter { shownDay(of: $0, among: own) == day })
          })
    }
    return table.lines
  }

  /// The day of the column that has an event: that of its start, or the first one if it began
  /// before and none of its task begins on that day.
  private func shownDay(of event: Event, among own: [Event]) -> String? {
    let day = event.occurrence.start.day(in: timeZone)
    guard event.occurrence.start < start else { return day }
    let first = start.day(in: timeZone)
    let begins = own.contains {
      $0.occurrence.start >= start && $0.occurrence.start.day(in: timeZone) == first
    }
    return begins ? nil : first
  }

  /// The meaning of the marks of its events.
  package var legend: String {
    let states = Set(events.map { $0.state(at: now) })
    return EventState.allCases.filter(states.contains).map { "\($0.mark) \($0.title)" }
      .joined(separator: "   ")
  }

  /// One event with its result, or how many of several are done.
  private func cell(_ events: [Event]) -> String {
    guard let event = events.first else { return "" }
    guard events.count == 1 else {
      let done = events.count(where: \.isPerformed)
      // The one that asks for attention first: open, missed, not done.
      let states = events.map { $0.state(at: now) }
      let order: [EventState] = [
        .open, .missed, .notDone, .performed, .later, .skipped, .done, .notNeeded, .readOnly,
      ]
      let state = order.first(where: states.contains) ?? .open
      return "\(state.mark) \(done)/\(events.count)"
    }
    let mark = event.state(at: now).mark
    // Of several answers none says how the day was.
    let words = Console.language
    let figure = words.figure(of: ShownValues(of: event, in: words, for: units))
    return figure.map { "\(mark) \($0)" } ?? mark
  }
}
