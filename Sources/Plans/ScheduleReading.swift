package import Care
import Foundation
import StrictYAML

extension PlanReader {
  /// A schedule: the list of its elements.
  func schedule(_ node: YAMLNode) throws(YAMLError) -> Schedule {
    var elements: [ScheduleElement] = []
    for element in try node.sequence() { elements += try self.elements(element) }
    do {
      return try Schedule(elements)
    } catch {
      throw node.error(error.reason)
    }
  }

  private func elements(_ node: YAMLNode) throws(YAMLError) -> [ScheduleElement] {
    var reader = try node.mapping()
    let own = try reader.optional("timeZone")?.timeZone()
    let zone = own ?? timeZone
    let start = try reader.required("start").date(in: zone)
    let end = try reader.optional("end")?.date(in: zone)
    let countNode = reader.optional("count")
    let steps = try steps(&reader, from: start, in: zone)
    let count = try countNode?.integer(in: 1...100_000) ?? steps.first?.count
    if let countNode, end != nil || steps.first?.count != nil {
      throw countNode.error("the element has an end of its own; leave ‘count’ or the other out")
    }
    let duration = try reader.optional("duration")?.duration() ?? .seconds(3600)
    let targets = try targets(reader.optional("targets"))
    let text = try reader.optional("text")?.string()
    try reader.finish()
    var elements: [ScheduleElement] = []
    do {
      for step in steps {
        elements.append(
          try ScheduleElement(
            start: step.start, end: step.end ?? end, interval: step.interval, duration: duration,
            targets: targets, text: text, timeZone: zone, selection: step.selection))
      }
    } catch {
      throw reader.location(of: error.key).error(error.reason)
    }
    elements = try ending(elements, after: count, at: countNode ?? node)
    // An element with a zone of its own stays there.
    guard own == nil else { return elements }
    return elements.flatMap { element in
      stays.reduce([element]) { parts, stay in
        parts.dropLast() + (parts.last?.moved(by: stay) ?? [])
      }
    }
  }

  func interval(_ node: YAMLNode) throws(YAMLError) -> Interval {
    if case .scalar(let scalar) = node.content, !node.isNull {
      if scalar.text.uppercased().contains("FREQ=") {
        throw node.error("this is a recurrence rule; write it as rrule: \"\(scalar.text)\"")
      }
      throw node.error("‘\(scalar.text)’ is no interval; write \(Interval.written(scalar.text))")
    }
    var reader = try node.mapping()
    var interval = Interval()
    for (name, unit) in Interval.unitsByName {
      if let number = reader.optional(name) { interval[keyPath: unit] = try number.integer() }
    }
    try reader.finish()
    return interval
  }

  private func targets(_ node: YAMLNode?) throws(YAMLError) -> [TargetValue] {
    var targets: [TargetValue] = []
    for element in try node?.sequence() ?? [] {
      var reader = try element.mapping()
      let node = try reader.required("value")
      let target = TargetValue(
        value: try node.value(), unit: try reader.optional("unit")?.unit(),
        kind: try reader.optional("kind")?.string(),
        isAtMost: try reader.optional("atMost")?.boolean() ?? false)
      if case .text(let text) = target.value, let number = text.miswrittenNumber {
        throw node.error("‘\(text)’ is no number; write \(number)")
      }
      targets.append(target)
      try reader.finish()
    }
    return targets
  }
}

extension Interval {
  /// How a plan writes what `text` probably means: `{days: 1}` for `daily` and `1d`.
  fileprivate static func written(_ text: String) -> String {
    let word = text.lowercased().filter { $0.isLetter }
    let count = Int(text.filter(\.isNumber)).map { max($0, 1) } ?? 1
    let unit =
      switch word {
      case "hourly", "h", "hour", "hours": "hours"
      case "weekly", "w", "week", "weeks": "weeks"
      case "monthly", "month", "months": "months"
      case "yearly", "y", "year", "years": "years"
      default: "days"
      }
    return "{\(unit): \(count)}"
  }

