package import Care
package import Foundation
import Localization

/// A day of one person or of everyone: what is to sort out, and the tasks with their results.
package struct TodayPage {
  private let frame: Frame
  private let content: Content

  private struct Content {
    let week: WeekStrip
    let consents: Consents?
    let tray: Tray?
    let sections: [Section]
    let empty: String?
    /// Where the plan is made, for who may.
    let setup: String?
    /// That tasks are not shown, since they are due too often.
    let crowded: [String]
  }

  /// The documents that wait for an answer before their care plans begin.
  private struct Consents {
    let rows: [ConsentRow]
  }

  private struct Section {
    let heading: String
    let headingID: String
    let cards: [TaskCard]
  }

  /// Reads the day that contains `date`.
  ///
  /// - Throws: ``StoreError``.
  package init(
    _ reader: any StoreReader, viewer: Viewer, date: Date, notice: Notice?
  ) throws {
    let words = viewer.language
    let zone = viewer.timeZone
    var day = try CareDay(
      reader, patient: viewer.patient, on: date, in: zone, now: viewer.now)
    let people = try reader.patients()
    let open = try reader.consents(of: viewer.patient).filter { $0.state == .open }
    // A care plan begins with its document: nothing else of it is shown before.
    day.events.removeAll { event in
      open.contains {
        $0.carePlan.id == event.task.carePlan && $0.carePlan.patient == event.task.patient
      }
    }
    func address(_ date: Date) -> LocalAddress {
      let isToday = date.day(in: zone) == viewer.now.day(in: zone)
      return LocalAddress(
        "today",
        items: [("patient", viewer.patient), ("date", isToday ? nil : date.day(in: zone))])
    }
    let back = address(date)
    let week = words.week(around: date, in: zone)
    let around = try reader.events(
      EventQuery(
        patient: viewer.patient, from: min(week.lowerBound, day.start - Self.fortnight),
        to: max(week.upperBound, day.end), omitsCrowded: true))
    let setting = CardSetting(
      viewer: viewer, back: back.description,
      people: Dictionary(people.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first }),
      recent: Dictionary(grouping: around.filter { $0.occurrence.start < day.end }) {
        TaskReference(patient: $0.task.patient, task: $0.task.id)
      }, day: day.start, events: day.events)
    let tray = try Tray(reader, day: day, people: people, setting: setting)
    let sections = try Self.sections(day.events, reader, setting: setting)
    content = Content(
      week: WeekStrip(
        around: date, events: around, versions: try reader.taskVersions(patient: viewer.patient),
        viewer: viewer, address: { address($0).description }),
      consents: open.isEmpty
        ? nil
        : Consents(rows: open.map { ConsentRow($0, people: people, viewer: viewer) }),
      tray: tray.isEmpty ? nil : tray, sections: sections,
      empty: sections.isEmpty && open.isEmpty
        ? words.text(people.isEmpty ? "today.noPlan" : "today.nothing") : nil,
      setup: viewer.may(.plan)
        ? LocalAddress("setup", items: [("patient", viewer.patient)]).description : nil,
      crowded: day.crowded.map { words.text(of: LocalizedText(crowded: $0)) })
    frame = Frame(
      viewer: viewer, section: .today, kicker: words.weekday(date, in: zone),
      title: words.day(date, in: zone, beside: viewer.now), address: back, people: people,
      notice: try NoticeText(notice, reader, viewer: viewer, back: back))
  }

  /// The days before one whose results its cards show.
  private static let fortnight = 13.0 * 86_400

  /// The page.
  package func html(_ site: Site) -> String { site.html("today", content, frame: frame) }
}

extension Language {
  /// `5 November`, with the year if it is not that of `now`.
  fileprivate func day(_ date: Date, in timeZone: TimeZone, beside now: Date) -> String {
    LocalDateTime(date, in: timeZone).year == LocalDateTime(now, in: timeZone).year
      ? dayMonth(date, in: timeZone) : dayMonthYear(date, in: timeZone)
  }
}

// MARK: - Sections

extension TodayPage {
  /// The sections in their order: the plan's groups, the times of day, optional, read only.
  private enum Place: Hashable, Comparable {
    case group(Int)
    case morning, day, evening, optional, readOnly
  }

  private static func sections(
    _ events: [Event], _ reader: any StoreReader, setting: CardSetting
  ) throws -> [Section] {
    let words = setting.viewer.language
    let groups = groups(of: events, order: try reader.planOrder())
    var order: [TaskReference] = []
    var byTask: [TaskReference: [Event]] = [:]
    for event in events {
      let task = TaskReference(patient: event.task.patient, task: event.task.id)
      if byTask[task] == nil { order.append(task) }
      byTask[task, default: []].append(event)
    }
    var cards: [Place: [TaskCard]] = [:]
    for task in order {
      guard let events = byTask[task], let first = events.first else { continue }
      let group = first.task.group.flatMap { groups.firstIndex(of: $0) }
      let look = TaskLook(first.task.planned, eventCount: events.count, group: group)
      guard let card = try TaskCard(events, look: look, reader, setting: setting) else { continue }
      cards[place(of: first, group: group, in: setting.viewer.timeZone), default: []].append(card)
    }
    return cards.sorted { $0.key < $1.key }.enumerated().map { number, section in
      Section(
        heading: heading(section.key, groups: groups, words: words),
        headingID: "section-\(number)", cards: section.value)
    }
  }

  /// The groups of the day's tasks in the plan's order.
  private static func groups(of events: [Event], order: [TaskReference]) -> [String] {
    let places = Dictionary(
      order.enumerated().map { ($0.element, $0.offset) }, uniquingKeysWith: { first, _ in first })
    let sorted = events.enumerated().sorted { a, b in
      func place(_ event: Event) -> Int {
        places[TaskReference(patient: event.task.patient, task: event.task.id)] ?? .max
      }
      return (place(a.element), a.offset) < (place(b.element), b.offset)
    }
    var seen: Set<String> = []
    return sorted.compactMap(\.element.task.group).filter { seen.insert($0).inserted }
  }

  private static func place(of event: Event, group: Int?, in timeZone: TimeZone) -> Place {
    if event.task.kind == .readOnly { return .readOnly }
    if event.task.isOptional { return .optional }
    if let group { return .group(group) }
    if event.occurrence.isAllDay { return .day }
    switch LocalDateTime(event.occurrence.start, in: timeZone).hour {
    case ..<11: return .morning
    case ..<18: return .day
    default: return .evening
    }
  }

  private static func heading(_ place: Place, groups: [String], words: Language) -> String {
    switch place {
    case .group(let number): groups[number]
    case .morning: words.text("today.morning")
    case .day: words.text("today.throughDay")
    case .evening: words.text("today.evening")
    case .optional: words.text("today.optional")
    case .readOnly: words.text("today.readOnly")
    }
  }
}

// MARK: - Week strip

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
