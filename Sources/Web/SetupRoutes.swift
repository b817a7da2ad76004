import Access
import Care
import CareStore
import Foundation
import HTTPTypes
import Hummingbird
import Pages

/// The forms of the set-up: people, tasks, and taking changes of the plan back.
struct SetupRoutes {
  let environment: WebEnvironment
  let site: Site

  func add(to router: Router<WebContext>) {
    router.get("setup/task", use: showTask)
    router.post("setup/task", use: task)
    router.get("setup/person", use: showPerson)
    router.post("setup/person", use: person)
    thing(router, "end") { writer, thing, now in
      guard thing.kind == .task else { throw Fault(.malformed, "Only a task ends.") }
      _ = try writer.endTask(
        TaskReference(patient: thing.patient, task: thing.id), at: now, now: now)
    }
    thing(router, "delete") { writer, thing, now in try writer.delete(thing, now: now) }
    thing(router, "revive") { writer, thing, now in try writer.revive(thing, at: now, now: now) }
    router.post("setup/undo", use: undo)
  }

  // MARK: Tasks

  @Sendable private func showTask(
    _ request: Request, _ context: WebContext
  ) async throws -> Response {
    let query = try QueryItems(request, known: ["patient", "task", "lang"], allowsEmpty: true)
    return try await environment.store.read { reader in
      let viewer = try self.viewer(request, context, reader, query)
      let reader = context.scope(.plan).reader(reader)
      let original = try query["task"].map { id in
        guard let task = try Self.task(id, of: query["patient"], in: reader, now: viewer.now) else {
          throw Fault(.unknown, "There is no task ‘\(id)’.")
        }
        return task
      }
      var fields: FormFields?
      if original == nil, let patient = query["patient"] {
        fields = FormFields([("patient", try reader.patient(named: patient))])
      }
      var draft = TaskDraft(fields, of: original, in: viewer.timeZone, now: viewer.now)
      if let original { draft.begin(reviewing: original) }
      let page = try TaskFormPage(reader, draft: draft, viewer: viewer)
      return response(page.html(site), query)
    }
  }

  @Sendable private func task(_ request: Request, _ context: WebContext) async throws -> Response {
    let form = try await FormBody(request, context)
    let fields = FormFields(form.all)
    let now = environment.now()
    let (response, draft, words) = try await environment.store.read {
      reader -> (Response?, TaskDraft, Language) in
      let viewer = try self.viewer(request, context, reader)
      let reader = context.scope(.plan).reader(reader)
      let original = try form["task"].flatMap {
        try Self.task($0, of: form["patient"], in: reader, now: now)
      }
      guard form["task"] == nil || original != nil else {
        throw Fault(.unknown, "There is no task ‘\(form["task"] ?? "")’.")
      }
      let draft = TaskDraft(fields, of: original, in: viewer.timeZone, now: now)
      let page = try TaskFormPage(reader, draft: draft, viewer: viewer)
      guard !page.isToSave else { return (nil, draft, viewer.language) }
      let status: HTTPResponse.Status = page.isRefused ? .unprocessableContent : .ok
      // To fill the form further is no change.
      context.note.skip()
      return (.page(page.html(site), status: status), draft, viewer.language)
    }
    if let response { return response }
    do {
      let number = try await environment.store.write { writer in
        let people = try context.scope(.plan).reader(writer).patients()
        let patient =
          try form["patient"]
          ?? (people.count == 1 ? people.first?.id : nil)
          .orUnknown("The form names nobody.")
        try context.demand(.plan, on: .patient(patient))
        _ = try writer.patient(named: patient)
        let taken = try Self.taken(by: patient, in: writer)
        let task = try TaskFormPage.task(
          of: draft, patient: patient, taken: taken, words: words
        ).get()
        try environment.plans.check(task, writer)
        return try writer.editPlan(now: now) { _ = try $0.put(task, now: now) }
      }
      return PageRoutes.redirect(to: Self.address(number))
    } catch let error as AccessDenied {
      throw error
    } catch {
      let text = try self.words(error)
      return try await environment.store.read { reader in
        let viewer = try self.viewer(request, context, reader)
        context.note.fail()
        let page = try TaskFormPage(
          context.scope(.plan).reader(reader), draft: draft, viewer: viewer, refusal: text)
        return .page(page.html(site), status: .unprocessableContent)
      }
    }
  }

