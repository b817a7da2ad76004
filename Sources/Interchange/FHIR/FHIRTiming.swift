import Care
import Foundation

// A schedule's elements and FHIR's Timing.
//
// FHIR's rules have no phase, no exceptions, and repeat in one unit. What they cannot say is written
// as its single occurrences, with the element itself in an extension.

/// The codes of FHIR's units of time and weekdays.
private enum TimeCodes {
  /// The units, and the part of an interval that each is.
  static var parts: [(code: String, part: WritableKeyPath<Interval, Int>)] {
    [
      ("a", \.years), ("mo", \.months), ("wk", \.weeks), ("d", \.days), ("h", \.hours),
      ("min", \.minutes), ("s", \.seconds),
    ]
  }
  static let units = parts.map(\.code)
  /// The length of each unit that has one, in seconds.
  static let lengths: [String: Double] = [
    "s": 1, "min": 60, "h": 3600, "d": 86_400, "wk": 7 * 86_400,
  ]
  /// Those that go on through the night, whatever the calendar says.
  static let absolute = ["s", "min", "h"]
  /// From Monday, as `CalendarDate.weekday` counts.
  static let weekdays = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]

  static func interval(_ amount: Int, _ unit: String) -> Interval? {
    guard let part = parts.first(where: { $0.code == unit })?.part else { return nil }
    var interval = Interval()
    interval[keyPath: part] = amount
    return interval
  }
}

/// The bounds that stand around a schedule, and hold where it says none.
struct TimingBounds {
  var start: Date?
  var end: Date?
}

extension FHIRCoder {
  fileprivate var periodUnit: String { release == .r4 ? "periodUnit" : "periodUnits" }
  fileprivate var durationUnit: String { release == .r4 ? "durationUnit" : "durationUnits" }

  // MARK: Writing

  /// An element as Timing.
  func timing(_ element: ScheduleElement, at path: String) throws(FHIRRefusal) -> FHIRValue {
    let zone = element.timeZone
    var timing = FHIRObject()
    timing.append(
      Self.extension(FHIRName.zone, "valueCode", .string(zone.identifier)), to: "extension")
    guard let repetition = try repetition(element, at: path) else {
      timing.append(
        try Self.codedExtension("schedule-element", element, at: path), to: "extension")
      for date in occurrences(of: element) {
        guard let text = FHIRTime.text(date, in: zone) else { continue }
        timing.append(.string(text), to: "event")
      }
      return .object(timing)
    }
    if !element.targets.isEmpty {
      timing.append(
        try Self.codedExtension("targets", element.targets, at: path), to: "extension")
    }
    if let text = element.text {
      timing.append(try Self.codedExtension("schedule-text", text, at: path), to: "extension")
    }
    timing["repeat"] = .object(repetition)
    return .object(timing)
  }

  /// The starts of the horizon, at most a thousand.
  private func occurrences(of element: ScheduleElement) -> [Date] {
    guard let horizon, let schedule = try? Schedule([element]),
      let occurrences = try? schedule.occurrences(from: horizon.lowerBound, to: horizon.upperBound)
    else { return [] }
    return occurrences.prefix(1000).map(\.start)
  }

