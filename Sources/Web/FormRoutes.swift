import Assessments
import Care
import CareStore
import Foundation
import HTTPTypes
import Hummingbird
import Pages

/// The forms of the pages: each changes the store and returns to the page, which says what happened.
struct FormRoutes {
  let environment: WebEnvironment
  let site: Site

  func add(to router: Router<WebContext>) {
    event(router, "done") { try done($0, files: [:], $1, $2, now: $3) }
    router.post("events/:event/answer", use: answer)
    event(router, "not-done") { form, writer, event, now in
      _ = try writer.setOutcome(
        [], answer: Answer(state: .notDone, reason: form["reason"]), of: event.reference, now: now)
      return .answered(event.id)
    }
    event(router, "undo") { _, writer, event, now in
      _ = try writer.deleteOutcome(of: event.reference, now: now)
      return .undone(event.id)
    }
    event(router, "add") { form, writer, event, now in
      let entered = form.answers(to: event.task.planned)
      let answers = entered.isEmpty ? [EnteredAnswer(text: "true")] : entered
      for answer in answers {
        let current = try writer.event(id: event.id, now: now)
        let value = try environment.outcomeValue(answer, event.task.planned, now)
        _ = try writer.append(value, to: current, now: now)
      }
      return .added(event.id)
    }
    event(router, "remove") { _, writer, event, now in
      let entered = event.outcome?.values.filter { $0.provenance == .manual } ?? []
      guard entered.count > 1, let last = entered.max(by: { $0.time < $1.time }),
        let place = entered.lastIndex(of: last)
      else {
        _ = try writer.deleteOutcome(of: event.reference, now: now)
        return .undone(event.id)
      }
      var rest = entered
      rest.remove(at: place)
      _ = try writer.setOutcome(
        rest, answer: event.outcome?.answer ?? .done, of: event.reference, now: now)
      return .removed(event.id)
    }
    sample(router, "assign") { form, number, changes in
      let patient = form["patient"]
      guard (patient == nil) == (form["nobody"] != nil) else {
        throw Fault(.malformed, "The form names nobody.")
      }
      _ = try await changes.change(number, reason: form["reason"]) { reader in
        try patient.map { .assign(patient: try reader.patient(named: $0)) } ?? .disown
      }
      return .assigned(number, patient: patient)
    }
    sample(router, "unassign") { form, number, changes in
      _ = try await changes.change(number, reason: form["reason"]) { _ in .unassign }
      return .unassigned(number)
    }
    sample(router, "delete") { form, number, changes in
      _ = try await changes.change(number, reason: form["reason"]) { _ in .delete }
      return .deleted(number)
    }
    sample(router, "restore") { form, number, changes in
      _ = try await changes.change(number, reason: form["reason"]) { _ in .restore }
      return .restored(number)
    }
    sample(router, "correct") { form, number, changes in
      guard let text = form["value"], let measure = try? EnteredMeasure(text) else {
        return .refused("notANumber", field: "value")
      }
      _ = try await changes.correct(
        number, value: measure.number, unit: measure.unit?.code ?? form["unit"],
        reason: form["reason"])
      return .corrected(number)
    }
    router.post("firings/:firing/undo", use: undoFiring)
    router.post("messages", use: message)
    router.post("language", use: language)
  }

  // MARK: Events and samples

  /// Says that an event is done, with what a form says and the files that came with it.
  private func done(
    _ form: FormBody, files: [String: AttachmentFile], _ writer: any StoreWriter, _ event: Event,
    now: Date
  ) throws -> Notice {
    let zone = try writer.zone()
    let at = try form["at"].map { text throws(StoreError) -> Date in
      guard let date = Date(text, in: zone) ?? Self.time(text, on: event, in: zone) else {
        throw StoreError.refused(
          .answer(.wrongType(expected: .time), question: "at", task: event.task.id))
      }
      return date
    }
    let answers = form.answers(to: event.task.planned)
    if answers.isEmpty, files.isEmpty, form.asksForValues,
      event.task.survey.allSatisfy({ !$0.isOptional })
    {
      return .refused("missing", field: event.task.survey.first?.kind ?? "value")
    }
    var values = try answers.map {
      try environment.outcomeValue($0, event.task.planned, at ?? now)
    }
    // What was logged one by one stays when the whole is done.
    if answers.isEmpty, event.task.linkages.isEmpty {
      values = event.outcome?.values.filter { $0.provenance == .manual } ?? []
    }
    // A picture stays until another one is sent: no form can show it as chosen.
    values.removeAll { if case .attachment = $0.value { true } else { false } }
    values += event.attachments(except: files.keys)
    values += try files.values(storedIn: writer, at: at ?? now)
    _ = try writer.setOutcome(
      values, answer: Answer(state: .done, reason: form["reason"], at: at), of: event.reference,
      now: now)
    return .answered(event.id)
  }