  /// The keys of an interval, longest unit first.
  static var unitsByName: [(name: String, unit: WritableKeyPath<Interval, Int>)] {
    [
      ("years", \.years), ("months", \.months), ("weeks", \.weeks), ("days", \.days),
      ("hours", \.hours), ("minutes", \.minutes), ("seconds", \.seconds),
    ]
  }
}

extension String {
  /// The number that a person means who writes `10,5`, `1_000` or `1 000`, which are texts in YAML;
  /// `nil` for any other text.
  fileprivate var miswrittenNumber: String? {
    let plain = replacing(",", with: ".").filter { !"_ '".contains($0) }
    let isNumber = plain.contains(where: \.isNumber) && Double(plain) != nil
    return isNumber && Double(self) == nil ? plain : nil
  }
}

extension ScheduleError {
  /// The mistake in the schedule, for people.
  package var reason: String {
    switch self {
    case .noElements: "the schedule has no element; give it at least one"
    case .intervalNotForward:
      "the interval must move forward: no unit negative, and at least one greater than 0"
    case .intervalTooLong: "the interval is longer than 1000 years"
    case .endNotAfterStart: "the end is not after the start"
    case .durationOutOfRange: "the duration must be between 0 seconds and 100 years"
    case .dateOutOfRange: "the date is not between the years 1900 and 9999"
    case .noSuchTime: "there is no such time of day or weekday"
    case .tooManyOccurrences(let limit):
      "there are more than \(limit) occurrences in this span; ask for a shorter one"
    }
  }

  /// The key of the element's invalid value.
  fileprivate var key: String {
    switch self {
    case .intervalNotForward, .intervalTooLong: "interval"
    case .endNotAfterStart: "end"
    case .durationOutOfRange: "duration"
    case .dateOutOfRange, .noSuchTime, .noElements, .tooManyOccurrences: "start"
    }
  }
}

extension YAMLNode {
  /// `allDay`, or days of 24 hours, hours, minutes and seconds: `3d`, `1h`, `30m`, `90s`, `1h30m`.
  func duration() throws(YAMLError) -> EventDuration {
    let text = try string()
    guard text != "allDay" else { return .allDay }
    var rest = text[...]
    var seconds = 0.0
    for (unit, length) in [("d", 86_400.0), ("h", 3600), ("m", 60), ("s", 1)] {
      guard let at = rest.firstIndex(of: Character(unit)) else { continue }
      guard let number = YAMLNode.number(String(rest[..<at])), number >= 0 else { break }
      seconds += number * length
      rest = rest[rest.index(after: at)...]
    }
    guard rest.isEmpty else {
      throw error("‘\(text)’ is no duration; write allDay, 30m, 1h, 90s or 1h30m")
    }
    return .seconds(seconds)
  }

  /// A target's value: a whole number, a decimal, true or false, or a text.
  fileprivate func value() throws(YAMLError) -> Value {
    let scalar = try scalar()
    guard !scalar.isQuoted else { return .text(scalar.text) }
    if let integer = Int64(scalar.text) { return .integer(integer) }
    if let number = YAMLNode.number(scalar.text) { return .double(number) }
    switch scalar.text {
    case "true": return .boolean(true)
    case "false": return .boolean(false)
    default:
      // `.nan`, `.inf`, `nan` and the like: a target that nothing could reach.
      let bare = scalar.text.lowercased().drop { "+-.".contains($0) }
      guard !["nan", "inf", "infinity"].contains(bare) else {
        throw error("‘\(scalar.text)’ is no value to reach; write a number such as 90")
      }
      guard !scalar.text.isDecimalWithComma else {
        throw error(
          "‘\(scalar.text)’ is no number; write \(scalar.text.replacing(",", with: "."))")
      }
      return .text(scalar.text)
    }
  }
}

// MARK: - Step reading

/// The steps of one element of a schedule; of a recurrence rule one for each of its weekdays.
struct ScheduleSteps {
  var start: Date
  var end: Date?
  var interval: Interval
  var selection = StepSelection()
  /// How many occurrences all of them have together; `nil` without a number.
  var count: Int?
}

