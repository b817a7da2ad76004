import Care
import Foundation
import Localization

/// Schedules in words, and the next days of a task.
extension Language {
  /// A schedule in words, one line an element: `Every day at 09:00 for 1 h, until 8 November`.
  func lines(of schedule: Schedule, _ viewer: Viewer) -> [String] {
    schedule.elements.map { line(of: $0, viewer) }
  }

  /// One element of a schedule in words.
  func line(of element: ScheduleElement, _ viewer: Viewer) -> String {
    let zone = element.timeZone
    let step = step(of: element)
    let when: String
    switch element.duration {
    case .allDay: when = text("schedule.anytime", ["step": step])
    case .seconds(let seconds):
      let begin = time(element.start, in: zone)
      // A step of hours has no time of day of its own.
      let at =
        element.interval.hasTimeOfDay
        ? text("schedule.at", ["step": step, "time": begin])
        : text("schedule.from", ["step": step, "time": begin])
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

  private func step(of element: ScheduleElement) -> String {
    let interval = element.interval
    let parts: [(String, Int)] = [
      ("years", interval.years), ("months", interval.months), ("weeks", interval.weeks),
      ("days", interval.days), ("hours", interval.hours), ("minutes", interval.minutes),
      ("seconds", interval.seconds),
    ].filter { $0.1 > 0 }
    guard let first = parts.first, parts.count == 1 else {
      let list = parts.map { text("schedule.length." + $0.0, count: $0.1) }
      return text("schedule.everySeveral", ["list": self.list(list)])
    }
    if first.0 == "weeks" {
      return text(
        "schedule.every.weeks", count: first.1,
        ["weekday": weekday(element.start, in: element.timeZone)])
    }
    if first.0 == "months" {
      let day = LocalDateTime(element.start, in: element.timeZone).day
      return text("schedule.every.months", count: first.1, ["day": String(day)])
    }
    return text("schedule.every." + first.0, count: first.1)
  }

  /// A length in the largest unit that divides it: `1 h`, `90 min`.
  func length(_ seconds: Double) -> String {
    let whole = Int(min(seconds, 1e9).rounded())
    if whole.isMultiple(of: 86_400) { return text("schedule.length.days", count: whole / 86_400) }
    if whole.isMultiple(of: 3600) { return text("schedule.length.hours", count: whole / 3600) }
    if whole.isMultiple(of: 60) { return text("schedule.length.minutes", count: whole / 60) }
    return text("schedule.length.seconds", count: whole)
  }
}

extension Interval {
  /// Whether every occurrence has the same time of day.
  fileprivate var hasTimeOfDay: Bool { hours == 0 && minutes == 0 && seconds == 0 }
}
