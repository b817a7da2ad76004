import Care
import Foundation
import Localization

/// How often a task is due, as a form asks it.
enum ScheduleKind: String, CaseIterable {
  /// As it is: what the form cannot say stays.
  case keep
  case daily, several, weekly, days, hours, monthly, phases

  /// Whether an occurrence can last all day.
  var canBeAllDay: Bool { self != .several && self != .hours }
}

/// Reads a schedule from a form's fields, and writes one into them.
struct ScheduleDraft {
  /// The zone of its times.
  let zone: TimeZone
  /// The current time, for a new task: an element whose event of today is over begins later.
  var now: Date?

  /// The most times of a day.
  static let mostTimes = 6
  /// The most phases.
  static let mostPhases = 3
  /// The most occurrences of a schedule that ends by their number.
  static let mostOccurrences = 10_000
  /// The weekdays by their numbers in ISO 8601, which their fields have.
  static let weekdays = 1...7

  // MARK: Reading

  /// The schedule that the fields describe.
  ///
  /// `original` is the schedule before, which ``ScheduleKind/keep`` stands for; `targets` are those of
  /// every occurrence, `nil` for the original's.
  func schedule(
    _ fields: FormFields, original: Schedule?, targets: [TargetValue]?
  ) throws(DraftFlaw) -> Schedule {
    guard let kind = fields["every"].flatMap(ScheduleKind.init) else {
      throw DraftFlaw("every", "choose")
    }
    if kind == .keep, let original {
      guard let targets else { return original }
      return try refusing { () throws(ScheduleError) in
        var elements: [ScheduleElement] = []
        for element in original.elements {
          elements.append(try element.with(targets: targets, end: element.end))
        }
        return try Schedule(elements)
      }
    }
    let day = try self.day(fields, "start")
    let length = try self.length(fields, kind)
    let kept = original?.elements.first?.targets ?? []
    var elements: [ScheduleElement] = []
    func add(
      _ date: String, _ time: String, _ interval: Interval, field: String, text: String? = nil,
      end: Date? = nil
    ) throws(DraftFlaw) {
      let written = length == .allDay ? date : "\(date)T\(time)"
      guard let start = Date(written, in: zone) else { throw DraftFlaw(field, "noTime") }
      elements.append(
        try refusing(field) { () throws(ScheduleError) in
          try ScheduleElement(
            start: start, end: end, interval: interval, duration: length,
            targets: targets ?? kept, text: text, timeZone: zone)
        })
    }
    switch kind {
    case .keep: throw DraftFlaw("every", "choose")
    case .daily:
      try add(day, try time(fields, "time", length), Interval(days: 1), field: "time")
    case .several:
      for place in 1...Self.mostTimes where fields["time\(place)"] != nil {
        let name = "time\(place)"
        try add(
          day, try time(fields, name, length), Interval(days: 1), field: name,
          text: fields["name\(place)"])
      }
      guard !elements.isEmpty else { throw DraftFlaw("time1", "noTime") }
    case .weekly:
      let chosen = fields.all("weekday").compactMap { Int($0) }.filter(Self.weekdays.contains)
      guard !chosen.isEmpty else { throw DraftFlaw("weekday", "choose") }
      let step = try fields.whole("step", in: 1...52, default: 1)
      for weekday in Set(chosen).sorted() {
        try add(
          first(weekday, from: day), try time(fields, "time", length), Interval(weeks: step),
          field: "time")
      }
    case .days:
      let step = try fields.whole("step", in: 1...366)
      try add(day, try time(fields, "time", length), Interval(days: step), field: "time")
    case .hours:
      let step = try fields.whole("step", in: 1...1000)
      try add(day, try time(fields, "time", length), Interval(hours: step), field: "time")
    case .monthly:
      let step = try fields.whole("step", in: 1...120, default: 1)
      let date = try fields.whole("day", in: 1...31)
      try add(
        month(with: date, from: day), try time(fields, "time", length), Interval(months: step),
        field: "time")
    case .phases:
      let time = try self.time(fields, "time", length)
      var begin = day
      for phase in 1...Self.mostPhases {
        let name = "phase\(phase)"
        guard phase == 1 || fields["\(name).step"] != nil else { break }
        let step = try fields.whole("\(name).step", in: 1...366)
        let interval =
          fields["\(name).unit"] == "weeks" ? Interval(weeks: step) : Interval(days: step)
        let isLast = phase == Self.mostPhases || fields["phase\(phase + 1).step"] == nil
        var end: Date?
        var next = begin
        if !isLast || fields["\(name).to"] != nil {
          next = Self.next(try self.day(fields, "\(name).to"))
          end = Date(next, in: zone)
        }
        try add(begin, time, interval, field: "\(name).to", end: end)
        guard end != nil else { break }
        begin = next
      }
    }
    if let original, let firstDay = original.elements.map(\.start).min()?.day(in: zone),
      firstDay == day
    {
      elements = try elements.map { element throws(DraftFlaw) in
        try beginning(element, as: original)
      }
    }
    return try ended(elements, fields)
  }