  /// The rule of an element; `nil` if FHIR has none.
  private func repetition(
    _ element: ScheduleElement, at path: String
  ) throws(FHIRRefusal) -> FHIRObject? {
    let steps = TimeCodes.parts.filter { element.interval[keyPath: $0.part] != 0 }
    guard let step = steps.first, steps.count == 1, element.selection == StepSelection() else {
      return nil
    }
    let local = LocalDateTime(element.start, in: element.timeZone)
    // The end of a month is a rule of ours.
    guard !["a", "mo"].contains(step.code) || local.day <= 28 else { return nil }
    guard let start = FHIRTime.text(element.start, in: element.timeZone) else { return nil }
    var bounds: FHIRObject = ["start": .string(start)]
    if let end = element.end {
      guard let text = FHIRTime.inclusiveEnd(end, after: start, in: element.timeZone) else {
        return nil
      }
      bounds["end"] = .string(text)
    }
    let period = element.interval[keyPath: step.part]
    var repetition: FHIRObject = ["boundsPeriod": .object(bounds)]
    switch element.duration {
    case .allDay:
      repetition["extension"] = .array([
        Self.extension(FHIRName.extension("all-day"), "valueBoolean", true)
      ])
      repetition["duration"] = .integer(1)
      repetition[durationUnit] = "d"
    case .seconds(let seconds):
      let unit = ["h", "min"].first { code in
        seconds > 0 && seconds.remainder(dividingBy: TimeCodes.lengths[code] ?? 1) == 0
      }
      let length = seconds / (unit.flatMap { TimeCodes.lengths[$0] } ?? 1)
      repetition["duration"] =
        Int(exactly: length).map { .integer($0) }
        ?? FHIRDecimal(exactly: length).map { .number($0) }
      repetition[durationUnit] = .string(unit ?? "s")
    }
    repetition["frequency"] = .integer(1)
    repetition["period"] = .integer(period)
    repetition[periodUnit] = .string(step.code)
    guard release == .r4, !TimeCodes.absolute.contains(step.code), element.duration != .allDay
    else {
      return repetition
    }
    if step.code == "wk", period == 1 {
      let weekday = CalendarDate(element.start, in: element.timeZone).weekday
      repetition["dayOfWeek"] = .array([.string(TimeCodes.weekdays[weekday])])
    }
    let time = start.dropFirst(11).prefix { $0 != "+" && $0 != "-" && $0 != "Z" }
    repetition["timeOfDay"] = .array([.string(String(time))])
    return repetition
  }

  // MARK: Reading

  /// The elements that Timing says.
  func elements(
    _ node: FHIRNode, within bounds: TimingBounds = TimingBounds()
  ) throws(FHIRRefusal) -> [ScheduleElement] {
    if let element = try Self.decodedExtension(
      ScheduleElement.self, "schedule-element", of: node)
    {
      guard !node.has("repeat") else {
        throw node.refusal(.contradiction(rule: "schedule-element"))
      }
      node.take()
      return [element]
    }
    let zone = try zone(node)
    let rule = try TimingRule(node, in: self, zone: zone)
    guard node.has("repeat") || rule.frequency != nil else {
      return try events(node, zone: zone, rule: rule)
    }
    guard !node.has("event") else { throw node.refusal(.unsupported, of: "event") }
    return try rule.elements(within: bounds)
  }

  private func zone(_ node: FHIRNode) throws(FHIRRefusal) -> TimeZone {
    guard let value = try node.extended(FHIRName.zone) else { return timeZone }
    guard let name = value.text, let zone = TimeZone(identifier: name) else {
      throw node.refusal(.unsupportedValue(value.text ?? ""), of: "extension")
    }
    return zone
  }

  /// Occurrences that are listed one by one.
  private func events(
    _ node: FHIRNode, zone: TimeZone, rule: TimingRule
  ) throws(FHIRRefusal) -> [ScheduleElement] {
    var elements: [ScheduleElement] = []
    for (place, value) in (node["event"]?.take().elements ?? []).enumerated() {
      let path = node.path + ".event[\(place)]"
      guard let time = value.text.flatMap(FHIRTime.init), time.precision >= .day,
        let start = time.start(in: zone)
      else { throw FHIRRefusal(at: path, .unsupported) }
      elements.append(
        try once(start, time.precision == .day ? .allDay : .seconds(3600), zone: zone, rule, path))
    }
    guard !elements.isEmpty else { throw node.refusal(.missing, of: "repeat") }
    return elements
  }

  /// An element that occurs once.
  func once(
    _ start: Date, _ duration: EventDuration, zone: TimeZone, _ path: String
  ) throws(FHIRRefusal) -> ScheduleElement {
    try once(start, duration, zone: zone, nil, path)
  }

  /// An element of each whole day.
  func daily(
    from start: Date?, to end: Date? = nil, _ path: String
  ) throws(FHIRRefusal) -> ScheduleElement {
    guard let start, let day = CalendarDate(start, in: timeZone).midnight(in: timeZone) else {
      throw FHIRRefusal(at: path, .noStart)
    }
    do throws(ScheduleError) {
      return try ScheduleElement(
        start: day, end: end, interval: Interval(days: 1), duration: .allDay, timeZone: timeZone)
    } catch {
      throw FHIRRefusal(at: path, .invalid(error.name))
    }
  }