  /// The ids that a task of the patient has or had.
  private static func taken(
    by patient: String, in reader: any StoreReader
  ) throws -> Set<String> {
    let histories =
      try reader.histories(patient: patient) + reader.deletedHistories(patient: patient)
    return Set(histories.compactMap(\.versions.first?.id))
  }

  private static func task(
    _ id: String, of patient: String?, in reader: any StoreReader, now: Date
  ) throws -> PlannedTask? {
    // What was changed last: a task that is yet to begin may have earlier versions of later dates.
    try reader.histories(patient: patient).first { $0.versions.first?.id == id }?
      .versions.max { $0.createdDate < $1.createdDate }?.planned
  }

  // MARK: People

  @Sendable private func showPerson(
    _ request: Request, _ context: WebContext
  ) async throws -> Response {
    let query = try QueryItems(request, known: ["patient", "lang"], allowsEmpty: true)
    return try await environment.store.read { reader in
      let viewer = try self.viewer(request, context, reader, query)
      let person = try self.person(query["patient"], context, reader)
      var draft = PersonDraft(nil, of: person, firstZone: try firstZone(reader))
      if person != nil { draft.beginReviewing() }
      let page = PersonFormPage(draft: draft, viewer: viewer, languages: site.languages)
      return response(page.html(site), query)
    }
  }

  /// The machine's zone if there is no plan yet.
  private func firstZone(_ reader: any StoreReader) throws -> TimeZone? {
    try reader.planTimeZone() == nil ? environment.timeZone : nil
  }

  /// The person whose form it is; a new one is the whole plan's.
  private func person(
    _ id: String?, _ context: WebContext, _ reader: any StoreReader
  ) throws -> Patient? {
    guard let id else {
      try context.demand(.plan, on: .box)
      return nil
    }
    let reader = context.scope(.plan).reader(reader)
    let name = try reader.patient(named: id)
    return try reader.patients().first { $0.id == name }
  }

  @Sendable private func person(
    _ request: Request, _ context: WebContext
  ) async throws -> Response {
    let form = try await FormBody(request, context)
    let now = environment.now()
    let (response, draft, words) = try await environment.store.read {
      reader -> (Response?, PersonDraft, Language) in
      let viewer = try self.viewer(request, context, reader)
      let draft = PersonDraft(
        FormFields(form.all), of: try self.person(form["person"], context, reader),
        firstZone: try firstZone(reader))
      let page = PersonFormPage(draft: draft, viewer: viewer, languages: site.languages)
      guard !page.isToSave else { return (nil, draft, viewer.language) }
      let status: HTTPResponse.Status = page.isRefused ? .unprocessableContent : .ok
      context.note.skip()
      return (.page(page.html(site), status: status), draft, viewer.language)
    }
    if let response { return response }
    do {
      let number = try await environment.store.write { writer -> Int64? in
        try context.demand(.plan, on: form["person"].map { .patient($0) } ?? .box)
        let known =
          try writer.patients() + writer.things(Patient.self, patient: nil, isDeleted: true)
        let person = try draft.person(taken: Set(known.map(\.id)), words: words).get()
        return try writer.editPlan(now: now) { writer in
          // The first person begins the plan.
          if try writer.planTimeZone() == nil {
            try writer.setPlanTimeZone(draft.zone ?? environment.timeZone, now: now)
          }
          _ = try writer.put(person, now: now)
          try environment.review(writer, now)
        }
      }
      return PageRoutes.redirect(to: Self.address(number))
    } catch let error as AccessDenied {
      throw error
    } catch {
      let text = try self.words(error)
      return try await environment.store.read { reader in
        let viewer = try self.viewer(request, context, reader)
        context.note.fail()
        let page = PersonFormPage(
          draft: draft, viewer: viewer, languages: site.languages, refusal: text)
        return .page(page.html(site), status: .unprocessableContent)
      }
    }
  }

