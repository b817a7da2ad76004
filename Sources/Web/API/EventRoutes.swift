import Actions
import Care
import CareStore
import Foundation
import HTTPTypes
import Hummingbird
import Interchange
import Pages
import NIOCore
import StrictYAML

/// Events and their outcomes.
struct EventRoutes {
  let environment: WebEnvironment
  let responder: QueryResponder

  /// The longest span of a query.
  static let longestSpan: TimeInterval = 400 * 86_400
  /// The span of which events are in memory at a time.
  private static let part: TimeInterval = 7 * 86_400

  func add(to group: RouterGroup<WebContext>) {
    group.get("events", use: list)
    group.get("events/:event", use: one)
    group.put("events/:event/outcome", use: set)
    group.post("events/:event/outcome/values", use: append)
    group.delete("events/:event/outcome/values", use: removeLast)
    group.delete("events/:event/outcome", use: delete)
    group.post("events/:event/outcome/restoration", use: putBack)
    group.post("events/:event/snooze", use: snooze)
    group.post("events/:event/performance", use: perform)
  }

  // MARK: Reading

  @Sendable private func list(_ request: Request, _ context: WebContext) async throws -> Response {
    let items = try QueryItems(request, known: ["patient", "task", "date", "from", "to"])
    return try await responder.respondInParts(to: request, context, key: ["events"] + items.key) {
      reader, now, body in
      let patient = try items["patient"].map { try reader.patient(named: $0) }
      let span = try items.span(
        reader.zone(of: patient, at: now), now: now, longest: Self.longestSpan)
      try body.writeList("events") { body in
        // A week at a time: the events of a year are many times as long as what is said of them.
        var start = span.lowerBound
        while start < span.upperBound {
          let end = min(start + Self.part, span.upperBound)
          let events = try reader.events(
            EventQuery(patient: patient, task: items["task"], from: start, to: end, now: now)
          ).filter { event in
            event.occurrence.start >= start
              || start == span.lowerBound && event.occurrence.end > start
          }
          try body.append(events.map(EventOutput.init))
          start = end
        }
      }
    }
  }

  @Sendable private func one(_ request: Request, _ context: WebContext) async throws -> Response {
    let id = try context.parameters.require("event")
    _ = try QueryItems(request, known: [])
    return try await responder.respond(to: request, context, key: ["event", id]) { reader, now in
      try JSONText.of(EventOutput(try reader.event(id: id, now: now)))
    }
  }

  // MARK: Answers

  @Sendable private func set(_ request: Request, _ context: WebContext) async throws -> Response {
    let id = try context.parameters.require("event")
    let entry = try await JSONBody.decode(AnswerInput.self, from: request, in: context)
    let state = entry.state ?? .done
    guard state == .done || entry.values.isEmpty else {
      throw Fault(.malformed, "What was not done has no values.")
    }
    let values = try entry.values.map { try $0.entered }
    let now = environment.now()
    return try await answer(id, context) { reader, event in
      let zone = try reader.zone(of: event.task.patient, at: now)
      let at = try entry.at.map { text throws(Fault) -> Date in
        guard let date = Date(text, in: zone) else {
          throw Fault(.malformed, "‘\(text)’ of ‘at’ is no time.")
        }
        return date
      }
      return AnswerEvent(
        event, values, answer: Answer(state: state, reason: entry.reason, at: at), replaces: true)
    }
  }

  @Sendable private func append(
    _ request: Request, _ context: WebContext
  ) async throws -> Response {
    let id = try context.parameters.require("event")
    let value = try await JSONBody.decode(ValueInput.self, from: request, in: context).entered
    return try await answer(id, context) { AddValues($1, [value]) }
  }

  @Sendable private func delete(
    _ request: Request, _ context: WebContext
  ) async throws -> Response {
    let id = try context.parameters.require("event")
    return try await answer(id, context) { TakeBack($1, .wholeAnswer) }
  }