  private func once(
    _ start: Date, _ duration: EventDuration, zone: TimeZone, _ rule: TimingRule?, _ path: String
  ) throws(FHIRRefusal) -> ScheduleElement {
    do throws(ScheduleError) {
      return try ScheduleElement(
        start: start, end: start + 1, interval: Interval(days: 1), duration: duration,
        targets: rule?.targets ?? [], text: rule?.text, timeZone: zone)
    } catch {
      throw FHIRRefusal(at: path, .invalid(error.name))
    }
  }
}

extension ScheduleError {
  /// The name of the case.
  var name: String { String(describing: self) }
}

/// The parts of a Timing, before they become elements.
private struct TimingRule {
  let path: String
  let zone: TimeZone
  var frequency: Int?
  var period = 1
  var unit: String?
  var start: FHIRTime?
  var end: Date?
  /// How long after the start it ends.
  var span: (amount: Int, unit: String)?
  var count: Int?
  var days: [Int] = []
  var times: [String] = []
  var duration: EventDuration?
  var targets: [TargetValue] = []
  var text: String?

  /// FHIR's abbreviations that say a frequency alone.
  private static let abbreviations: [String: (frequency: Int, period: Int, unit: String)] = [
    "QD": (1, 1, "d"), "BID": (2, 1, "d"), "TID": (3, 1, "d"), "QID": (4, 1, "d"),
    "QOD": (1, 2, "d"), "Q1H": (1, 1, "h"), "Q2H": (1, 2, "h"), "Q3H": (1, 3, "h"),
    "Q4H": (1, 4, "h"), "Q6H": (1, 6, "h"), "Q8H": (1, 8, "h"), "WK": (1, 1, "wk"),
    "MO": (1, 1, "mo"),
  ]

  init(_ node: FHIRNode, in coder: FHIRCoder, zone: TimeZone) throws(FHIRRefusal) {
    path = node.path + ".repeat"
    self.zone = zone
    targets = try FHIRCoder.decodedExtension([TargetValue].self, "targets", of: node) ?? []
    text = try FHIRCoder.decodedExtension(String.self, "schedule-text", of: node)
    if let code = node["code"] {
      if let words = code.text("text") { text = text ?? words }
      for coding in code.list("coding") {
        coding.take()
        let name = coding.value.object?["code"]?.text ?? ""
        guard let known = Self.abbreviations[name] else {
          throw coding.refusal(.unsupportedValue(name))
        }
        // A rule beside its code says the same, and more.
        if !node.has("repeat") { (frequency, period, unit) = known }
      }
    }
    guard let rule = node["repeat"] else { return }
    try readBounds(rule)
    try readFrequency(rule, coder)
    try readDuration(rule, coder)
  }

  private mutating func readBounds(_ rule: FHIRNode) throws(FHIRRefusal) {
    if let period = rule["boundsPeriod"] {
      start = period.text("start").flatMap(FHIRTime.init)
      end = period.text("end").flatMap(FHIRTime.init)?.end(in: zone)
    }
    for key in ["boundsDuration", "boundsQuantity"] {
      guard let bounds = rule[key] else { continue }
      bounds.take()
      let unit = bounds.value.object?["code"]?.text ?? bounds.value.object?["unit"]?.text ?? ""
      guard case .number(let number)? = bounds.value.object?["value"],
        let amount = number.integer.flatMap({ Int(exactly: $0) }), (1...100_000).contains(amount),
        TimeCodes.units.contains(unit), bounds.value.object?["comparator"] == nil
      else { throw bounds.refusal(.unsupported) }
      span = (amount, unit)
    }
    count = try whole(rule, "count", in: 1...100_000)
  }

