import Access
import Actions
import Care
import CareStore
import Foundation
import HTTPTypes
import Hummingbird
import Localization
import NIOCore
import Pages

/// The forms of the pages: each changes the store and returns to the page, which says what happened.
struct FormRoutes {
  let environment: WebEnvironment
  let site: Site

  func add(to router: Router<WebContext>) {
    event(router, "done") { form, changes, id in
      try await done(form, files: [:], changes, id)
    }
    router.post("events/:event/answer", use: answer)
    for (name, state) in [("not-done", Answer.State.notDone), ("skip", .skipped)] {
      event(router, name) { form, changes, id in
        let answer = Answer(state: state, reason: form["reason"])
        return .answered(
          try await changes.perform(id) { AnswerEvent($1, answer: answer) }.event.id)
      }
    }
    event(router, "undo") { _, changes, id in
      try await takeBack(.lastAnswer, changes, id)
    }
    event(router, "put-back") { _, changes, id in
      .answered(try await changes.perform(id) { PutBack($1) }.event.id)
    }
    event(router, "snooze") { form, changes, id in
      guard let minutes = form["minutes"].flatMap(Int.init), Snooze.minutes.contains(minutes) else {
        throw Fault(.malformed, "The form names no time.")
      }
      let until = environment.now() + Double(minutes) * 60
      _ = try await changes.perform(id) { Snooze($1, until: until) }
      return .putOff
    }
    event(router, "add") { form, changes, id in
      let change = try await changes.perform(id) { _, event in
        AddValues(event, try form.answers(to: event.task.planned))
      }
      return .added(change.event.id)
    }
    event(router, "remove") { _, changes, id in
      try await takeBack(.lastValue, changes, id)
    }
    sample(router, "assign") { form, number, changes in
      let patient = form["patient"]
      guard (patient == nil) == (form["nobody"] != nil) else {
        throw Fault(.malformed, "The form names nobody.")
      }
      let followers = try await changes.change(
        number, reason: form["reason"],
        { reader in
          try patient.map { .assign(patient: try reader.patient(named: $0)) } ?? .disown
        }, reading: { result, _ in result.review.followers(of: patient) })
      return .assigned(number, patient: patient, followers: followers)
    }
    sample(router, "unassign") { form, number, changes in
      try await changes.change(
        number, reason: form["reason"], { _ in .unassign }, reading: { _, _ in })
      return .unassigned(number)
    }
    router.post("samples") { request, context in
      let form = try await FormBody(request, context)
      return try await answer(form, context) { try await add(form, context) }
    }
    sample(router, "delete") { form, number, changes in
      try await changes.change(
        number, with: Notice.numbers(form["with"] ?? ""), reason: form["reason"],
        { _ in .delete }, reading: { _, _ in })
      return .deleted(number)
    }
    sample(router, "restore") { form, number, changes in
      try await changes.change(
        number, reason: form["reason"], { _ in .restore }, reading: { _, _ in })
      return .restored(number)
    }
    sample(router, "correct") { form, number, changes in
      guard let text = form["value"], let measure = try? EnteredMeasure(text) else {
        return .refused("notANumber", field: "value")
      }
      let unit = try measure.unit ?? form["unit"].map { try UnitOfMeasure(entered: $0) }
      try await changes.correct(
        number, to: measure.number, unit: unit, reason: form["reason"], reading: { _, _ in })
      return .corrected(number)
    }
    router.post("weighings/weigher") { request, context in
      let form = try await FormBody(request, context)
      return try await answer(form, context) { try await nameWeigher(form, context) }
    }
    router.post("weighings/unassign") { request, context in
      let form = try await FormBody(request, context)
      return try await answer(form, context) { try await unassign(form, context) }
    }
    router.post("firings/:firing/undo", use: undoFiring)
    router.post("morning/seen") { request, context in
      let form = try await FormBody(request, context)
      guard let patient = form["patient"] else { throw Fault(.malformed, "The form names nobody.") }
      return try await answer(form, context) {
        var action = AcknowledgeAlerts(of: patient, by: context.personName)
        if let days = form["days"] {
          action.delay = Int(days).flatMap { .init(days: $0, reason: form["reason"] ?? "") }
          guard action.delay != nil else { return .refused("noReason", field: "reason") }
        }
        return try await environment.perform(action, context) == 0
          ? .refused("unknown") : action.delay == nil ? .alertsSeen : .alertsPutOff
      }
    }
    router.post("messages", use: message)
    consent(router, "agree", says: .consentAgreed) {
      _ = try await environment.perform(AgreeToConsent($0), $1)
    }
    consent(router, "withdraw", says: .consentWithdrawn) {
      _ = try await environment.perform(WithdrawConsent($0), $1)
    }
    router.post("language", use: language)
  }

