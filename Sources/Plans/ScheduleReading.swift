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