  private mutating func readFrequency(
    _ rule: FHIRNode, _ coder: FHIRCoder
  ) throws(FHIRRefusal) {
    let unitKey = coder.periodUnit
    unit = try rule.text(unitKey, among: TimeCodes.units)
    let given = try whole(rule, "period", in: 1...100_000)
    guard (given == nil) == (unit == nil) else {
      throw rule.refusal(.contradiction(rule: "tim-2"), of: "period")
    }
    period = given ?? 1
    for value in rule["dayOfWeek"]?.take().elements ?? [] {
      guard let day = value.text.flatMap(TimeCodes.weekdays.firstIndex) else {
        throw rule.refusal(.unsupportedValue(value.text ?? ""), of: "dayOfWeek")
      }
      if !days.contains(day) { days.append(day) }
    }
    times = (rule["timeOfDay"]?.take().elements ?? []).compactMap(\.text)
    if let when = rule["when"] {
      guard times.isEmpty else { throw rule.refusal(.contradiction(rule: "tim-10"), of: "when") }
      for code in when.value.elements ?? [when.value] {
        guard let name = code.text, let time = coder.mapping.times[name],
          FHIRTime.secondOfDay(time) != nil
        else { throw rule.refusal(.unsupportedValue(code.text ?? ""), of: "when") }
        times.append(time)
      }
      when.take()
    }
    let stated = try whole(rule, "frequency", in: 1...100)
    if stated == nil, unit == nil, times.isEmpty, days.isEmpty {
      throw rule.refusal(.missing, of: "frequency")
    }
    frequency = stated ?? 1
    // Each way in which people count: in all, of a day, of a week.
    let counts = [times.count * max(1, days.count), times.count, days.count].filter { $0 > 0 }
    if let stated, !counts.isEmpty, !counts.contains(stated), stated != 1 || counts.count > 1 {
      guard stated == 1, counts.max() == 1 else {
        throw rule.refusal(.contradiction(rule: "frequency"), of: "frequency")
      }
    }
    if !days.isEmpty, !(unit == nil || (period == 1 && ["d", "wk"].contains(unit))) {
      throw rule.refusal(.unsupported, of: "dayOfWeek")
    }
    if !times.isEmpty, let unit, TimeCodes.absolute.contains(unit) {
      throw rule.refusal(.unsupported, of: "timeOfDay")
    }
  }

  private mutating func readDuration(_ rule: FHIRNode, _ coder: FHIRCoder) throws(FHIRRefusal) {
    let unitKey = coder.durationUnit
    let isAllDay = try rule.extended(FHIRName.extension("all-day")) == .boolean(true)
    let unit = try rule.text(unitKey, among: TimeCodes.units)
    guard let number = rule.number("duration") else {
      guard unit == nil else { throw rule.refusal(.contradiction(rule: "tim-1"), of: unitKey) }
      return
    }
    guard let unit, let length = TimeCodes.lengths[unit] else {
      throw rule.refusal(.contradiction(rule: "tim-1"), of: "duration")
    }
    guard number.double >= 0 else {
      throw rule.refusal(.contradiction(rule: "tim-4"), of: "duration")
    }
    duration =
      isAllDay && unit == "d" && number.double == 1
      ? .allDay
      : .seconds(number.double * length)
  }

  private func whole(
    _ node: FHIRNode, _ key: String, in range: ClosedRange<Int>
  ) throws(FHIRRefusal) -> Int? {
    guard let number = node.number(key) else { return nil }
    let value = number.integer.flatMap { Int(exactly: $0) } ?? Int(exactly: number.double)
    guard let value, range.contains(value) else {
      throw node.refusal(.unsupportedValue(number.description), of: key)
    }
    return value
  }

  // MARK: Elements