  @Sendable private func removeLast(
    _ request: Request, _ context: WebContext
  ) async throws -> Response {
    let id = try context.parameters.require("event")
    return try await answer(id, context) { TakeBack($1, .lastValue) }
  }

  @Sendable private func putBack(
    _ request: Request, _ context: WebContext
  ) async throws -> Response {
    let id = try context.parameters.require("event")
    return try await answer(id, context) { PutBack($1) }
  }

  @Sendable private func snooze(
    _ request: Request, _ context: WebContext
  ) async throws -> Response {
    let id = try context.parameters.require("event")
    let input = try await JSONBody.decode(SnoozeInput.self, from: request, in: context)
    let now = environment.now()
    let text = try await environment.store.write { writer in
      let event = try context.event(id, in: writer, now: now)
      let zone = try writer.zone(of: event.task.patient, at: now)
      let stored = try Snooze(event, until: try input.time(now: now, in: zone))
        .perform(in: writer, by: context.performer, now: now)
      return try JSONText.of(FiringOutput(stored, in: zone))
    }
    return JSONBody.response(text: text, status: .created)
  }

  @Sendable private func perform(
    _ request: Request, _ context: WebContext
  ) async throws -> Response {
    let id = try context.parameters.require("event")
    let entry = try await JSONBody.decode(PerformanceInput.self, from: request, in: context)
    let performance = entry.performance
    return try await EventChanges(environment, context).answer(id, { EventOutput($0) }) {
      PerformOnScreen($1, performance)
    }
  }

  /// Performs an action on an event and answers with the event as it is then.
  private func answer(
    _ id: String, _ context: WebContext,
    _ action: @Sendable (any StoreReader, Event) throws -> some Action<EventChange>
  ) async throws -> Response {
    try await EventChanges(environment, context).answer(id, { EventOutput($0.event) }, action)
  }
}

// MARK: - Input

/// A person's answer to an event, as JSON.
struct AnswerInput: JSONInput {
  var state: Answer.State?
  var reason: String?
  var at: String?
  var values: [ValueInput]

  init(_ node: YAMLNode) throws(YAMLError) {
    var body = try node.mapping()
    state = try body.optional("state")?.choice()
    reason = try body.optional("reason")?.scalar().text
    at = try body.optional("at")?.string()
    values = []
    for element in try body.optional("values")?.sequence() ?? [] {
      values.append(try ValueInput(element))
    }
    try body.finish(meant: ["status": "state", "value": "values"])
  }
}

/// When a reminder is to come again: in some minutes, or at a time.
private struct SnoozeInput: JSONInput {
  var minutes: Int?
  var until: String?

  init(_ node: YAMLNode) throws(YAMLError) {
    var body = try node.mapping()
    minutes = try body.optional("minutes")?.integer(in: Snooze.minutes)
    until = try body.optional("until")?.string()
    try body.finish()
    guard (minutes == nil) != (until == nil) else {
      throw node.error("give ‘minutes’ or ‘until’")
    }
  }

  func time(now: Date, in zone: TimeZone) throws(Fault) -> Date {
    if let minutes { return now + Double(minutes) * 60 }
    guard let date = until.flatMap({ Date($0, in: zone) }) else {
      throw Fault(.malformed, "‘\(until ?? "")’ of ‘until’ is no time.")
    }
    return date
  }
}

/// A value of an answer as JSON: a number, Boolean or text, with its unit and kind.
struct ValueInput: JSONInput {
  /// The value, as a person would write it.
  var text: String
  var unit: String?
  var kind: String?

  init(_ node: YAMLNode) throws(YAMLError) {
    var body = try node.mapping()
    text = try body.required("value").scalar().text
    unit = try body.optional("unit")?.scalar().text
    kind = try body.optional("kind")?.string()
    try body.finish()
  }

  var entered: EnteredValue {
    get throws(EntryRefusal) {
      EnteredValue(
        text: text,
        unit: try unit.map { name throws(EntryRefusal) in try UnitOfMeasure(entered: name) },
        kind: kind)
    }
  }
}

