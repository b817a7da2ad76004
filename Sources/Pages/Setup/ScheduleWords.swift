package import Care
import Foundation
import Localization

/// Schedules in words, and the next days of a task.
extension Language {
  /// A schedule in words: `Every day at 09:00, 21:00 for 1 h, until 8 November`.
  ///
  /// Elements that differ in the time of day or the weekday alone are one line.
  package func lines(of schedule: Schedule, _ viewer: Viewer) -> [String] {
    var phrases: [[ScheduleElement]] = []
    for element in schedule.elements {
      let place = phrases.firstIndex { phrase in
        phrase.allSatisfy { isAlike($0, element, viewer) }
          && (phrase.allSatisfy { weekday($0) == weekday(element) }
            || phrase.allSatisfy { clock($0) == clock(element) })
      }
      if let place { phrases[place].append(element) } else { phrases.append([element]) }
    }
    return phrases.map { line(of: $0, viewer) }
  }

  /// One element of a schedule in words.
  func line(of element: ScheduleElement, _ viewer: Viewer) -> String { line(of: [element], viewer) }

  /// Whether two elements differ in the time of day and the weekday alone.
  private func isAlike(_ a: ScheduleElement, _ b: ScheduleElement, _ viewer: Viewer) -> Bool {
    func begin(_ element: ScheduleElement) -> String? {
      element.start > viewer.now ? dayMonthOrYear(element.start, viewer) : nil
    }
    return a.interval == b.interval && a.duration == b.duration && a.end == b.end
      && a.text == nil && b.text == nil && a.timeZone == b.timeZone
      && a.selection == b.selection
      && a.interval.hasTimeOfDay && a.interval.months == 0 && begin(a) == begin(b)
  }

  private func weekday(_ element: ScheduleElement) -> String? {
    element.interval.weeks > 0 ? weekday(element.start, in: element.timeZone) : nil
  }

  private func clock(_ element: ScheduleElement) -> String? {
    element.duration == .allDay ? nil : time(element.start, in: element.timeZone)
  }

  private func line(of elements: [ScheduleElement], _ viewer: Viewer) -> String {
    guard let element = elements.first else { return "" }
    let step = step(of: element, elements.compactMap(weekday).uniqued())
    let when: String
    switch element.duration {
    case .allDay: when = text("schedule.anytime", ["step": step])
    case .seconds(let seconds):
      let times = elements.compactMap(clock).uniqued().sorted()
        .joined(separator: text("list.comma"))
      // A step of hours has no time of day of its own.
      let at = text(
        element.interval.hasTimeOfDay ? "schedule.at" : "schedule.from",
        ["step": step, "time": times])
      when =
        seconds > 0 && element.interval.hasTimeOfDay
        ? text("schedule.for", ["when": at, "length": length(seconds)]) : at
    }
    let name = element.text.map { text("schedule.named", ["when": when, "name": $0]) } ?? when
    var line = selected(name, by: element.selection)
    if element.start > viewer.now {
      line = text(
        "schedule.starting", ["when": line, "date": dayMonthOrYear(element.start, viewer)])
    }
    if let end = element.end {
      // The end is the first instant that has no occurrence.
      line = text(
        "schedule.until", ["when": line, "date": dayMonthOrYear(end - 1, viewer)])
    }
    return line
  }

  /// A schedule with what it leaves out of its steps.
  private func selected(_ when: String, by selection: StepSelection) -> String {
    var line = when
    func add(_ key: String, _ values: [String: String] = [:]) {
      line = text("schedule." + key, values.merging(["when": line]) { own, _ in own })
    }
    if let weekday = selection.weekday {
      let nth = ["nth": String(abs(weekday.nth))]
      add(weekday.nth == -1 ? "last" : weekday.nth < 0 ? "nthLast" : "nth", nth)
      if weekday.months > 1 { add("ofMonths", ["count": String(weekday.months)]) }
    }
    if let cycle = selection.cycle {
      add("cycle", ["on": String(cycle.on), "off": String(cycle.off)])
    }
    if !selection.except.isEmpty { add("excepted") }
    if !selection.pauses.isEmpty { add("paused") }
    return line
  }

  private func step(of element: ScheduleElement, _ weekdays: [String]) -> String {
    let interval = element.interval
    let parts: [(String, Int)] = [
      ("years", interval.years), ("months", interval.months), ("weeks", interval.weeks),
      ("days", interval.days), ("hours", interval.hours), ("minutes", interval.minutes),
      ("seconds", interval.seconds),
    ].filter { $0.1 > 0 }
    if let months = element.selection.lastDay {
      return text("schedule.every.lastDay", count: months)
    }
    guard let first = parts.first, parts.count == 1 else {
      let list = parts.map { text("schedule.length." + $0.0, count: $0.1) }
      return text("schedule.everySeveral", ["list": self.list(list)])
    }
    if first.0 == "weeks" {
      return text(
        "schedule.every.weeks", count: first.1,
        ["weekday": weekdays.joined(separator: text("list.comma"))])
    }
    if first.0 == "months" {
      let day = LocalDateTime(element.start, in: element.timeZone).day
      return text("schedule.every.months", count: first.1, ["day": String(day)])
    }
    return text("schedule.every." + first.0, count: first.1)
  }
}

extension Interval {
  /// Whether every occurrence has the same time of day.
  fileprivate var hasTimeOfDay: Bool { hours == 0 && minutes == 0 && seconds == 0 }
}
