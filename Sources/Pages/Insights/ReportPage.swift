package import Care
package import Foundation
import Localization

/// A printable report of a period: adherence, each quantity with a chart and a table, answers.
package struct ReportPage {
  private let frame: Frame
  private let content: Content

  private struct Content {
    let born: String?
    let made: String
    let address: String
    let patient: String?
    let from: String
    let to: String
    let tasks: [TaskRow]
    let hasTasks: Bool
    let heat: String
    let quantities: [QuantityPart]
    let answers: [AnswerRow]
    let hasAnswers: Bool
    let more: String?
    let isEmpty: Bool
    let limit: String?
    let waiting: String?
    let summary: ReportSummary
    let findings: [FindingCard]
    let hasFindings: Bool
    let surveys: [SurveyPart]
    let hasSurveys: Bool
  }

  private struct TaskRow {
    let title: String
    let part: String
    /// How many of those that were performed reached their goal; `–` without one.
    let reached: String
    let done: String
    let days: String
  }

  private struct QuantityPart {
    let title: String
    let key: String
    let chart: String
  }

  /// The longest period, in days.
  private static let longest = 366
  /// How many answers are listed.
  private static let answerLimit = 300

  /// Reads the report on the viewer's person; without one, on the only person or the first.
  ///
  /// - Parameters:
  ///   - reader: The store.
  ///   - viewer: Who reads it.
  ///   - from: An instant of the first day; `nil` for thirty days before the last.
  ///   - to: An instant of the last day; `nil` for today. A period is at most 366 days long; the
  ///     two may be swapped.
  /// - Throws: ``StoreError``.
  package init(
    _ reader: any StoreReader, viewer: Viewer, from: Date? = nil, to: Date? = nil
  ) throws {
    let words = viewer.language
    let zone = viewer.timeZone
    let people = try reader.patients()
    let person = people.first { $0.id == viewer.patient } ?? people.first
    let days = Self.days(from: from, to: to, now: viewer.now, in: zone)
    let address = LocalAddress(
      "report",
      items: [
        ("patient", person?.id ?? viewer.patient), ("from", days.start.day(in: zone)),
        ("to", (days.end - 1).day(in: zone)),
      ])
    var frameViewer = viewer
    frameViewer.patient = person?.id ?? viewer.patient
    frame = Frame(
      viewer: frameViewer, section: .connect, kicker: words.reportSpan(of: days),
      title: words.text("report.title", ["name": person.map(words.fullName(of:)) ?? ""]),
      address: address,
      people: people)
    var samples = ReportSamples(of: days)
    var said = ReportAnswers(days: days, viewer: viewer)
    let facts = try InsightFacts(
      reader, patient: person?.id ?? "", days: days, findingDays: days.count, now: viewer.now,
      eachSample: { samples.add($0) }, eachEvent: { said.add($0) })
    let cards = InsightCards(facts: facts, viewer: viewer, units: person?.units)
    let (answers, surveys) = (said.latestFirst, said.surveysLatestFirst)
    let tasks = facts.tasks.compactMap { Self.row($0, facts, words) }
    let quantities = Self.quantities(facts, person?.units, words)
    let findings = cards.findings
    content = Content(
      born: person?.birthday.map {
        words.text("report.born", ["date": words.date($0)])
      },
      made: words.text(
        "report.made",
        [
          "date": words.dayMonthYear(viewer.now, in: zone),
          "time": words.time(viewer.now, in: zone), "zone": zone.identifier,
        ]), address: "/report", patient: person?.id, from: days.start.day(in: zone),
      to: (days.end - 1).day(in: zone), tasks: tasks, hasTasks: !tasks.isEmpty,
      heat: cards.heatChart, quantities: quantities,
      answers: Array(answers.prefix(Self.answerLimit)), hasAnswers: !answers.isEmpty,
      more: answers.count > Self.answerLimit
        ? words.text("report.more", ["count": String(Self.answerLimit)]) : nil,
      isEmpty: tasks.isEmpty && quantities.isEmpty,
      limit: facts.isLimited ? words.text("insights.limited") : nil,
      waiting: facts.waiting.sentence(in: words),
      summary: try ReportSummary(
        reader, person: person, facts: facts, samples: samples, viewer: viewer),
      findings: findings, hasFindings: !findings.isEmpty,
      surveys: surveys, hasSurveys: !surveys.isEmpty)
  }

  /// The page.
  package func html(_ site: Site) -> String { site.html("report", content, frame: frame) }

  private static func days(from: Date?, to: Date?, now: Date, in zone: TimeZone) -> DayGrid {
    if let first = from, let to, to < first { return days(from: to, to: first, now: now, in: zone) }
    let last = min(to ?? now, now)
    guard let from, from <= last else { return DayGrid(endingOn: last, count: 30, in: zone) }
    let days = DayGrid(endingOn: last, count: longest, in: zone)
    let place = days.place(of: from) ?? 0
    return DayGrid(endingOn: last, count: days.count - place, in: zone)
  }

  private static func row(
    _ task: TaskDays, _ facts: InsightFacts, _ words: Language
  ) -> TaskRow? {
    let days = facts.shown.filter { task.fractions[$0] != nil }
    guard !days.isEmpty, let part = task.adherence(facts.shown) else { return nil }
    let done = days.count { task.fraction($0) ?? 0 >= 1 }
    let performed = days.reduce(0) { $0 + (task.results[$1]?.performed ?? 0) }
    let reached = days.reduce(0) { $0 + (task.results[$1]?.reached ?? 0) }
    let hasGoal = task.task.schedule.elements.contains { !$0.targets.isEmpty }
    let isAsNeeded = task.task.isOptional
    return TaskRow(
      title: task.task.title, part: isAsNeeded ? words.text("report.asNeeded") : part.percent,
      reached: hasGoal
        ? words.text("report.of", ["part": String(reached), "whole": String(performed)]) : "–",
      done: String(done), days: isAsNeeded ? "–" : String(days.count))
  }

  private static func quantities(
    _ facts: InsightFacts, _ units: PreferredUnits?, _ words: Language
  ) -> [QuantityPart] {
    facts.measured.compactMap { measured in
      let shown = measured.values.summaries.filter { facts.shown.contains($0.key) }
      guard !shown.isEmpty else { return nil }
      let figure = QuantityFigure(
        measurand: measured.measurand, measure: Measure(measured.quantity, for: units, in: words),
        words: words, days: facts.days,
        summaries: Dictionary(
          uniqueKeysWithValues: shown.map { ($0.key - facts.offset, $0.value) }),
        limits: facts.limits)
      return QuantityPart(
        title: words.title(of: measured.measurand), key: figure.key, chart: figure.drawings)
    }
  }
}