  // MARK: Events and samples

  private func takeBack(
    _ extent: TakeBack.Extent, _ changes: EventChanges, _ id: String
  ) async throws -> Notice {
    let change = try await changes.perform(id) { TakeBack($1, extent) }
    return change.isLastValue ? .removed(change.event.id) : .undone(change.event.id)
  }

  /// Says that an event is done, with what a form says and the files that came with it.
  private func done(
    _ form: FormBody, files: [String: AttachmentFile], _ changes: EventChanges, _ id: String
  ) async throws -> Notice {
    do {
      let now = environment.now()
      let change = try await changes.perform(id) { reader, event in
        let zone = try reader.zone(of: event.task.patient, at: now)
        let at = try form["at"].map { text throws(StoreError) -> Date in
          guard let date = Date(text, in: zone) ?? Self.time(text, on: event, in: zone) else {
            throw StoreError.refused(
              .answer(.wrongType(expected: .time), question: "at", task: event.task.id))
          }
          return date
        }
        let answers = try form.answers(to: event.task.planned)
        if answers.isEmpty, files.isEmpty, form.asksForValues,
          event.task.survey.allSatisfy({ !$0.isOptional })
        {
          throw NothingEntered(field: event.task.survey.first?.kind ?? "value")
        }
        // A form shows every question of a survey, so that an empty field is an answer, too.
        return AnswerEvent(
          event, answers, files: files,
          answer: Answer(state: .done, reason: form["reason"], at: at),
          isWhole: !event.task.survey.isEmpty, replaces: form["replace"] != nil)
      }
      let isAdded = change.event.task.planned.addsUp
      return isAdded ? .added(change.event.id) : .answered(change.event.id)
    } catch let error as NothingEntered {
      return .refused("missing", field: error.field)
    }
  }

