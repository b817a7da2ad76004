package import Care
package import Foundation

/// Tasks as a calendar that other programs read (RFC 5545).
///
/// An element of a schedule is one event with its recurrence rule where a rule says exactly the same;
/// else its occurrences are listed, up to a year after `now`. A later version of a task ends the event
/// of the version before and begins one with an id of its own. The same tasks give the same bytes.
package struct CalendarFile: Sendable {
  private var lines: [String] = []
  private var zones: [String: (zone: TimeZone, first: Date)] = [:]

  /// Writes a calendar.
  ///
  /// - Parameters:
  ///   - histories: The tasks.
  ///   - now: The time up to a year after which occurrences without a rule are listed.
  /// - Throws: ``ScheduleError/tooManyOccurrences(limit:)`` for a list that is too long.
  package init(_ histories: [TaskHistory], at now: Date) throws(ScheduleError) {
    for history in histories {
      for span in history.spans where !span.version.isEnded {
        for (index, element) in span.version.planned.schedule.elements.enumerated() {
          try add(element, at: index, of: span, now: now)
        }
      }
    }
  }

  /// The calendar's text, with the line breaks of RFC 5545.
  package var text: String {
    var all = [
      "BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//measured//care plan//EN", "CALSCALE:GREGORIAN",
    ]
    for (_, zone) in zones.sorted(by: { $0.key < $1.key }) {
      all += Self.description(of: zone.zone, from: zone.first)
    }
    all += lines
    all.append("END:VCALENDAR")
    return all.map { Self.folded($0) + "\r\n" }.joined()
  }

  private mutating func add(
    _ element: ScheduleElement, at index: Int, of span: TaskHistory.Span, now: Date
  ) throws(ScheduleError) {
    let end = [element.end, span.until].compactMap(\.self).min()
    let begin = max(element.start, span.from)
    guard end.map({ begin < $0 }) ?? true else { return }
    let rule = Rule(element)
    let year: TimeInterval = 366 * 86_400
    // The first occurrence begins the event, and all of them are listed where no rule says them.
    let horizon = max(begin, now) + year
    let starts = try Schedule([element]).occurrences(
      from: begin, to: min(end ?? horizon, rule == nil ? horizon : begin + element.reach)
    ).map(\.start).filter { $0 >= begin }
    guard let first = starts.first else { return }

    let isAllDay = element.duration == .allDay
    // A list is said in UTC: of a local time that occurs twice it means one.
    let isAbsolute = rule?.isAbsolute ?? true
    func stamp(_ date: Date) -> String {
      if isAllDay { return Self.day(date, in: element.timeZone) }
      return isAbsolute || element.timeZone.isGreenwich
        ? Self.utc(date) : Self.local(date, in: element.timeZone)
    }
    let zoned = !isAllDay && !isAbsolute && !element.timeZone.isGreenwich
    let parameter =
      isAllDay ? ";VALUE=DATE" : zoned ? ";TZID=\(element.timeZone.identifier)" : ""
    if zoned {
      let known = zones[element.timeZone.identifier]?.first ?? first
      zones[element.timeZone.identifier] = (element.timeZone, min(known, first))
    }
    let version = span.version
    let task = version.planned
    lines += [
      "BEGIN:VEVENT",
      "UID:"
        + Self.escaped(
          "\(task.patient)/\(task.id)/\(version.uuid.uuidString.lowercased())/\(index)"),
      "DTSTAMP:" + Self.utc(version.createdDate),
      "SUMMARY:" + Self.escaped(task.title),
      "DTSTART\(parameter):\(stamp(first))",
    ]
    if let instructions = task.instructions {
      lines.append("DESCRIPTION:" + Self.escaped(instructions))
    }
    if case .seconds(let seconds) = element.duration {
      lines.append("DURATION:" + Self.duration(seconds))
    }
    if let rule {
      // An end here is no part of it; there it is.
      let until = end.map { isAllDay ? Self.day($0 - 1, in: element.timeZone) : Self.utc($0 - 1) }
      lines.append("RRULE:" + rule.text + (until.map { ";UNTIL=\($0)" } ?? ""))
      let left = element.selection.except.compactMap { day in
        LocalDateTime(first, in: element.timeZone).onDay(day).resolved(in: element.timeZone)
      }.filter { $0 > first }
      if !left.isEmpty {
        lines.append("EXDATE\(parameter):" + left.map(stamp).joined(separator: ","))
      }
    } else if starts.count > 1 {
      lines.append("RDATE\(parameter):" + starts.dropFirst().map(stamp).joined(separator: ","))
    }
    if let reminder = task.reminder {
      lines += [
        "BEGIN:VALARM", "ACTION:DISPLAY", "DESCRIPTION:" + Self.escaped(task.title),
        "TRIGGER:" + Self.duration(reminder.offset),
      ]
      if reminder.times > 1 {
        lines += ["REPEAT:\(reminder.times - 1)", "DURATION:" + Self.duration(reminder.every)]
      }
      lines.append("END:VALARM")
    }
    lines.append("END:VEVENT")
  }
}