  func elements(within bounds: TimingBounds) throws(FHIRRefusal) -> [ScheduleElement] {
    guard let start = start?.start(in: zone) ?? bounds.start else {
      throw FHIRRefusal(at: path + ".boundsPeriod.start", .noStart)
    }
    let isDay = (self.start?.precision ?? .day) <= .day
    var end = end ?? (span == nil ? bounds.end : nil)
    if let span { end = added(span.amount, span.unit, to: start) }
    var elements: [ScheduleElement] = []
    func add(_ first: Date, _ duration: EventDuration, interval: Interval) throws(FHIRRefusal) {
      guard end.map({ first < $0 }) ?? true else { return }
      do throws(ScheduleError) {
        elements.append(
          try ScheduleElement(
            start: first, end: end, interval: interval, duration: duration, targets: targets,
            text: text, timeZone: zone))
      } catch {
        throw FHIRRefusal(at: path, .invalid(error.name))
      }
    }
    let frequency = frequency ?? 1
    let unit = unit ?? (days.isEmpty ? "d" : "wk")
    guard let step = days.isEmpty ? TimeCodes.interval(period, unit) : Interval(weeks: 1) else {
      throw FHIRRefusal(at: path, .unsupportedValue(unit))
    }
    if !times.isEmpty || !days.isEmpty {
      for day in days.isEmpty ? [nil] : days.map(Optional.some) {
        for time in times.isEmpty ? [nil] : times.map(Optional.some) {
          let isSpan = time == nil && isDay
          let first = try first(
            from: start, on: day, at: isSpan ? "00:00:00" : time, by: days.isEmpty ? unit : "wk")
          try add(first, duration ?? (isSpan ? .allDay : .seconds(3600)), interval: step)
        }
      }
    } else if frequency == 1 {
      // A rule that names no time of the day is one for the whole day.
      let isAllDay = isDay && !TimeCodes.absolute.contains(unit)
      try add(start, duration ?? (isAllDay ? .allDay : .seconds(3600)), interval: step)
    } else if unit == "d", period == 1 {
      guard let midnight = CalendarDate(start, in: zone).midnight(in: zone) else {
        throw FHIRRefusal(at: path, .noStart)
      }
      for _ in 0..<frequency { try add(midnight, .allDay, interval: step) }
    } else if let length = TimeCodes.lengths[unit], TimeCodes.absolute.contains(unit) {
      let seconds = Int(saturating: length).saturatingProduct(period)
      guard seconds % frequency == 0 else {
        throw FHIRRefusal(at: path + ".frequency", .noTimes(frequency: frequency))
      }
      try add(
        start, duration ?? .seconds(3600), interval: Interval(seconds: seconds / frequency))
    } else {
      throw FHIRRefusal(at: path + ".frequency", .noTimes(frequency: frequency))
    }
    guard !elements.isEmpty else {
      throw FHIRRefusal(at: path + ".boundsPeriod", .contradiction(rule: "per-1"))
    }
    guard let count else { return elements }
    guard let counted = ScheduleElement.ending(elements, after: count) else {
      throw FHIRRefusal(at: path + ".count", .unsupportedValue(String(count)))
    }
    return counted
  }

  private func added(_ amount: Int, _ unit: String, to date: Date) -> Date? {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = zone
    let step = TimeCodes.interval(amount, unit) ?? Interval()
    return calendar.date(
      byAdding: DateComponents(
        year: step.years, month: step.months, day: step.days, hour: step.hours,
        minute: step.minutes, second: step.seconds, weekOfYear: step.weeks), to: date)
  }

  /// The first occurrence from `start` on, on a weekday and at a time if they are given.
  private func first(
    from start: Date, on weekday: Int?, at time: String?, by unit: String
  ) throws(FHIRRefusal) -> Date {
    let local = LocalDateTime(start, in: zone)
    let clock = time.flatMap(FHIRTime.secondOfDay)
    let startSecond = local.hour * 3600 + local.minute * 60 + local.second
    let fraction = start.microseconds.flooredDivision(by: 1_000_000).remainder
    let day = CalendarDate(start, in: zone)
    let wait = weekday.map { ($0 - day.weekday + 7) % 7 } ?? 0
    // The instant itself, so that of a time that clocks show twice the right one is meant.
    if wait == 0, clock.map({ $0.second == startSecond && $0.microseconds == fraction }) ?? true {
      return start
    }
    let second = clock?.second ?? startSecond
    func date(_ day: CalendarDate) -> Date? {
      LocalDateTime(
        year: day.year, month: day.month, day: day.day, hour: second / 3600,
        minute: second / 60 % 60, second: second % 60
      ).resolved(in: zone).map {
        Date(microseconds: $0.microseconds.saturatingSum(clock?.microseconds ?? fraction))
      }
    }
    guard let candidate = date(day.adding(days: wait)) else {
      throw FHIRRefusal(at: path, .noStart)
    }
    guard candidate < start else { return candidate }
    guard let next = added(unit == "wk" && weekday != nil ? 1 : period, unit, to: candidate) else {
      throw FHIRRefusal(at: path, .noStart)
    }
    return next
  }
}