extension PlanReader {
  /// Reads what an element steps by: `interval`, `rrule`, `weekday` or `cycle`, and what it leaves
  /// out.
  func steps(
    _ reader: inout MappingReader, from start: Date, in zone: TimeZone
  ) throws(YAMLError) -> [ScheduleSteps] {
    let rule = reader.optional("rrule")
    let weekday = reader.optional("weekday")
    let cycle = reader.optional("cycle")
    var selection = StepSelection(
      except: try days(reader.optional("except")), cycle: try self.cycle(cycle),
      anchor: try reader.optional("countedFrom")?.calendarDate())
    if let rule {
      let others = [
        ("interval", reader.optional("interval")), ("weekday", weekday), ("cycle", cycle),
      ]
      for (key, node) in others where node != nil {
        throw reader.location(of: key).error("‘rrule’ says this, too; leave one out")
      }
      return try steps(rule, from: start, in: zone).map { steps in
        var steps = steps
        (steps.selection.except, steps.selection.anchor) = (selection.except, selection.anchor)
        return steps
      }
    }
    guard let weekday else {
      let interval =
        cycle == nil
        ? try self.interval(reader.required("interval"))
        : try reader.optional("interval").map { node throws(YAMLError) in try self.interval(node) }
          ?? Interval(days: 1)
      return [ScheduleSteps(start: start, interval: interval, selection: selection)]
    }
    let (choice, day) = try self.weekday(weekday)
    let node = reader.optional("interval")
    let interval = try node.map { node throws(YAMLError) in try self.interval(node) }
    let months = interval?.months ?? 1
    guard interval.map({ $0 == Interval(months: months) }) ?? true else {
      throw reader.location(of: "interval").error(
        "a weekday of the month comes every so many months; write {months: 1}")
    }
    selection.weekday = StepSelection.WeekdayOfMonth(nth: choice, months: months)
    return [
      ScheduleSteps(
        start: start.movedTo(weekday: day, in: zone), interval: Interval(weeks: 1),
        selection: selection)
    ]
  }

  /// `[2026-12-24, 2026-12-25]`.
  private func days(_ node: YAMLNode?) throws(YAMLError) -> [CalendarDate] {
    var days: [CalendarDate] = []
    for element in try node?.sequence() ?? [] { days.append(try element.calendarDate()) }
    return days.uniqued().sorted()
  }

  /// `{on: 21, off: 7}`.
  private func cycle(_ node: YAMLNode?) throws(YAMLError) -> StepSelection.Cycle? {
    guard let node else { return nil }
    var reader = try node.mapping()
    let cycle = StepSelection.Cycle(
      on: try reader.required("on").integer(in: 1...3_660),
      off: try reader.required("off").integer(in: 1...3_660))
    try reader.finish()
    return cycle
  }

  /// `{nth: -1, day: sunday}`.
  private func weekday(_ node: YAMLNode) throws(YAMLError) -> (nth: Int, day: Int) {
    var reader = try node.mapping()
    let nthNode = try reader.required("nth")
    let nth = try nthNode.integer(in: -5...5)
    guard nth != 0 else { throw nthNode.error("write 1 for the first, or -1 for the last") }
    let name = try reader.required("day").choice(of: Weekday.names)
    try reader.finish()
    return (nth, Weekday.names.firstIndex(of: name) ?? 0)
  }

  /// `[{from: 2026-03-03, to: 2026-03-10, reason: in hospital}]`; the last day is not part of it.
  func pauses(_ node: YAMLNode?) throws(YAMLError) -> [StepSelection.Pause] {
    var pauses: [StepSelection.Pause] = []
    for element in try node?.sequence() ?? [] {
      var reader = try element.mapping()
      let pause = StepSelection.Pause(
        from: try reader.required("from").calendarDate(),
        to: try reader.optional("to")?.calendarDate(),
        reason: try reader.optional("reason")?.string())
      if let to = pause.to, to <= pause.from {
        throw reader.location(of: "to").error("a pause ends after it begins")
      }
      try reader.finish(meant: ["start": "from", "end": "to", "until": "to"])
      pauses.append(pause)
    }
    return pauses
  }