// MARK: - The store

/// Changes of events that the interface and the page make.
struct EventChanges {
  let environment: WebEnvironment
  let context: WebContext

  init(_ environment: WebEnvironment, _ context: WebContext) {
    self.environment = environment
    self.context = context
  }

  /// Performs an action on an event, which is read in the same transaction.
  ///
  /// - Returns: The result of the action.
  /// - Throws: ``Fault`` if there is no such event for this client; errors of the action.
  func perform<A: Action>(
    _ id: String, _ action: @Sendable (any StoreReader, Event) throws -> A
  ) async throws -> A.Result {
    let now = environment.now()
    return try await environment.store.write { writer in
      let event = try context.event(id, in: writer, now: now)
      return try action(writer, event).perform(in: writer, by: context.performer, now: now)
    }
  }

  /// Performs an action on an event and answers with what `output` says of it, in one transaction.
  ///
  /// - Throws: As ``perform(_:_:)``, and if no JSON can say it; nothing is then changed.
  func answer<A: Action>(
    _ id: String, _ output: @Sendable (A.Result) -> EventOutput,
    _ action: @Sendable (any StoreReader, Event) throws -> A
  ) async throws -> Response {
    let now = environment.now()
    let text = try await environment.store.write { writer in
      let event = try context.event(id, in: writer, now: now)
      let result = try action(writer, event).perform(in: writer, by: context.performer, now: now)
      return try JSONText.of(output(result))
    }
    return JSONBody.response(text: text)
  }
}

extension StoreReader {
  /// The id of a patient of that id.
  ///
  /// - Throws: `StoreError.unknown(_:)` with those there are.
  func patient(named id: String) throws -> String {
    let known = try patients().map(\.id)
    guard known.contains(id) else { throw StoreError.unknown(.patient(id, known: known)) }
    return id
  }

  /// The event of an id, `<uuid>_<occurrence>`, with its outcome.
  ///
  /// An event whose occurrence another version owns now is found by its start.
  ///
  /// - Throws: ``Fault`` if there is none.
  func event(id: String, now: Date) throws -> Event {
    guard let reference = EventReference(id: id) else {
      throw Fault(.unknown, "‘\(id)’ is no event.")
    }
    let uuid = reference.taskUUID
    let history = try histories(patient: nil).first { history in
      history.versions.contains { $0.uuid == uuid }
    }
    guard let history, let version = history.versions.first(where: { $0.uuid == uuid }) else {
      throw Fault(.unknown, "There is no event ‘\(id)’; its task may have been deleted.")
    }
    let owned = history.event(reference)
    let start = (owned?.occurrence ?? version.schedule.occurrence(at: reference.occurrence))?.start
    guard let start else { throw Fault(.unknown, "There is no event ‘\(id)’.") }
    let events = try events(
      EventQuery(
        patient: version.patient, task: version.id, from: start, to: start + 1, now: now))
    let found =
      events.first { $0.reference == reference }
      ?? events.first { $0.occurrence.start == start }
    guard let found else {
      throw Fault(.unknown, "There is no event ‘\(id)’ any longer: its task was changed.")
    }
    return found
  }
}

extension QueryItems {
  /// The span of `date` (a day), or of `from` and `to`; today without any.
  func span(
    _ zone: TimeZone, now: Date, longest: TimeInterval
  ) throws -> Range<Date> {
    let (date, from, to) = (
      try date("date", in: zone), try date("from", in: zone), try date("to", in: zone)
    )
    guard from != nil || to != nil else {
      return Adherence.Period.day.span(around: date ?? now, in: zone)
    }
    guard date == nil, let from, let to, from < to else {
      throw Fault(.malformed, "Give ‘date’ alone, or ‘from’ and a later ‘to’.")
    }
    guard to.timeIntervalSince(from) <= longest else {
      throw Fault(
        .malformed, "The span is too long: at most \(Int(saturating: longest / 86_400)) days.")
    }
    return from..<to
  }
}