// MARK: - Answers

/// A reason that a person gave.
private struct AnswerRow {
  let day: String
  let task: String
  let words: String
  let reason: String?
}

/// The answers to a task's questions, a day a row.
private struct SurveyPart {
  let title: String
  let questions: [String]
  var rows: [SurveyRow]
}

private struct SurveyRow {
  let day: String
  let cells: [String]
}

/// The facts that a report takes of the events of its days while they are read once.
private struct ReportAnswers {
  let days: DayGrid
  let viewer: Viewer
  private var rows: [AnswerRow] = []
  private var surveys: [SurveyPart] = []

  init(days: DayGrid, viewer: Viewer) {
    self.days = days
    self.viewer = viewer
  }

  /// The reasons that a person gave.
  var latestFirst: [AnswerRow] { rows.reversed() }

  /// The answers to questions by task.
  var surveysLatestFirst: [SurveyPart] {
    surveys.reversed().map { part in
      SurveyPart(title: part.title, questions: part.questions, rows: part.rows.reversed())
    }
  }

  mutating func add(_ event: Event) {
    let words = viewer.language
    guard let outcome = event.outcome, days.place(of: event.occurrence.start) != nil else { return }
    let said: String
    switch outcome.answer.state {
    case .done: said = "report.done"
    case .notDone: said = "report.notDone"
    case .skipped: said = "report.skipped"
    }
    if outcome.answer.state != .done || outcome.answer.reason != nil {
      rows.append(
        AnswerRow(
          day: words.weekdayDayMonth(event.occurrence.start, in: viewer.timeZone),
          task: event.task.title, words: words.text(said), reason: outcome.answer.reason))
    }
    let cells = event.task.survey.map { question in
      words.list(
        outcome.values.filter { $0.kind == question.kind }.compactMap { words.answer($0) })
    }
    guard cells.contains(where: { !$0.isEmpty }) else { return }
    // A task whose questions changed has a table for each version of them.
    let part = SurveyPart(
      title: event.task.title, questions: event.task.survey.map { $0.title ?? $0.kind }, rows: [])
    let place = surveys.firstIndex { $0.title == part.title && $0.questions == part.questions }
    if place == nil { surveys.append(part) }
    surveys[place ?? surveys.count - 1].rows.append(
      SurveyRow(day: words.shortDay(event.occurrence.start, in: viewer.timeZone), cells: cells))
  }
}

extension Language {
  /// An answer as a person reads it; `nil` for bytes.
  func answer(_ value: OutcomeValue) -> String? {
    switch value.value {
    case .integer, .double:
      let number = (value.value.number ?? 0).grouped(digits: 2)
      return figure(value.unit.map { $0.text(number) } ?? number)
    case .boolean(let isTrue): return text(isTrue ? "report.yes" : "report.no")
    case .text(let text): return text
    case .date(let date): return date.day(in: .gmt)
    case .binary: return nil
    case .attachment(let attachment): return fileText(attachment)
    }
  }
}

extension Language {
  /// The first and last day with their years: a report is read later.
  fileprivate func reportSpan(of days: DayGrid) -> String {
    text(
      "date.span",
      [
        "from": dayMonthYear(days.start, in: days.timeZone),
        "to": dayMonthYear(days.end - 1, in: days.timeZone),
      ])
  }

  /// `3 March 1952`.
  fileprivate func date(_ date: CalendarDate) -> String {
    text(
      "date.dayMonthYear",
      [
        "day": String(date.day), "month": text("date.month.\(date.month)"),
        "year": String(date.year),
      ])
  }
}