// MARK: - Rules

extension CalendarFile {
  /// A recurrence rule that says exactly what an element does.
  private struct Rule {
    var text: String
    /// Whether its steps last the same whatever the clocks do, so that it is said in UTC.
    var isAbsolute = false

    /// The rule; `nil` if none says the same.
    init?(_ element: ScheduleElement) {
      let step = element.interval
      let selection = element.selection
      guard selection.cycle == nil, selection.pauses.isEmpty else { return nil }
      let absolute = step.hours * 3_600 + step.minutes * 60 + step.seconds
      let calendar = [step.years, step.months, step.weeks, step.days].filter { $0 > 0 }
      if calendar.isEmpty {
        guard selection.weekday == nil, selection.lastDay == nil, selection.except.isEmpty else {
          return nil
        }
        let (name, count) =
          absolute % 3_600 == 0
          ? ("HOURLY", absolute / 3_600)
          : absolute % 60 == 0 ? ("MINUTELY", absolute / 60) : ("SECONDLY", absolute)
        text = "FREQ=\(name);INTERVAL=\(count)"
        isAbsolute = true
        return
      }
      guard calendar.count == 1, absolute == 0, let count = calendar.first else { return nil }
      let start = LocalDateTime(element.start, in: element.timeZone)
      if let weekday = selection.weekday {
        guard step == Interval(weeks: 1) else { return nil }
        let names = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"]
        let day = CalendarDate(element.start, in: element.timeZone).weekday
        text = "FREQ=MONTHLY;INTERVAL=\(weekday.months);BYDAY=\(weekday.nth)\(names[day])"
        return
      }
      if let months = selection.lastDay {
        guard step == Interval(days: 1) else { return nil }
        text = "FREQ=MONTHLY;INTERVAL=\(months);BYMONTHDAY=-1"
        return
      }
      switch step {
      case Interval(days: count): text = "FREQ=DAILY;INTERVAL=\(count)"
      case Interval(weeks: count): text = "FREQ=WEEKLY;INTERVAL=\(count)"
      // A rule leaves the months out that are too short; here their last day counts.
      case Interval(months: count) where start.day <= 28:
        text = "FREQ=MONTHLY;INTERVAL=\(count)"
      case Interval(years: count) where start.day <= 28: text = "FREQ=YEARLY;INTERVAL=\(count)"
      default: return nil
      }
    }
  }
}

extension ScheduleElement {
  /// A time in which its first occurrence of any rule comes, from any of its steps on.
  fileprivate var reach: TimeInterval {
    let days = interval.years * 366 + interval.months * 31 + interval.weeks * 7 + interval.days
    let months = (selection.weekday?.months ?? selection.lastDay ?? 0) * 400
    return TimeInterval(days + months + selection.except.count + 2) * 86_400
      + TimeInterval(interval.hours * 3_600 + interval.minutes * 60 + interval.seconds)
  }
}