  /// A form that asks for values was sent without any.
  private struct NothingEntered: Error {
    var field: String
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
      sent = try await environment.uploads.using(for: context.sender) {
        try await AttachmentUpload(environment: environment, context: context)
          .form(request, for: task, checksToken: true)
      }
    } catch let refusal as RefusedFile {
      context.note.fail()
      return PageRoutes.redirect(
        to: Self.address(refusal.back, .refused(refusal.error, field: refusal.kind)))
    }
    return try await answer(sent.fields, context) {
      try await done(sent.fields, files: sent.files, changes, id)
    }
  }

  private func event(
    _ router: Router<WebContext>, _ name: String,
    _ body: @escaping @Sendable (FormBody, EventChanges, String) async throws -> Notice
  ) {
    router.post(RouterPath("events/:event/" + name)) { request, context in
      let id = try context.parameters.require("event")
      let form = try await FormBody(request, context)
      return try await answer(form, context) {
        try await body(form, EventChanges(environment, context), id)
      }
    }
  }

  /// Adds a reading that no task asks for.
  private func add(_ form: FormBody, _ context: WebContext) async throws -> Notice {
    guard let quantity = form["quantity"].flatMap({ Quantity(rawValue: $0) }),
      let patient = form["patient"]
    else { throw Fault(.malformed, "The form names no quantity or nobody.") }
    func refused(_ notice: Notice) -> Notice {
      guard case .refused(let refusal) = notice else { return notice }
      return .refused(refusal.code, field: refusal.field.map(NewSampleForm.field))
    }
    guard let text = form["value"] else { return refused(.refused("missing", field: "value")) }
    do {
      let numbers = try await SampleChanges(environment, context).add(
        quantity, text, unit: nil, of: patient, at: form["at"], isTyped: true
      ) { samples, reader in try samples.compactMap { try reader.number(of: $0.identity) } }
      return .sampleAdded(numbers)
    } catch let refusal as EntryRefusal {
      return refused(Notice(refusal))
    } catch let error as StoreError {
      return refused(Notice(error))
    }
  }

  private func nameWeigher(_ form: FormBody, _ context: WebContext) async throws -> Notice {
    let sample = form["sample"].flatMap { Int64($0) }
    guard let patient = form["patient"], (sample == nil) == (form["nobody"] != nil) else {
      throw Fault(.malformed, "The form names nobody.")
    }
    let samples = try await WeighingRoutes.name(
      patient, sample: sample, environment, context
    ) { samples, reader in
      try samples.compactMap { try reader.number(of: $0.identity) }
    }
    return .weigherNamed(sample.map { _ in patient }, samples: samples)
  }

  private func unassign(_ form: FormBody, _ context: WebContext) async throws -> Notice {
    let numbers = Notice.numbers(form["samples"] ?? "")
    guard let last = numbers.last else { throw Fault(.malformed, "The form names no sample.") }
    let now = environment.now()
    try await environment.store.write { writer in
      let selections = try numbers.map { number in
        SampleSelection.sample(try context.sample(number, in: writer).identity)
      }
      _ = try ChangeSamples(selections, .unassign, reason: nil)
        .perform(in: writer, by: context.performer, now: now)
    }
    return .unassigned(last)
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
    } catch let refusal as EntryRefusal {
      notice = Notice(refusal)
    } catch let refusal as WeigherRefusal {
      notice = .refused(refusal)
    } catch let refusal as ConsentRefusal {
      notice = .refused(refusal, field: "name")
    } catch is SnoozeRefusal {
      notice = .refused("notPutOff")
    } catch let fault as Fault {
      notice = .refused(fault.kind == .unknown ? "unknown" : "other")
    } catch {
      let fault = environment.fault(error)
      guard fault.kind != .failed else { throw fault }
      notice = .refused("wrongType", field: "value")
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
    return Date("\(day)T\(text.withTwoDigitHour)", in: zone)
  }

  @Sendable private func undoFiring(
    _ request: Request, _ context: WebContext
  ) async throws -> Response {
    let id = try context.parameters.require("firing")
    let form = try await FormBody(request, context)
    return try await answer(form, context) {
      _ = try await environment.undoFiring(id, context)
      return .firingUndone
    }
  }

  // MARK: Consent, messages and language

  /// Adds a form that answers the document of a care plan.
  private func consent(
    _ router: Router<WebContext>, _ name: String, says notice: Notice,
    _ perform: @escaping @Sendable (ConsentEntry, WebContext) async throws -> Void
  ) {
    router.post(RouterPath("consent/" + name)) { request, context in
      let form = try await FormBody(request, context)
      guard let patient = form["patient"], let carePlan = form["carePlan"],
        let digest = form["digest"]
      else { throw Fault(.malformed, "The form names no document.") }
      let entry = ConsentEntry(
        patient: patient, carePlan: carePlan, name: form["name"] ?? "",
        signature: form["signature"], digest: digest)
      return try await answer(form, context) {
        try await perform(entry, context)
        return notice
      }
    }
  }

  @Sendable private func message(
    _ request: Request, _ context: WebContext
  ) async throws -> Response {
    let form = try await FormBody(request, context)
    guard let patient = form["patient"] else { throw Fault(.malformed, "The form names nobody.") }
    _ = try await environment.perform(
      SendMessage(form["text"] ?? "", patient: patient, contact: form["contact"]), context)
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

extension Notice {
  /// The rule that forbids what a field of a form has, beside that field.
  fileprivate init(_ refusal: EntryRefusal) {
    self =
      switch refusal {
      case .flawed(let entry, _):
        .refused("notANumber", field: entry.question ?? "value")
      case .store(let error): Notice(error)
      case .missingAmount: .refused("missing", field: "value")
      case .measuredInFuture: .refused("inFuture", field: "at")
      case .swappedPressures: .refused("swapped", field: "value")
      case .flawedMeasure, .notANumber: .refused("notANumber", field: "value")
      case .otherUnit, .countedWithoutUnit, .otherUnitOfQuantity, .unknownUnit:
        .refused("otherUnit", field: "value")
      case .superfluousKind, .unknownKind, .missingKind: .refused("planChanged")
      case .notEntered: .refused("other")
      case .falseCountsAsDone: .refused("wrongType", field: "value")
      }
  }
}

// MARK: - Form body

/// The fields of a form, in the order in which they were sent.
struct FormBody: Sendable {
  private var fields: [(name: String, value: String)] = []

  /// Makes a form without fields.
  init() {}

  /// The most fields of a form.
  static let most = 200

  /// Reads a body of `application/x-www-form-urlencoded`.
  ///
  /// - Throws: ``Fault`` for text that is no UTF-8 and for too many fields.
  init(_ request: Request, _ context: WebContext) async throws {
    guard request.mediaType == "application/x-www-form-urlencoded" else {
      throw HTTPError(.unsupportedMediaType, message: "Send the form as it is.")
    }
    try self.init(try await request.body.collect(upTo: context.maxUploadSize))
  }

  /// Reads the body.
  init(_ buffer: ByteBuffer) throws {
    guard let text = String(validating: buffer.readableBytesView, as: UTF8.self) else {
      throw Fault(.malformed, "The form is no text.")
    }
    for part in text.split(separator: "&") {
      let sides = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = QueryItems.text(sides[0]),
        let value = QueryItems.text(sides.dropFirst().first ?? "")
      else { throw Fault(.malformed, "A field of the form is no text.") }
      try add(name, value)
    }
  }

  /// Adds a field.
  ///
  /// - Throws: ``Fault`` for too many fields.
  mutating func add(_ name: String, _ value: String) throws(Fault) {
    fields.append((name, value))
    guard fields.count <= Self.most else { throw Fault(.malformed, "The form is too long.") }
  }

  /// The trimmed value of a field; `nil` for an absent or empty one.
  subscript(name: String) -> String? {
    let text = fields.first { $0.name == name }?.value.trimmingCharacters(
      in: .whitespacesAndNewlines)
    return text?.isEmpty == true ? nil : text
  }

  /// The value of a field as it was entered; empty for an absent one.
  func exactly(_ name: String) -> String { fields.first { $0.name == name }?.value ?? "" }

  /// Every value of a field, without empty ones.
  func values(_ name: String) -> [String] {
    fields.filter { $0.name == name && !$0.value.isEmpty }.map(\.value)
  }

  /// The fields in their order.
  var all: [(name: String, value: String)] { fields }

  /// Whether it has a field for a value, filled or not.
  var asksForValues: Bool {
    fields.contains { $0.name == "value" || $0.name.hasPrefix("value.") }
  }

  /// The values that were entered for a task, in order.
  ///
  /// They are those of `value`, without a kind, and of each `value.KIND`. A decimal comma of a number
  /// is a point. A value that is measured may have its unit, such as `148 lb`.
  ///
  /// - Throws: `EntryRefusal` for a unit that does not exist.
  func answers(to task: PlannedTask) throws(EntryRefusal) -> [EnteredValue] {
    var answers: [EnteredValue] = []
    for field in fields {
      var text = field.value.trimmingCharacters(in: .whitespacesAndNewlines)
      guard !text.isEmpty else { continue }
      let question = task.survey.first { "value." + $0.kind == field.name }
      if question.map({ [.number, .scale].contains($0.type) }) ?? true,
        text.wholeMatch(of: /-?[0-9]+,[0-9]+/) != nil
      {
        text = text.replacing(",", with: ".")
      }
      let measure = question == nil ? try? EnteredMeasure(text) : nil
      if let measure, measure.unit != nil { text = measure.number.plainText }
      let isOnly = field.name == "value"
      guard isOnly || field.name.hasPrefix("value.") else { continue }
      let kind = isOnly ? nil : String(field.name.dropFirst("value.".count))
      var unit = measure?.unit
      if unit == nil, let name = self[kind.map { "unit." + $0 } ?? "unit"] {
        unit = try UnitOfMeasure(entered: name)
      }
      answers.append(EnteredValue(text: text, unit: unit, kind: kind))
    }
    return answers
  }

  /// Where to go afterwards: a path of this page; the day for anything else.
  var back: String { Self.local(self["return"]) }

  /// The path if it is one of this page; the day's for anything else.
  static func local(_ path: String?) -> String {
    guard let text = path, text.hasPrefix("/"), !text.hasPrefix("//"),
      text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\\") })
    else { return "/today" }
    return text
  }
}
