package import Foundation

/// Which steps of an element are occurrences: what is left out keeps its number, so that no other
/// occurrence is counted anew when a day is left out.
public struct StepSelection: Hashable, Sendable {
  /// Days on which nothing occurs.
  public var except: [CalendarDate]
  /// If given, only this weekday of a month.
  public var weekday: WeekdayOfMonth?
  /// If given, only the last day of a month, every so many months.
  public var lastDay: Int?
  /// If given, only the first days of each cycle.
  public var cycle: Cycle?
  /// Spans of days in which nothing occurs.
  public var pauses: [Pause]
  /// The day from which cycles and months are counted; `nil` for that of the element's start.
  public var anchor: CalendarDate?

  /// The first, second, … or last day of a month that is the weekday of the element's start.
  public struct WeekdayOfMonth: Hashable, Sendable, Codable {
    /// Which of them, from 1; -1 is the last, -2 the one before.
    public var nth: Int
    /// Every how many months.
    public var months: Int

    /// Makes a choice.
    public init(nth: Int, months: Int = 1) {
      self.nth = nth
      self.months = months
    }
  }

  /// Days with and days without occurrences, in turn.
  public struct Cycle: Hashable, Sendable, Codable {
    /// How many days have occurrences.
    public var on: Int
    /// How many days have none.
    public var off: Int

    /// Makes a cycle.
    public init(on: Int, off: Int) {
      self.on = on
      self.off = off
    }
  }

  /// Days on which a person is excused.
  public struct Pause: Hashable, Sendable, Codable {
    /// The first day.
    public var from: CalendarDate
    /// The first day after it; `nil` until it is ended.
    public var to: CalendarDate?
    /// Why.
    public var reason: String?

    /// Makes a pause.
    public init(from: CalendarDate, to: CalendarDate? = nil, reason: String? = nil) {
      self.from = from
      self.to = to
      self.reason = reason
    }

    func contains(_ day: CalendarDate) -> Bool {
      from <= day && to.map { day < $0 } ?? true
    }
  }

  /// Makes a selection; every step without any.
  public init(
    except: [CalendarDate] = [], weekday: WeekdayOfMonth? = nil, lastDay: Int? = nil,
    cycle: Cycle? = nil, pauses: [Pause] = [], anchor: CalendarDate? = nil
  ) {
    self.except = except
    self.weekday = weekday
    self.lastDay = lastDay
    self.cycle = cycle
    self.pauses = pauses
    self.anchor = anchor
  }

  /// The same selection without the days of pauses.
  package func pausing(_ pauses: [Pause]) -> StepSelection {
    var selection = self
    selection.pauses += pauses.filter { !selection.pauses.contains($0) }
    return selection
  }

  /// The selection of an element's later part, which counts from the whole's first day.
  func anchored(_ day: CalendarDate) -> StepSelection {
    var selection = self
    if weekday != nil || lastDay != nil || cycle != nil { selection.anchor = anchor ?? day }
    return selection
  }
}

extension CalendarDate {
  /// The local day of an instant.
  package init(_ date: Date, in timeZone: TimeZone) {
    let local = LocalDateTime(date, in: timeZone)
    self.init(year: local.year, month: local.month, day: local.day)
  }

  /// The day of the week, 0 (Monday) to 6 (Sunday).
  package var weekday: Int { Int((number + 3).flooredDivision(by: 7).remainder) }

  /// The day so many days later.
  package func adding(days: Int) -> CalendarDate {
    CalendarDate(
      Date(timeIntervalSince1970: Double(number + Int64(days)) * 86_400), in: .gmt)
  }

  /// Days since 1970-01-01.
  fileprivate var number: Int64 {
    (LocalDateTime(year: year, month: month, day: day).secondsSince1970 ?? 0)
      .flooredDivision(by: 86_400).quotient
  }

  /// How many days its month has.
  fileprivate var daysInMonth: Int {
    let next =
      month == 12
      ? CalendarDate(year: year + 1, month: 1, day: 1)
      : CalendarDate(year: year, month: month + 1, day: 1)
    return Int(next.number - CalendarDate(year: year, month: month, day: 1).number)
  }

  /// Its month, counted from the year 0.
  fileprivate var monthNumber: Int { year * 12 + month - 1 }
}

extension ScheduleElement {
  /// Whether a step that starts then is no occurrence.
  ///
  /// - Parameters:
  ///   - start: The start of a step.
  ///   - isCounting: Whether exceptions and pauses count, as they do for a number of occurrences.
  /// - Returns: Whether it is none.
  func leavesOut(_ start: Date, forCounting isCounting: Bool = false) -> Bool {
    guard selection != StepSelection() else { return false }
    let day = CalendarDate(start, in: timeZone)
    let first = selection.anchor ?? CalendarDate(self.start, in: timeZone)
    if let weekday = selection.weekday {
      let place =
        weekday.nth > 0 ? (day.day - 1) / 7 + 1 : -((day.daysInMonth - day.day) / 7 + 1)
      let months = day.monthNumber - first.monthNumber
      guard place == weekday.nth, months % max(1, weekday.months) == 0 else { return true }
    }
    if let months = selection.lastDay {
      guard day.day == day.daysInMonth,
        (day.monthNumber - first.monthNumber) % max(1, months) == 0
      else { return true }
    }
    if let cycle = selection.cycle {
      let length = Int64(max(1, cycle.on + cycle.off))
      guard (day.number - first.number) % length < Int64(cycle.on) else { return true }
    }
    guard !isCounting else { return false }
    return selection.except.contains(day) || selection.pauses.contains { $0.contains(day) }
  }
}

// MARK: - Coding

/// Each key is coded only if it is used.
extension StepSelection: Codable {
  private enum CodingKeys: String, CodingKey {
    case except, weekday, lastDay, cycle, pauses, anchor
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      except: try container.decodeIfPresent([CalendarDate].self, forKey: .except) ?? [],
      weekday: try container.decodeIfPresent(WeekdayOfMonth.self, forKey: .weekday),
      lastDay: try container.decodeIfPresent(Int.self, forKey: .lastDay),
      cycle: try container.decodeIfPresent(Cycle.self, forKey: .cycle),
      pauses: try container.decodeIfPresent([Pause].self, forKey: .pauses) ?? [],
      anchor: try container.decodeIfPresent(CalendarDate.self, forKey: .anchor))
    guard isPossible else {
      throw DecodingError.dataCorrupted(
        DecodingError.Context(
          codingPath: container.codingPath, debugDescription: "no selection of days"))
    }
  }

  /// Whether its numbers are those that a plan can have: what a file says may be anything.
  private var isPossible: Bool {
    let months = [weekday?.months, lastDay].compactMap(\.self)
    let days = [cycle?.on, cycle?.off].compactMap(\.self)
    return months.allSatisfy((1...100_000).contains) && days.allSatisfy((1...3_660).contains)
      && weekday.map { $0.nth != 0 && (-5...5).contains($0.nth) } ?? true
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encodeIfNotEmpty(except, forKey: .except)
    try container.encodeIfPresent(weekday, forKey: .weekday)
    try container.encodeIfPresent(lastDay, forKey: .lastDay)
    try container.encodeIfPresent(cycle, forKey: .cycle)
    try container.encodeIfNotEmpty(pauses, forKey: .pauses)
    try container.encodeIfPresent(anchor, forKey: .anchor)
  }
}