  /// The elements, with an end after a number of occurrences of all of them together.
  func ending(
    _ elements: [ScheduleElement], after count: Int?, at node: YAMLNode
  ) throws(YAMLError) -> [ScheduleElement] {
    guard let count else { return elements }
    let ended = ScheduleElement.ending(elements, after: count)
    guard let ended, !ended.isEmpty else {
      throw node.error("‘\(count)’ is no number of occurrences that it has")
    }
    return ended
  }
}

/// The days of the week, from Monday.
enum Weekday {
  static let names = [
    "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday",
  ]
  fileprivate static let codes = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"]
}

extension Date {
  /// The same time of day on the first such weekday from this day on.
  fileprivate func movedTo(weekday: Int, in zone: TimeZone, weeks: Int = 0) -> Date {
    let day = CalendarDate(self, in: zone)
    return moved(days: (weekday - day.weekday + 7) % 7 + weeks * 7, in: zone)
  }

  /// The same time of day so many days later.
  fileprivate func moved(days: Int, in zone: TimeZone) -> Date {
    guard days != 0 else { return self }
    var local = LocalDateTime(self, in: zone)
    let day = CalendarDate(self, in: zone).adding(days: days)
    (local.year, local.month, local.day) = (day.year, day.month, day.day)
    return local.resolved(in: zone) ?? self
  }
}

// MARK: - Recurrence rules

