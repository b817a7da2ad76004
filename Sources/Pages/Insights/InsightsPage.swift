package import Care
package import Foundation
import Localization

/// A page of findings, a comparison of the span with the one before, and charts.
package struct InsightsPage {
  private let frame: Frame
  private let content: Content

  private struct Content {
    let tabs: [Tab]
    let earlier: String
    let later: String?
    let findings: [FindingCard]
    let findingSpan: String
    let comparisonTitle: String
    let comparison: [ComparisonRow]
    let hasComparison: Bool
    let charts: [ChartCard]
    let messages: [MessageRow]
    let hasMessages: Bool
    let connect: String
    let report: String
    let isEmpty: Bool
    let isLimited: Bool
    let waiting: String?
  }

  /// The fewest days among which findings are looked for: eight weeks.
  private static let findingDays = 56

  /// Reads the page of the viewer's person; without one, of the only person or the first.
  ///
  /// - Parameters:
  ///   - reader: The store.
  ///   - viewer: Who looks at it.
  ///   - span: How much of the past.
  ///   - date: An instant of the last day; `nil` for today.
  ///   - notice: A message about the latest action.
  /// - Throws: ``StoreError``.
  package init(
    _ reader: any StoreReader, viewer: Viewer, span: PageSpan = .month, date: Date? = nil,
    notice: Notice? = nil
  ) throws {
    let words = viewer.language
    let people = try reader.patients()
    let person = people.first { $0.id == viewer.patient } ?? people.first
    let days = DayGrid(
      endingOn: min(date ?? viewer.now, viewer.now), count: span.dayCount, in: viewer.timeZone)
    let isLatest = days.end > viewer.now
    let today = LocalAddress(
      "insights", items: [("patient", person?.id ?? viewer.patient), ("span", span.rawValue)])
    let address = isLatest ? today : today.setting("date", (days.end - 1).day(in: days.timeZone))
    var frameViewer = viewer
    frameViewer.patient = person?.id ?? viewer.patient
    frame = Frame(
      viewer: frameViewer, section: .insights, kicker: words.spanTitle(of: days, viewer),
      title: words.text("nav.insights"), address: address, people: people,
      notice: try NoticeText(notice, reader, viewer: viewer, back: address))
    let facts = try InsightFacts(
      reader, patient: person?.id ?? "", days: days, findingDays: Self.findingDays,
      now: viewer.now)
    let cards = InsightCards(facts: facts, viewer: viewer, units: person?.units)
    let step = (days.start - 1).day(in: days.timeZone)
    let following = DayGrid(
      endingOn: days.end + Double(span.dayCount) * 86_400 - 1, count: 1, in: days.timeZone)
    let comparison = cards.comparison
    let messages = try MessageRow.latest(
      reader, patient: person?.id ?? "", people: people, limit: 3, viewer)
    content = Content(
      tabs: Tab.all(span, at: address, words),
      earlier: today.setting("date", step).description,
      later: isLatest
        ? nil
        : today.setting("date", min(following.start, viewer.now).day(in: days.timeZone))
          .description,
      findings: cards.findings,
      findingSpan: words.text(
        "insights.findingSpan", ["days": String(facts.all.count)]),
      comparisonTitle: words.text("insights.comparison." + span.rawValue),
      comparison: comparison, hasComparison: !comparison.isEmpty, charts: cards.charts,
      messages: messages, hasMessages: !messages.isEmpty,
      connect: LocalAddress("connect", items: [("patient", person?.id)]).description,
      report: LocalAddress(
        "report",
        items: [
          ("patient", person?.id), ("from", days.start.day(in: days.timeZone)),
          ("to", (days.end - 1).day(in: days.timeZone)),
        ]
      ).description, isEmpty: facts.isEmpty, isLimited: facts.isLimited,
      waiting: facts.waiting.sentence(in: words))
  }

  /// The page.
  package func html(_ site: Site) -> String { site.html("insights", content, frame: frame) }
}

extension Language {
  /// The first and last day: `9 September to 5 November`.
  func spanTitle(of days: DayGrid, _ viewer: Viewer) -> String {
    text(
      "date.span",
      [
        "from": dayMonthOrYear(days.start, viewer), "to": dayMonthOrYear(days.end - 1, viewer),
      ])
  }
}

// MARK: - Facts

/// The data that the page of insights reads from the store.
struct InsightFacts {
  /// The days that are shown.
  let days: DayGrid
  /// The days before them, as many, and those: what is compared and searched.
  let all: DayGrid
  /// The tasks on all of these days.
  let tasks: [TaskDays]
  /// The measurands of the person, on all of these days.
  let measured: [MeasuredDays]
  /// The fewest days that are read.
  let findingDays: Int
  /// The readings of the shown days that are nobody's yet.
  let waiting: WaitingReadings

  /// The goals and thresholds that held at the end of the days.
  var limits: ChartLimits { ChartLimits(tasks: tasks.map(\.task.planned), now: days.end - 1) }
  /// Where the shown days begin among all.
  var offset: Int { all.count - days.count }
  /// The places of the shown days.
  var shown: Range<Int> { offset..<all.count }
  /// The places of the days before them.
  var before: Range<Int> { (offset - days.count)..<offset }

  /// Reads the facts; whoever needs more of the samples and events takes it while they are read.
  ///
  /// - Throws: ``StoreError``.
  init(
    _ reader: any StoreReader, patient: String, days: DayGrid, findingDays: Int, now: Date,
    eachSample: (Sample) -> Void = { _ in }, eachEvent: (Event) -> Void = { _ in }
  ) throws {
    self.days = days
    self.findingDays = findingDays
    let count = max(2 * days.count, findingDays)
    let all = DayGrid(endingOn: days.end - 1, count: count, in: days.timeZone)
    self.all = all
    waiting = try WaitingReadings(reader, on: days)
    tasks = try TaskDays.all(reader, patient: patient, on: all, now: now, each: eachEvent)
    let known = Set(try reader.quantities(of: .patient(patient)))
    measured = try Quantity.all.filter { $0.saysSomething && known.contains($0) }.flatMap {
      try DailyValues.all(reader, patient: patient, quantity: $0, on: all, each: eachSample)
    }
  }

  /// Whether there is nothing to show.
  var isEmpty: Bool { tasks.isEmpty && measured.isEmpty }
  /// Whether there is more than was read.
  var isLimited: Bool { measured.contains { $0.values.beginning != nil } }

  /// The findings.
  var findings: [Finding] {
    Finding.recent(measured) + Finding.contrasts(tasks, measured)
      + Finding.trends(measured) + Finding.missedTimes(tasks)
  }
}
