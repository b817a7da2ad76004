import Assessments
package import Care
import Foundation
import Localization

/// Everything on one event: what it came to, how to do it, the form for an answer, the days before.
package struct EventPage {
  private let frame: Frame
  private let content: Content

  private struct Content {
    let id: String
    let announcement: String?
    let result: EventResult?
    let answer: String?
    let stateText: String?
    let figures: TaskCard.Figures?
    let takeBack: Posting?
    let takeBackWhy: String
    /// The earlier answers, the latest last.
    let changes: Changes?
    /// Where it is measured with a person.
    let measure: String?
    let guide: Guide?
    /// Where a test on the screen is performed.
    let perform: String?
    let form: EventForm?
    let closed: String?
    let notDone: Posting?
    let skip: Posting?
    let history: History?
    let historyEmpty: String?
    let dayAddress: String
  }

  /// Where a form is posted, and where it comes back to.
  struct Posting {
    let address: String
    let back: String
  }

  private struct Guide {
    let picture: String?
    let film: Film?
    let paragraphs: String?
    let details: String?
    let fact: String?
    let links: TaskCard.Links?
  }

  private struct Changes {
    let lines: [String]
  }

  /// The days before: the answers of a survey are a table, whose head has the questions once.
  private struct History {
    let days: [Day]
    let questions: [String]
    let hasQuestions: Bool

    /// Questions that nobody answered on these days have no column.
    init(_ days: [Day], survey: [SurveyQuestion], isSurvey: Bool) {
      let answered = survey.enumerated().filter { place, _ in
        isSurvey && days.contains { $0.cells.element(place)?.isEmpty == false }
      }
      questions = answered.map { $0.element.title ?? $0.element.kind }
      hasQuestions = !questions.isEmpty
      self.days = days.map { day in
        var day = day
        day.cells = answered.compactMap { place, _ in day.cells.element(place) }
        return day
      }
    }
  }

  private struct Day {
    let day: String
    let href: String
    let text: String
    let by: String?
    /// The answers, in the order of the questions.
    var cells: [String]
  }

  /// Reads the event of an id; `nil` if there is none.
  ///
  /// `entered` are a refused form's fields, which it shows again.
  ///
  /// - Throws: ``StoreError``.
  package init?(
    _ reader: any StoreReader, viewer: Viewer, event id: String, notice: Notice?,
    entered: [String: [String]] = [:]
  ) throws {
    guard let event = try reader.event(id: id, now: viewer.now) else { return nil }
    let words = viewer.language
    let zone = viewer.timeZone
    let people = try reader.patients()
    let owner = people.first { $0.id == event.task.patient }
    let address = LocalAddress("events", event.id, items: [("patient", viewer.patient)])
    let start = event.occurrence.start
    let isToday = start.day(in: zone) == viewer.now.day(in: zone)
    let day = LocalAddress(
      "today", items: [("patient", viewer.patient), ("date", isToday ? nil : start.day(in: zone))])
    let setting = CardSetting(
      viewer: viewer, back: address.description,
      people: Dictionary(people.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first }),
      day: Adherence.Period.day.span(around: start, in: zone).lowerBound, events: [event])
    let state = event.state(at: viewer.now)
    let units = owner?.units
    let result = try EventResult(event, reader, viewer: viewer, units: units)
    let posting = { (verb: String) in
      Posting(address: setting.address(event, verb), back: address.description)
    }
    let hasOutcome = event.outcome != nil
    let isEntered =
      event.outcome.map { outcome in
        outcome.answer.state != .done || outcome.values.isEmpty
          || outcome.values.contains { [.manual, .active].contains($0.provenance) }
      } ?? false
    let isFinal =
      event.task.kind == .assessment && !event.task.isResettable
      && !(event.outcome?.values.isEmpty ?? true)
    let mayAnswer = viewer.may(.answer)
    let isOpen = state != .later && state != .readOnly && !isFinal && mayAnswer

    let refusal: Notice.Refusal? = if case .refused(let refusal) = notice { refusal } else { nil }
    let history = try Self.history(of: event, reader, setting: setting, units: units)
    let reason = event.outcome?.answer.reason
    content = Content(
      id: "event-" + TaskCard.key(event),
      announcement: result.value.map { value in
        words.text("today.say", ["title": event.task.title, "result": value.plain])
      },
      result: result.value == nil ? nil : result,
      answer: event.isDeclined
        ? words.declined(event)
        : result.value == nil ? result.provenance : reason,
      stateText: hasOutcome
        ? nil
        : words.text(
          event.task.linkages.isEmpty || state != .open ? "event.noResult" : "event.byItself"),
      figures: result.figures.isEmpty ? nil : TaskCard.Figures(figureList: result.figures),
      takeBack: isEntered && !isFinal && mayAnswer ? posting("undo") : nil,
      takeBackWhy: words.text(
        event.task.linkages.isEmpty && event.task.activeTask != nil
          ? "event.takeBackMeasured" : "event.takeBackWhy"),
      changes: try Self.changes(of: event, reader, viewer: viewer, units: units),
      measure: isOpen && mayAnswer && viewer.canMeasure && event.task.planned.isMeasurable
        ? setting.measureLink(event) : nil,
      guide: Self.guide(event, words: words, units: units),
      perform: isOpen && mayAnswer && event.task.planned.isOnScreen
        ? LocalAddress("events", event.id, "perform", items: [("patient", viewer.patient)])
          .description : nil,
      form: isOpen
        ? EventForm(
          event, posting: posting(event.task.hasMediaQuestion ? "answer" : "done"),
          setting: setting, entered: entered, refusal: refusal)
        : nil,
      closed: isOpen
        ? nil
        : words.text(
          state == .readOnly
            ? "event.readOnly"
            : isFinal ? "event.final" : state == .later ? "event.later" : "event.notYours"),
      notDone: isOpen && state != .notDone && event.task.kind != .readOnly
        ? posting("not-done") : nil,
      skip: isOpen && state != .skipped ? posting("skip") : nil,
      history: history.isEmpty
        ? nil
        : History(history, survey: event.task.survey, isSurvey: !event.task.planned.isMeasured),
      historyEmpty: history.isEmpty ? words.text("event.historyEmpty") : nil,
      dayAddress: day.description)
    frame = Frame(
      viewer: viewer, section: .today,
      kicker: Self.kicker(event, owner: people.count > 1 ? owner : nil, viewer: viewer),
      title: event.task.title, address: address,
      notice: try NoticeText(
        notice, reader, viewer: viewer, back: address))
  }

  /// The page.
  package func html(_ site: Site) -> String { site.html("event", content, frame: frame) }
}

