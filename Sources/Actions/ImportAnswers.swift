import Access
package import Care
package import Foundation
package import Interchange

/// Stores the answers of another program's history: medicines that were taken, habits that were kept.
///
/// An answer goes to the event of the task that has its name, by title or id. An event that has an answer, or
/// ever had one, keeps it.
package struct ImportAnswers: Action {
  /// How far a reminder of the other program may be from the event that it is of, in seconds.
  private static let reach: TimeInterval = 6 * 3600
  /// The events of as many seconds are read at a time.
  private static let span: TimeInterval = 31 * 86_400

  /// Rows of its file.
  package var answers: [HistoryAnswer]
  /// Whose they are; `nil` for the only person of the plan.
  package var patient: String?
  /// The zone of days; `nil` for the person's own at that time.
  package var zone: TimeZone?

  /// Makes the action.
  package init(_ answers: [HistoryAnswer], patient: String?, zone: TimeZone?) {
    (self.answers, self.patient, self.zone) = (answers, patient, zone)
  }

  /// An answer, its task, and when it was due.
  private struct Placed {
    var answer: HistoryAnswer
    var task: String
    var due: HistoryTime.Span
    var at: Date?
  }

  fileprivate struct Page: Hashable {
    var task: String
    var number: Int
  }

  package func perform(
    in writer: any StoreWriter, by performer: Performer, now: Date
  ) throws -> ImportHistory.Result {
    let plan = try PlanSnapshot(writer, patient: nil)
    let sole = plan.everyone.count == 1 ? plan.everyone.first?.id : nil
    var result = ImportHistory.Result()
    guard let patient = patient ?? sole else {
      if !answers.isEmpty {
        result.skips = [HistorySkip(line: nil, reason: .ownerless, count: answers.count)]
      }
      return result
    }
    try performer.demand(.answer, on: .patient(patient))
    let tasks = try tasks(of: patient, writer)
    let zones = HistoryZones(plan, patient: patient, zone: zone)
    var nameless: [String: Int] = [:]
    var pages: [Page: [Placed]] = [:]
    for answer in answers {
      guard let named = tasks[answer.name.folded], named.count == 1, let task = named.first else {
        nameless[answer.name, default: 0] += 1
        continue
      }
      let zone = zones.zone(of: answer.due)
      guard let due = answer.due.span(in: zone) else {
        result.skips.append(
          HistorySkip(line: answer.line, reason: .skippedHour(answer.due.description)))
        continue
      }
      guard due.start <= now else {
        result.skips.append(
          HistorySkip(line: answer.line, reason: .time(answer.due.description)))
        continue
      }
      let number = (due.start.timeIntervalSince1970 / Self.span).rounded(.down)
      pages[Page(task: task, number: Int(saturating: number)), default: []].append(
        Placed(answer: answer, task: task, due: due, at: answer.at?.span(in: zone)?.start))
    }
    result.skips += nameless.sorted { $0.key < $1.key }.map {
      HistorySkip(line: nil, reason: .noTask($0.key), count: $0.value)
    }
    for (page, placed) in pages.sorted(by: { $0.key < $1.key }) {
      try store(placed, page, of: patient, into: &result, writer, performer, now)
    }
    if result.new > 0 { result.owners[patient] = result.new }
    return result
  }

  /// The ids of a person's tasks by their names.
  private func tasks(of patient: String, _ reader: any StoreReader) throws -> [String: Set<String>]
  {
    var tasks: [String: Set<String>] = [:]
    for history in try reader.histories(patient: patient) {
      for version in history.versions {
        for name in [version.id, version.title] {
          tasks[name.folded, default: []].insert(version.id)
        }
      }
    }
    return tasks
  }

  private func store(
    _ placed: [Placed], _ page: Page, of patient: String, into result: inout ImportHistory.Result,
    _ writer: any StoreWriter, _ performer: Performer, _ now: Date
  ) throws {
    let starts = placed.map(\.due.start)
    guard let first = starts.min(), let last = starts.max() else { return }
    var events = try writer.events(
      EventQuery(
        patient: patient, task: page.task, from: first - 2 * Self.reach,
        to: last + 4 * Self.reach))
    for one in placed {
      func skip(_ reason: HistorySkip.Reason) {
        result.skips.append(HistorySkip(line: one.answer.line, reason: reason))
      }
      guard let index = Self.index(of: one, in: events) else {
        skip(.noEvent(one.answer.name))
        continue
      }
      let event = events[index]
      guard event.task.planned.isDoneByTap || one.answer.state != .done else {
        skip(.asksForMore(one.answer.name))
        continue
      }
      let isEntry = event.task.planned.addsUp && one.answer.state == .done
      let at = one.at ?? (isEntry ? event.occurrence.start : nil)
      guard try !isKnown(event, at: isEntry ? at : nil, writer) else {
        result.known += 1
        continue
      }
      let state: Answer.State =
        switch one.answer.state {
        case .done: .done
        case .notDone: .notDone
        case .skipped: .skipped
        }
      do {
        events[index] = try AnswerEvent(event, answer: Answer(state: state, at: at))
          .perform(in: writer, by: performer, now: now).event
        result.new += 1
      } catch StoreError.refused {
        skip(.noEvent(one.answer.name))
      }
    }
  }

  /// Whether the event has, or had, an answer; of those that add up, the one of that time.
  private func isKnown(_ event: Event, at time: Date?, _ reader: any StoreReader) throws -> Bool {
    let versions = try reader.answers(of: event.key)
    guard let time else { return event.outcome != nil || !versions.isEmpty }
    return versions.contains { $0.outcome?.values.contains { $0.time == time } ?? false }
  }

  /// The event that an answer is of: the only one of a day, the one that lasts then, else the nearest.
  private static func index(of placed: Placed, in events: [Event]) -> Int? {
    let due = placed.due
    if case .day = placed.answer.due {
      let ofDay = events.indices.filter {
        (due.start..<due.end).contains(events[$0].occurrence.start)
      }
      return ofDay.count == 1 ? ofDay.first : nil
    }
    func distance(_ index: Int) -> TimeInterval {
      abs(events[index].occurrence.start.timeIntervalSince(due.start))
    }
    let running = events.indices.filter {
      events[$0].occurrence.start <= due.start && due.start < events[$0].occurrence.overFrom
    }
    let near = events.indices.filter { distance($0) <= reach }
    return (running.isEmpty ? near : running).min { distance($0) < distance($1) }
  }
}

extension ImportAnswers.Page: Comparable {
  static func < (a: Self, b: Self) -> Bool { (a.task, a.number) < (b.task, b.number) }
}

extension String {
  /// The name as people compare it: without capitals, and with single blanks.
  fileprivate var folded: String {
    split(whereSeparator: \.isWhitespace).joined(separator: " ").lowercased()
  }
}