  /// Answers an event with a form that may have files.
  @Sendable private func answer(
    _ request: Request, _ context: WebContext
  ) async throws -> Response {
    let id = try context.parameters.require("event")
    let changes = EventChanges(environment, context)
    let task = try await changes.task(ofEvent: id)
    let sent: AttachmentUpload.SentForm
    do {
      sent = try await environment.uploads.using {
        try await AttachmentUpload(environment: environment, context: context)
          .form(request, for: task, checksToken: true)
      }
    } catch let refusal as RefusedFile {
      context.note.fail()
      return PageRoutes.redirect(
        to: Self.address(refusal.back, .refused(refusal.error, field: refusal.kind)))
    }
    return try await answer(sent.fields, context) {
      try await changes.change(id) { writer, event, now in
        try done(sent.fields, files: sent.files, writer, event, now: now)
      }
    }
  }

  private func event(
    _ router: Router<WebContext>, _ name: String,
    _ body: @escaping @Sendable (FormBody, any StoreWriter, Event, Date) throws -> Notice
  ) {
    router.post(RouterPath("events/:event/" + name)) { request, context in
      let id = try context.parameters.require("event")
      let form = try await FormBody(request, context)
      return try await answer(form, context) {
        try await EventChanges(environment, context).change(id) { writer, event, now in
          try body(form, writer, event, now)
        }
      }
    }
  }

  private func sample(
    _ router: Router<WebContext>, _ name: String,
    _ body: @escaping @Sendable (FormBody, Int64, SampleChanges) async throws -> Notice
  ) {
    router.post(RouterPath("samples/:sample/" + name)) { request, context in
      let form = try await FormBody(request, context)
      let number = try SampleRoutes.number(context)
      return try await answer(form, context) {
        try await body(form, number, SampleChanges(environment, context))
      }
    }
  }

  /// Returns to the form's page with what happened, or with the reason why nothing did.
  private func answer(
    _ form: FormBody, _ context: WebContext, _ body: () async throws -> Notice
  ) async throws -> Response {
    let notice: Notice
    do {
      notice = try await body()
    } catch let error as AccessDenied {
      throw error
    } catch let error as StoreError {
      notice = Notice(error)
    } catch let fault as Fault {
      notice = .refused(fault.kind == .unknown ? "unknown" : "other")
    } catch {
      let fault = environment.fault(error)
      guard fault.kind != .failed else { throw fault }
      notice = .refused(fault.kind == .malformed ? "notANumber" : "wrongType", field: "value")
    }
    if case .refused = notice { context.note.fail() }
    return PageRoutes.redirect(to: Self.address(form.back, notice))
  }

  /// The page with what happened; what an earlier notice said goes.
  static func address(_ page: String, _ notice: Notice) -> String {
    let parts = page.split(separator: "#").first.map(String.init) ?? page
    let sides = parts.split(separator: "?", maxSplits: 1).map(String.init)
    let kept = (sides.dropFirst().first ?? "").split(separator: "&").filter { item in
      !Notice.queryNames.contains(String(item.prefix { $0 != "=" }))
    }.map(String.init)
    let address = LocalAddress(items: notice.queryItems.map { ($0.name, $0.value) })
    let added = address.description.drop { $0 == "?" }
    let query = (kept + [String(added)]).joined(separator: "&")
    return sides[0] + "?" + query
  }

  /// A time of day, `08:15`, on the event's day.
  private static func time(_ text: String, on event: Event, in zone: TimeZone) -> Date? {
    let day = event.occurrence.start.rfc3339(in: zone).prefix(10)
    return Date("\(day)T\(text)", in: zone)
  }

  @Sendable private func undoFiring(
    _ request: Request, _ context: WebContext
  ) async throws -> Response {
    let id = try context.parameters.require("firing")
    let form = try await FormBody(request, context)
    return try await answer(form, context) {
      _ = try await FiringChanges(environment, context).undo(id)
      return .firingUndone
    }
  }

  // MARK: Messages and language

  @Sendable private func message(
    _ request: Request, _ context: WebContext
  ) async throws -> Response {
    let form = try await FormBody(request, context)
    guard let patient = form["patient"] else { throw Fault(.malformed, "The form names nobody.") }
    _ = try await MessageSending(environment, context).send(
      form["text"] ?? "", patient: patient, contact: form["contact"], sender: .patient)
    return PageRoutes.redirect(to: form.back)
  }

  @Sendable private func language(
    _ request: Request, _ context: WebContext
  ) async throws -> Response {
    let form = try await FormBody(request, context)
    var response = PageRoutes.redirect(to: form.back)
    response.remember(tag: form["lang"], site: site)
    return response
  }
}