  /// An element with the start of the one before that it continues: of several times a day, each may
  /// have begun on another day.
  private func beginning(
    _ element: ScheduleElement, as original: Schedule
  ) throws(DraftFlaw) -> ScheduleElement {
    func place(_ element: ScheduleElement) -> String {
      let local = LocalDateTime(element.start, in: zone)
      return element.interval.weeks > 0
        ? "\(Self.weekday(element.start.day(in: zone))) \(Self.time(local))" : Self.time(local)
    }
    let old = original.elements.first {
      $0.interval == element.interval && $0.duration == element.duration
        && place($0) == place(element)
    }
    guard let old, old.start > element.start, Self.isCommon(element.interval) else {
      return element
    }
    return try refusing { () throws(ScheduleError) in
      try ScheduleElement(
        start: old.start, end: element.end, interval: element.interval,
        duration: element.duration, targets: element.targets, text: element.text, timeZone: zone)
    }
  }

  /// Whether every day, or every week, has an occurrence, so that a later start skips none.
  private static func isCommon(_ interval: Interval) -> Bool {
    interval == Interval(days: 1) || interval == Interval(weeks: 1)
  }

  /// The schedule of elements without an end, ended as the form says.
  private func ended(
    _ elements: [ScheduleElement], _ fields: FormFields
  ) throws(DraftFlaw) -> Schedule {
    let elements = now.map { now in elements.map { $0.begun(at: now) } } ?? elements
    let open = try refusing { () throws(ScheduleError) in try Schedule(elements) }
    var end: Date?
    var field = "end"
    switch fields["until"] {
    case "date":
      guard let last = Date(Self.next(try day(fields, "end")), in: zone) else {
        throw DraftFlaw("end", "noDate")
      }
      end = last
    case "count":
      field = "count"
      let count = try fields.whole("count", in: 1...Self.mostOccurrences)
      // No occurrence starts at the end or after it.
      end = open.occurrence(at: count)?.start
    default: break
    }
    guard let end else { return open }
    let left = open.elements.filter { $0.start < end }
    guard !left.isEmpty else { throw DraftFlaw(field, "endNotAfterStart") }
    return try refusing(field) { () throws(ScheduleError) in
      var ended: [ScheduleElement] = []
      for element in left {
        ended.append(
          try element.with(targets: element.targets, end: min(end, element.end ?? end)))
      }
      return try Schedule(ended)
    }
  }

  private func refusing<Value>(
    _ field: String = "start", _ body: () throws(ScheduleError) -> Value
  ) throws(DraftFlaw) -> Value {
    do throws(ScheduleError) { return try body() } catch { throw DraftFlaw(field, error.code) }
  }

  private func day(_ fields: FormFields, _ name: String) throws(DraftFlaw) -> String {
    guard let text = fields[name], let date = CalendarDate(text), (1900...9998).contains(date.year)
    else { throw DraftFlaw(name, "noDate") }
    return date.description
  }

  private func time(
    _ fields: FormFields, _ name: String, _ length: EventDuration
  ) throws(DraftFlaw) -> String {
    guard length != .allDay else { return "" }
    guard let text = fields[name], text.wholeMatch(of: /([01][0-9]|2[0-3]):[0-5][0-9]/) != nil
    else { throw DraftFlaw(name, "noTime") }
    return text
  }

  private func length(
    _ fields: FormFields, _ kind: ScheduleKind
  ) throws(DraftFlaw) -> EventDuration {
    guard fields["length"] != "allDay" || !kind.canBeAllDay else { return .allDay }
    return .seconds(60 * Double(try fields.whole("minutes", in: 0...525_600, default: 60)))
  }

  /// The first day with that weekday on or after a day.
  private func first(_ weekday: Int, from day: String) -> String {
    var date = day
    for _ in 0..<7 where Self.weekday(date) != weekday { date = Self.next(date) }
    return date
  }