  // MARK: Ending, deleting, reviving, taking back

  private func thing(
    _ router: Router<WebContext>, _ name: String,
    _ body: @escaping @Sendable (any StoreWriter, ThingReference, Date) throws -> Void
  ) {
    router.post(RouterPath("setup/" + name)) { request, context in
      let form = try await FormBody(request, context)
      let kind = form["kind"].flatMap(ThingKind.init)
      guard let kind, [.patient, .task].contains(kind), let patient = form["patient"],
        let id = form["id"]
      else { throw Fault(.malformed, "The form names no task or person.") }
      let now = environment.now()
      return try await answer(form, context) {
        try await environment.store.write { writer in
          // A person is part of the whole plan.
          try context.demand(.plan, on: .patient(patient))
          if kind == .patient { try context.demand(.plan, on: .box) }
          return try writer.editPlan(now: now) { writer in
            try body(writer, ThingReference(kind, patient: patient, id: id), now)
          }.map(Notice.planEdited) ?? .refused("other")
        }
      }
    }
  }

  @Sendable private func undo(_ request: Request, _ context: WebContext) async throws -> Response {
    let form = try await FormBody(request, context)
    guard let number = form["edit"].flatMap({ Int64($0) }) else {
      throw Fault(.malformed, "The form names no change.")
    }
    let now = environment.now()
    return try await answer(form, context) {
      try await environment.store.write { writer in
        let edit = try writer.planEdits(limit: 1_000).first { $0.number == number }
        guard let edit else {
          try context.demand(.plan, on: .box)
          return .refused("unknown")
        }
        for thing in edit.things {
          try context.demand(.plan, on: .patient(thing.reference.patient))
        }
        if edit.isImport { try context.demand(.plan, on: .box) }
        if !edit.devices.isEmpty { try context.demand(.devices, on: .box) }
        _ = try writer.undoEdit(number, now: now)
        return .planUndone
      }
    }
  }

  private func answer(
    _ form: FormBody, _ context: WebContext, _ body: () async throws -> Notice
  ) async throws -> Response {
    let notice: Notice
    do {
      notice = try await body()
    } catch let error as StoreError {
      notice = Notice(error)
    }
    if case .refused = notice { context.note.fail() }
    return PageRoutes.redirect(to: FormRoutes.address(form.back, notice))
  }

  // MARK: Working

  /// A page, which remembers the language that was chosen.
  private func response(_ html: String, _ query: QueryItems) -> Response {
    var response = Response.page(html, status: .ok)
    response.remember(query, site: site)
    return response
  }

  /// The set-up with what was done.
  static func address(_ number: Int64?) -> String {
    FormRoutes.address("/setup", number.map(Notice.planEdited) ?? .planUnchanged)
  }

  /// Why something cannot be saved, in words.
  ///
  /// - Throws: The fault of a program that fails.
  private func words(_ error: any Error) throws -> String {
    if let refusal = error as? TaskFormPage.Refusal { return refusal.text }
    let fault = error as? Fault ?? environment.fault(error)
    guard fault.kind != .failed else { throw error }
    return fault.message
  }

  private func viewer(
    _ request: Request, _ context: WebContext, _ reader: any StoreReader,
    _ query: QueryItems? = nil
  ) throws -> Viewer {
    Viewer(
      of: request, context, query, site: site, now: environment.now(),
      timeZone: try reader.zone(), deviceNames: environment.deviceNames)
  }
}

extension Optional {
  fileprivate func orUnknown(_ message: String) throws(Fault) -> Wrapped {
    guard let self else { throw Fault(.malformed, message) }
    return self
  }
}