// MARK: - Parts

extension PlannedTask {
  /// Whether sensors measure it, beside its questions.
  fileprivate var isMeasured: Bool { !linkages.isEmpty || activeTask != nil }
}

extension CareTask {
  /// Whether a picture or video answers one of its questions.
  fileprivate var hasMediaQuestion: Bool { planned.survey.contains { $0.type.mediaKind != nil } }
}

extension EventPage {
  /// How many days before the event its history covers.
  private static let historyDays = 10.0

  private static func kicker(_ event: Event, owner: Patient?, viewer: Viewer) -> String {
    let words = viewer.language
    let zone = viewer.timeZone
    let occurrence = event.occurrence
    let day = words.weekdayDayMonth(occurrence.start, in: zone)
    let text =
      occurrence.isAllDay
      ? words.text("event.kickerDay", ["day": day])
      : words.text(
        "event.kickerTime",
        [
          "day": day, "from": words.time(occurrence.start, in: zone),
          "to": words.time(occurrence.end, in: zone),
        ])
    return owner.map { words.fullName(of: $0) + " · " + text } ?? text
  }

  private static func guide(
    _ event: Event, words: Language, units: PreferredUnits?
  ) -> Guide? {
    let task = event.task.planned
    let facts = [
      event.occurrence.element.text ?? task.text,
      event.targetText(words, for: units, isGrouped: true),
    ].compactMap(\.self)
    let links = TaskLink.all(of: task, words)
    let guide = Guide(
      picture: task.picture, film: Film(of: task, words), paragraphs: task.instructions,
      details: task.details.map { Markdown($0).html },
      fact: facts.isEmpty ? nil : facts.joined(separator: " · "),
      links: links.isEmpty ? nil : TaskCard.Links(linkList: links))
    let isEmpty =
      guide.picture == nil && guide.film == nil && guide.paragraphs == nil && guide.details == nil
      && guide.fact == nil
      && links.isEmpty
    return isEmpty ? nil : guide
  }

  /// The answers that it had before, and when each was taken back; `nil` without any.
  private static func changes(
    of event: Event, _ reader: any StoreReader, viewer: Viewer, units: PreferredUnits?
  ) throws -> Changes? {
    let words = viewer.language
    let lines = try reader.answers(of: event.key).dropLast().suffix(20).map { version in
      var earlier = event
      earlier.outcome = version.outcome
      let result = try EventResult(earlier, reader, viewer: viewer, units: units)
      let what =
        version.outcome == nil
        ? words.text("event.takenBack")
        : earlier.isDeclined
          ? words.declined(earlier) : result.value?.plain ?? result.provenance ?? ""
      let time = words.time(version.date, relativeTo: event.occurrence.start, in: viewer.timeZone)
      return words.text("event.change", ["time": time, "what": what])
    }
    return lines.isEmpty ? nil : Changes(lines: lines)
  }

  /// The results of the task on the days before, the latest first.
  private static func history(
    of event: Event, _ reader: any StoreReader, setting: CardSetting, units: PreferredUnits?
  ) throws -> [Day] {
    let viewer = setting.viewer
    let words = viewer.language
    let start = event.occurrence.start
    let events = try reader.events(
      EventQuery(
        patient: event.task.patient, task: event.task.id, from: start - historyDays * 86_400,
        to: start))
    return try events.filter { $0.key != event.key && $0.occurrence.start < start }
      .suffix(60).reversed().map { earlier in
        let result = try EventResult(earlier, reader, viewer: viewer, units: units)
        let state = earlier.state(at: viewer.now)
        let reason = earlier.outcome?.answer.reason
        let text = result.value?.plain ?? words.name(of: state)
        let by = [result.says, reason ?? result.provenance].compactMap(\.self)
          .filter { !$0.isEmpty }
        let time =
          earlier.occurrence.isAllDay
          ? nil : words.time(earlier.occurrence.start, in: viewer.timeZone)
        return Day(
          day: [words.weekdayDayMonth(earlier.occurrence.start, in: viewer.timeZone), time]
            .compactMap(\.self).joined(separator: " "),
          href: setting.link(earlier), text: text,
          by: by.isEmpty ? nil : by.joined(separator: " · "),
          cells: event.task.survey.map { question in
            words.list(
              (earlier.outcome?.values ?? []).filter { $0.kind == question.kind }
                .compactMap { words.answer($0) })
          })
      }
  }
}