  /// The first day with that number on or after a day.
  private func month(with number: Int, from day: String) -> String {
    var date = day
    // The longest wait is for a 31st after one.
    for _ in 0..<64 where CalendarDate(date)?.day != number { date = Self.next(date) }
    return date
  }

  private static let gregorian: Calendar = {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    return calendar
  }()

  private static func next(_ day: String) -> String {
    guard let date = Date(day, in: .gmt) else { return day }
    return (date + 86_400).day(in: .gmt)
  }

  private static func weekday(_ day: String) -> Int {
    guard let date = Date(day, in: .gmt) else { return 1 }
    return (gregorian.component(.weekday, from: date) + 5) % 7 + 1
  }

  // MARK: Writing

  /// The fields that describe a schedule; `keep` if they cannot.
  func fields(of schedule: Schedule) -> FormFields {
    var fields = described(schedule)
    let again = fields.flatMap { try? self.schedule($0, original: schedule, targets: nil) }
    if again != schedule || fields == nil {
      fields = FormFields([("every", ScheduleKind.keep.rawValue)])
    }
    return fields ?? FormFields()
  }

  private func described(_ schedule: Schedule) -> FormFields? {
    let elements = schedule.elements
    guard let first = elements.first,
      elements.allSatisfy({
        $0.timeZone == zone && $0.duration == first.duration && $0.end == first.end
          && $0.targets == first.targets
      })
    else { return nil }
    var fields = FormFields()
    let local = LocalDateTime(first.start, in: zone)
    fields["start"] = (elements.map(\.start).min() ?? first.start).day(in: zone)
    fields["time"] = Self.time(local)
    switch first.duration {
    case .allDay: fields["length"] = "allDay"
    case .seconds(let seconds):
      fields["length"] = "timed"
      fields["minutes"] = Int(exactly: seconds / 60).map(String.init)
    }
    if let end = first.end {
      if LocalDateTime(end, in: zone).description.hasSuffix("T00:00:00") {
        fields["until"] = "date"
        fields["end"] = (end - 1).day(in: zone)
      } else {
        fields["until"] = "count"
        fields["count"] = schedule.count.map(String.init)
      }
    } else {
      fields["until"] = "never"
    }
    let interval = first.interval
    let isAlike = elements.allSatisfy { $0.interval == interval }
    guard isAlike else { return nil }
    if interval == Interval(weeks: interval.weeks), interval.weeks > 0 {
      fields["every"] = ScheduleKind.weekly.rawValue
      fields["step"] = String(interval.weeks)
      fields.set("weekday", elements.map { String(Self.weekday($0.start.day(in: zone))) })
    } else if elements.count > 1 || first.text != nil {
      guard interval == Interval(days: 1), elements.count <= Self.mostTimes else { return nil }
      fields["every"] = ScheduleKind.several.rawValue
      for (place, element) in elements.enumerated() {
        fields["time\(place + 1)"] = Self.time(LocalDateTime(element.start, in: zone))
        fields["name\(place + 1)"] = element.text
      }
    } else if interval == Interval(days: interval.days) {
      fields["every"] = (interval.days == 1 ? ScheduleKind.daily : .days).rawValue
      fields["step"] = String(interval.days)
    } else if interval == Interval(hours: interval.hours) {
      fields["every"] = ScheduleKind.hours.rawValue
      fields["step"] = String(interval.hours)
    } else if interval == Interval(months: interval.months) {
      fields["every"] = ScheduleKind.monthly.rawValue
      fields["step"] = String(interval.months)
      fields["day"] = String(local.day)
    } else {
      return nil
    }
    return fields
  }

  private static func time(_ local: LocalDateTime) -> String {
    String(local.description.dropFirst(11).prefix(5))
  }
}

extension ScheduleElement {
  /// The same element with other targets and another end.
  fileprivate func with(
    targets: [TargetValue], end: Date?
  ) throws(ScheduleError) -> ScheduleElement {
    try ScheduleElement(
      start: start, end: end, interval: interval, duration: duration, targets: targets, text: text,
      timeZone: timeZone, selection: selection)
  }
}

extension ScheduleError {
  /// The rule: a key of the language files' section `flaw`.
  fileprivate var code: String {
    switch self {
    case .noElements: "noElements"
    case .intervalNotForward: "intervalNotForward"
    case .intervalTooLong: "intervalTooLong"
    case .endNotAfterStart: "endNotAfterStart"
    case .durationOutOfRange: "durationOutOfRange"
    case .dateOutOfRange: "dateOutOfRange"
    case .noSuchTime: "noTime"
    case .tooManyOccurrences: "tooManyOccurrences"
    }
  }
}