// MARK: - Text

extension CalendarFile {
  private static func utc(_ date: Date) -> String { local(date, in: .gmt) + "Z" }

  private static func local(_ date: Date, in zone: TimeZone) -> String {
    LocalDateTime(date, in: zone).description.filter { $0 != "-" && $0 != ":" }
  }

  private static func day(_ date: Date, in zone: TimeZone) -> String {
    String(local(date, in: zone).prefix(8))
  }

  /// `-PT15M`, `PT1H30M`, `P1D`: seconds, since days there are those of the calendar.
  private static func duration(_ seconds: TimeInterval) -> String {
    let whole = Int(saturating: seconds.rounded())
    let (hours, rest) = abs(whole).quotientAndRemainder(dividingBy: 3_600)
    let parts = [(hours, "H"), (rest / 60, "M"), (rest % 60, "S")].filter { $0.0 > 0 }
    let text = parts.map { "\($0.0)\($0.1)" }.joined()
    return (whole < 0 ? "-" : "") + "PT" + (text.isEmpty ? "0S" : text)
  }

  /// Backslashes, commas, semicolons and line breaks, which separate values there.
  private static func escaped(_ text: String) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\", ",", ";": escaped += "\\" + String(scalar)
      case "\n": escaped += "\\n"
      default:
        if scalar.properties.generalCategory != .control { escaped.unicodeScalars.append(scalar) }
      }
    }
    return escaped
  }

  /// Lines of at most 75 bytes, of which further ones begin with a space.
  private static func folded(_ line: String) -> String {
    var folded = ""
    var bytes = 0
    for scalar in line.unicodeScalars {
      let size = String(scalar).utf8.count
      if bytes + size > 75 {
        folded += "\r\n "
        bytes = 1
      }
      folded.unicodeScalars.append(scalar)
      bytes += size
    }
    return folded
  }

  /// The changes of a zone's clocks, from a date on and for forty years.
  private static func description(of zone: TimeZone, from first: Date) -> [String] {
    func offset(_ date: Date) -> String {
      let seconds = zone.secondsFromGMT(for: date)
      let (hours, minutes) = (abs(seconds) / 3_600, abs(seconds) / 60 % 60)
      func two(_ number: Int) -> String { number < 10 ? "0\(number)" : String(number) }
      return (seconds < 0 ? "-" : "+") + two(hours) + two(minutes)
    }
    func observance(_ date: Date, from before: String) -> [String] {
      let kind = zone.isDaylightSavingTime(for: date) ? "DAYLIGHT" : "STANDARD"
      // The onset is read on the clock that was right before it.
      let shown = date + TimeInterval(zone.secondsFromGMT(for: date - 1))
      return [
        "BEGIN:\(kind)", "DTSTART:\(local(shown, in: .gmt))", "TZOFFSETFROM:\(before)",
        "TZOFFSETTO:\(offset(date))", "END:\(kind)",
      ]
    }
    let begin = first - 366 * 86_400
    var lines = ["BEGIN:VTIMEZONE", "TZID:\(zone.identifier)"]
    lines += observance(begin, from: offset(begin))
    var change = zone.nextDaylightSavingTimeTransition(after: begin)
    for _ in 0..<100 {
      guard let date = change, date < begin + 40 * 366 * 86_400 else { break }
      lines += observance(date, from: offset(date - 1))
      change = zone.nextDaylightSavingTimeTransition(after: date)
    }
    return lines + ["END:VTIMEZONE"]
  }
}

extension TimeZone {
  /// Whether its clocks always show UTC.
  fileprivate var isGreenwich: Bool {
    ["GMT", "UTC", "Etc/UTC", "Etc/GMT"].contains(identifier)
  }
}

extension LocalDateTime {
  /// The same time of day on another day.
  fileprivate func onDay(_ day: CalendarDate) -> LocalDateTime {
    LocalDateTime(
      year: day.year, month: day.month, day: day.day, hour: hour, minute: minute, second: second)
  }
}