extension PlanReader {
  /// The steps of a recurrence rule of RFC 5545, where they are exactly the same.
  private func steps(
    _ node: YAMLNode, from start: Date, in zone: TimeZone
  ) throws(YAMLError) -> [ScheduleSteps] {
    var parts: [String: String] = [:]
    let text = try node.string()
    let rule = text.uppercased().hasPrefix("RRULE:") ? text.dropFirst(6) : text[...]
    for part in rule.split(separator: ";") {
      let sides = part.split(separator: "=", maxSplits: 1).map { $0.uppercased() }
      guard sides.count == 2, parts.updateValue(sides[1], forKey: sides[0]) == nil else {
        throw node.error("‘\(part)’ is no part of a recurrence rule; write FREQ=WEEKLY;BYDAY=MO")
      }
    }
    func refuse(_ key: String) -> YAMLError {
      node.error("\(key)=\(parts[key] ?? "") has no exact schedule here; write it as ‘interval’")
    }
    func number(_ key: String) throws(YAMLError) -> Int? {
      guard let text = parts[key] else { return nil }
      guard let number = Int(text), (1...100_000).contains(number) else { throw refuse(key) }
      return number
    }
    let known = ["FREQ", "INTERVAL", "COUNT", "UNTIL", "BYDAY", "BYMONTHDAY", "WKST"]
    if let other = parts.keys.sorted().first(where: { !known.contains($0) }) { throw refuse(other) }
    let every = try number("INTERVAL") ?? 1
    let days = try parts["BYDAY"].map { text throws(YAMLError) in
      try text.split(separator: ",").map { code throws(YAMLError) -> (nth: Int?, day: Int) in
        guard let day = Weekday.codes.firstIndex(of: String(code.suffix(2))) else {
          throw refuse("BYDAY")
        }
        let prefix = code.dropLast(2)
        guard prefix.isEmpty || Int(prefix).map({ (-5...5).contains($0) && $0 != 0 }) == true
        else { throw refuse("BYDAY") }
        return (Int(prefix), day)
      }
    }
    if parts["COUNT"] != nil, parts["UNTIL"] != nil { throw refuse("UNTIL") }
    let end = try parts["UNTIL"].map { text throws(YAMLError) -> Date in
      guard let date = Self.until(text, in: zone) else { throw refuse("UNTIL") }
      return date
    }
    let local = LocalDateTime(start, in: zone)
    var steps: [ScheduleSteps] = []
    func add(_ interval: Interval, from first: Date? = nil, nth: Int? = nil) {
      let weekday = nth.map { StepSelection.WeekdayOfMonth(nth: $0, months: every) }
      steps.append(
        ScheduleSteps(
          start: first ?? start, end: end, interval: interval,
          selection: StepSelection(weekday: weekday)))
    }
    if parts["BYMONTHDAY"] != nil, parts["FREQ"] != "MONTHLY" || days != nil {
      throw refuse("BYMONTHDAY")
    }
    switch (parts["FREQ"], days) {
    case ("SECONDLY", nil): add(Interval(seconds: every))
    case ("MINUTELY", nil): add(Interval(minutes: every))
    case ("HOURLY", nil): add(Interval(hours: every))
    case ("DAILY", nil): add(Interval(days: every))
    case ("WEEKLY", nil): add(Interval(weeks: every))
    case ("DAILY", let days?) where every == 1 && days.allSatisfy({ $0.nth == nil }),
      ("WEEKLY", let days?) where days.allSatisfy { $0.nth == nil }:
      let isDaily = parts["FREQ"] == "DAILY"
      let weekStart = parts["WKST"].flatMap { Weekday.codes.firstIndex(of: $0) } ?? 0
      let today = (CalendarDate(start, in: zone).weekday - weekStart + 7) % 7
      for day in days {
        let ahead = (day.day - weekStart + 7) % 7 - today
        // A day of this week that is over comes in the next week that counts.
        let later = ahead < 0 ? ahead + 7 * (isDaily ? 1 : every) : ahead
        add(Interval(weeks: isDaily ? 1 : every), from: start.moved(days: later, in: zone))
      }
    case ("MONTHLY", let days?) where days.allSatisfy { $0.nth != nil }:
      for day in days {
        add(
          Interval(weeks: 1), from: start.movedTo(weekday: day.day, in: zone), nth: day.nth)
      }
    case ("MONTHLY", nil) where parts["BYMONTHDAY"] == "-1":
      steps.append(
        ScheduleSteps(
          start: start, end: end, interval: Interval(days: 1),
          selection: StepSelection(lastDay: every)))
    case ("MONTHLY", nil):
      let day = try number("BYMONTHDAY") ?? local.day
      // A month without the day is left out by the rule, and has its last day here.
      guard day <= 28 else { throw refuse(parts["BYMONTHDAY"] == nil ? "FREQ" : "BYMONTHDAY") }
      var first = local
      first.day = day
      if day < local.day {
        let (years, month) = (first.month - 1 + every).quotientAndRemainder(dividingBy: 12)
        (first.year, first.month) = (first.year + years, month + 1)
      }
      add(Interval(months: every), from: first.resolved(in: zone))
    case ("YEARLY", nil) where local.month != 2 || local.day != 29: add(Interval(years: every))
    default: throw refuse(days == nil ? "FREQ" : "BYDAY")
    }
    let count = try number("COUNT")
    for place in steps.indices { steps[place].count = count }
    return steps
  }

  /// The first instant after the last one that `UNTIL` allows: `20261224` or `20261224T080000Z`.
  private static func until(_ text: String, in zone: TimeZone) -> Date? {
    let digits = text.filter(\.isNumber)
    guard digits.count == 8 || digits.count == 14 else { return nil }
    let at = digits.index(digits.startIndex, offsetBy: 4)
    let date = "\(digits[..<at])-\(digits[at...].prefix(2))-\(digits[at...].dropFirst(2).prefix(2))"
    let clock = digits.count == 8 ? "235959" : String(digits.suffix(6))
    let time = "\(clock.prefix(2)):\(clock.dropFirst(2).prefix(2)):\(clock.suffix(2))"
    return LocalDateTime(date + "T" + time)?.resolved(in: text.hasSuffix("Z") ? .gmt : zone)
      .map { $0 + 1 }
  }
}
