import Care
import Foundation
import Localization

/// The days of a week with the completed part of each.
struct WeekStrip {
  let days: [Day]
  let previous: String
  let next: String?
  /// The way back to today from another day.
  let today: String?
  let span: String

  /// How far ahead weeks are offered, in seconds.
  private static let outlook: TimeInterval = 56 * 86_400

  struct Day {
    let name: String
    let number: String
    /// Where it leads; `nil` for a later day.
    let href: String?
    let isShown: Bool
    let css: String
    /// The filled length of a ring with a circumference of 94.2.
    let filled: String?
    let label: String
  }

  /// Makes the week around `date` from its events and the tasks' versions.
  init(
    around date: Date, events: [Event], versions: [CareTask], viewer: Viewer,
    address: (Date) -> String
  ) {
    let words = viewer.language
    let zone = viewer.timeZone
    let week = words.week(around: date, in: zone)
    let today = viewer.now.day(in: zone)
    days = Adherence.days(
      events: events, versions: versions, from: week.lowerBound, to: week.upperBound, timeZone: zone
    ).map { day, adherence in
      let isLater = day > viewer.now
      // Nothing to do is all done; before the plan began there was nothing to be done.
      let fraction: Double =
        switch adherence {
        case .progress(let part): part
        case .noEvents: 1
        case .noTasks: 0
        }
      let full = 94.2
      let name = words.weekday(day, in: zone, isShort: true)
      let said = words.dayMonth(day, in: zone)
      return Day(
        name: name, number: String(LocalDateTime(day, in: zone).day),
        href: isLater ? nil : address(day), isShown: day.day(in: zone) == date.day(in: zone),
        css: day.day(in: zone) == today ? " today" : isLater ? " later" : "",
        filled: isLater || fraction <= 0 ? nil : String(format: "%.1f", full * min(fraction, 1)),
        label: isLater
          ? words.text("week.later", ["day": said])
          : adherence == .noTasks
            ? words.text("week.nothing", ["day": said])
            : words.text("week.done", ["day": said, "percent": String(fraction.wholePercent)]))
    }
    previous = address(week.lowerBound - 1)
    next =
      week.upperBound > viewer.now + Self.outlook ? nil : address(week.upperBound)
    self.today = date.day(in: zone) == today ? nil : address(viewer.now)
    span = words.text(
      "date.span",
      [
        "from": words.dayMonth(week.lowerBound, in: zone),
        "to": words.dayMonth(week.upperBound - 1, in: zone),
      ])
  }
}
