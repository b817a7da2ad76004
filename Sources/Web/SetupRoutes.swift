import Access
import Actions
import Care
import CareStore
import Foundation
import HTTPTypes
import Hummingbird
import Localization
import Pages

/// The forms of the set-up: people, tasks, and taking changes of the plan back.
struct SetupRoutes {
  let environment: WebEnvironment
  let site: Site

  func add(to router: Router<WebContext>) {
    router.get("setup/task", use: showTask)
    router.post("setup/task", use: task)
    router.post("setup/video", use: video)
    router.get("setup/tasks", use: showReady)
    router.post("setup/tasks", use: ready)
    router.get("setup/person", use: showPerson)
    router.post("setup/person", use: person)
    router.get("setup/contact", use: showContact)
    router.post("setup/contact", use: contact)
    router.post("setup/zone", use: zone)
    thing(router, "end", .end())
    thing(router, "delete", .delete())
    thing(router, "revive", .revive())
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
    let now = environment.now()
    return try await fill(request, context) { reader, _ in
      let reader = context.scope(.plan).reader(reader)
      let original = try form["task"].flatMap {
        try Self.task($0, of: form["patient"], in: reader, now: now)
      }
      guard form["task"] == nil || original != nil else {
        throw Fault(.unknown, "There is no task ‘\(form["task"] ?? "")’.")
      }
      let zone = try reader.zone(of: form["patient"], at: now)
      return TaskDraft(FormFields(form.all), of: original, in: zone, now: now)
    } page: { draft, reader, viewer, refusal in
      try TaskFormPage(
        context.scope(.plan).reader(reader), draft: draft, viewer: viewer, refusal: refusal)
    } save: { draft, writer, words in
      let patient = try self.patient(form, context, writer)
      let taken = try Self.taken(by: patient, in: writer)
      let task = try TaskFormPage.task(
        of: draft, patient: patient, taken: taken, words: words
      ).get()
      try environment.plans.check(task, writer)
      return Self.address(
        try PutTasks([task]).perform(in: writer, by: context.performer, now: now))
    }
  }

  /// Gives a task an own video, or takes it away.
  @Sendable private func video(_ request: Request, _ context: WebContext) async throws -> Response {
    let upload = AttachmentUpload(environment: environment, context: context)
    let notice: Notice
    do {
      let sent = try await environment.uploads.using(for: context.sender) {
        try await upload.form(request, checksToken: true) { _ in try upload.videoDraft() }
      }
      guard let patient = sent.fields["patient"], let task = sent.fields["task"] else {
        throw Fault(.malformed, "The form names no task.")
      }
      let file = sent.files["video"]
      guard file != nil || sent.fields["remove"] != nil else {
        throw RefusedFile(.empty, kind: "video")
      }
      let change = ChangeTaskVideo(TaskReference(patient: patient, task: task), file)
      notice =
        try await environment.perform(change, context).map(Notice.planEdited) ?? .planUnchanged
    } catch let refusal as RefusedFile {
      notice = .refused(refusal.error, field: refusal.kind)
    } catch let error as StoreError {
      notice = Notice(error)
    }
    if case .refused = notice { context.note.fail() }
    return PageRoutes.redirect(to: FormRoutes.address("/setup", notice))
  }

  // MARK: Ready-made tasks

  @Sendable private func showReady(
    _ request: Request, _ context: WebContext
  ) async throws -> Response {
    let query = try QueryItems(request, known: ["patient", "lang"], allowsEmpty: true)
    return try await environment.store.read { reader in
      let viewer = try self.viewer(request, context, reader, query)
      let reader = context.scope(.plan).reader(reader)
      var fields = FormFields()
      if let patient = query["patient"] { fields["patient"] = try reader.patient(named: patient) }
      let page = ReadyTasksPage(
        draft: ReadyTasksDraft(fields, in: viewer.timeZone, now: viewer.now),
        people: try people(fields, reader), viewer: viewer)
      return response(page.html(site), query)
    }
  }

  /// The people of whom the form asks one: nobody once it is known.
  private func people(_ fields: FormFields, _ reader: any StoreReader) throws -> [Patient] {
    fields["screen"] == nil && fields["patient"] != nil ? [] : try reader.patients()
  }

  @Sendable private func ready(_ request: Request, _ context: WebContext) async throws -> Response {
    let form = try await FormBody(request, context)
    let now = environment.now()
    return try await fill(request, context) { _, viewer in
      ReadyTasksDraft(FormFields(form.all), in: viewer.timeZone, now: now)
    } page: { draft, reader, viewer, refusal in
      ReadyTasksPage(
        draft: draft, people: try context.scope(.plan).reader(reader).patients(), viewer: viewer,
        refusal: refusal)
    } save: { draft, writer, words in
      let patient = try self.patient(form, context, writer)
      let tasks = try TaskFormPage.tasks(
        of: draft, patient: patient, taken: try Self.taken(by: patient, in: writer),
        words: words
      ).get()
      for task in tasks { try environment.plans.check(task, writer) }
      return Self.address(
        try PutTasks(tasks).perform(in: writer, by: context.performer, now: now))
    }
  }

  /// The person of the form, or the only one.
  private func patient(
    _ form: FormBody, _ context: WebContext, _ writer: any StoreWriter
  ) throws -> String {
    let people = try context.scope(.plan).reader(writer).patients()
    let patient =
      try form["patient"]
      ?? (people.count == 1 ? people.first?.id : nil)
      .orUnknown("The form names nobody.")
    // The form says nothing of whom its sender may not know.
    try context.demand(.plan, on: .patient(patient))
    _ = try writer.patient(named: patient)
    return patient
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
    // The last change counts: a task that is yet to begin may have earlier versions of later dates.
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
      var draft = try self.draft(nil, of: person, context, reader, viewer)
      if person != nil { draft.beginReviewing() }
      let page = PersonFormPage(draft: draft, viewer: viewer, languages: site.languages)
      return response(page.html(site), query)
    }
  }

  /// A draft of a person, with those who can be told of something.
  private func draft(
    _ fields: FormFields?, of person: Patient?, _ context: WebContext, _ reader: any StoreReader,
    _ viewer: Viewer
  ) throws -> PersonDraft {
    let known = context.scope(.plan).reader(reader)
    let contacts = try person.map { person in
      try known.things(Contact.self).filter { ($0.patient ?? person.id) == person.id }
    }
    return PersonDraft(
      fields, of: person, firstZone: try firstZone(reader), contacts: contacts ?? [],
      people: try known.patients(), words: viewer.language)
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
    return try await fill(request, context) { reader, viewer in
      try draft(
        FormFields(form.all), of: self.person(form["person"], context, reader), context, reader,
        viewer)
    } page: { draft, _, viewer, refusal in
      PersonFormPage(
        draft: draft, viewer: viewer, languages: site.languages, refusal: refusal)
    } save: { draft, writer, words in
      let known =
        try writer.patients() + writer.things(Patient.self, patient: nil, isDeleted: true)
      let person = try draft.person(taken: Set(known.map(\.id)), words: words).get()
      let edit = PutPerson(
        person, isKnown: form["person"] != nil, zone: draft.zone ?? environment.timeZone)
      return Self.address(try edit.perform(in: writer, by: context.performer, now: now))
    }
  }

  // MARK: Contacts and the zone

  @Sendable private func showContact(
    _ request: Request, _ context: WebContext
  ) async throws -> Response {
    let query = try QueryItems(request, known: ["patient", "contact", "lang"], allowsEmpty: true)
    return try await environment.store.read { reader in
      let viewer = try self.viewer(request, context, reader, query)
      let reader = context.scope(.plan).reader(reader)
      let original = try query["contact"].map {
        try Self.contact($0, of: query["patient"] ?? "", in: reader)
      }
      var draft = ContactDraft(of: original)
      if original != nil { draft.beginReviewing() }
      let page = ContactFormPage(draft: draft, people: try reader.patients(), viewer: viewer)
      return response(page.html(site), query)
    }
  }

  private static func contact(
    _ id: String, of owner: String, in reader: any StoreReader
  ) throws -> Contact {
    let contact = try reader.things(Contact.self).first { $0.id == id && $0.owner == owner }
    guard let contact else { throw Fault(.unknown, "There is no contact ‘\(id)’.") }
    return contact
  }

  @Sendable private func contact(
    _ request: Request, _ context: WebContext
  ) async throws -> Response {
    let form = try await FormBody(request, context)
    let now = environment.now()
    return try await fill(request, context) { reader, _ in
      let reader = context.scope(.plan).reader(reader)
      let original = try form["contact"].map {
        try Self.contact($0, of: form["owner"] ?? "", in: reader)
      }
      return ContactDraft(FormFields(form.all), of: original)
    } page: { draft, reader, viewer, refusal in
      ContactFormPage(
        draft: draft, people: try context.scope(.plan).reader(reader).patients(), viewer: viewer,
        refusal: refusal)
    } save: { draft, writer, words in
      let known =
        try writer.things(Contact.self)
        + writer.things(Contact.self, patient: nil, isDeleted: true)
      let contact = try draft.contact(taken: Set(known.map(\.id)), words: words).get()
      _ = try contact.patient.map { try writer.patient(named: $0) }
      let number = try PutContact(
        contact, earlierOwner: form["contact"] == nil ? nil : form["owner"] ?? ""
      ).perform(in: writer, by: context.performer, now: now)
      return FormRoutes.address("/connect", number.map(Notice.planEdited) ?? .planUnchanged)
    }
  }

  /// Sets the plan's zone.
  @Sendable private func zone(_ request: Request, _ context: WebContext) async throws -> Response {
    let form = try await FormBody(request, context)
    return try await answer(form, context) {
      guard let zone = form["zone"].flatMap({ TimeZone(iana: $0) }) else {
        return .refused("noZone", field: "zone")
      }
      try await environment.perform(SetPlanZone(zone), context)
      return .zoneSet
    }
  }

  // MARK: Ending, deleting, reviving, taking back

  private func thing(
    _ router: Router<WebContext>, _ name: String, _ change: ChangeThing.Change
  ) {
    router.post(RouterPath("setup/" + name)) { request, context in
      let form = try await FormBody(request, context)
      let kind = form["kind"].flatMap(ThingKind.init)
      guard let kind, [.patient, .task, .contact].contains(kind),
        let patient = form["patient"] ?? (kind == .contact ? "" : nil), let id = form["id"]
      else { throw Fault(.malformed, "The form names no task, person or contact.") }
      guard kind == .task || change != .end() else { throw Fault(.malformed, "Only a task ends.") }
      return try await answer(form, context) {
        let thing = ThingReference(kind, patient: patient, id: id)
        return try await environment.perform(ChangeThing(thing, change), context)
          .map(Notice.planEdited) ?? .refused("other")
      }
    }
  }

  @Sendable private func undo(_ request: Request, _ context: WebContext) async throws -> Response {
    let form = try await FormBody(request, context)
    guard let number = form["edit"].flatMap({ Int64($0) }) else {
      throw Fault(.malformed, "The form names no change.")
    }
    return try await answer(form, context) {
      _ = try await environment.perform(UndoEdit(number), context)
      return .planUndone
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

  /// Shows the next screen of a form, or saves its answers once they are complete; a refusal of the
  /// action stands on the form.
  ///
  /// `draft` reads the form, `page` shows it with a refusal, and `save` performs the action and gives
  /// the address that follows.
  private func fill<Draft: Sendable>(
    _ request: Request, _ context: WebContext,
    draft: @escaping @Sendable (any StoreReader, Viewer) throws -> Draft,
    page:
      @escaping @Sendable (Draft, any StoreReader, Viewer, String?) throws
      -> any WizardPage,
    save: @escaping @Sendable (Draft, any StoreWriter, Language) throws -> String
  ) async throws -> Response {
    let (response, filled, words) = try await environment.store.read {
      reader -> (Response?, Draft, Language) in
      let viewer = try self.viewer(request, context, reader)
      let filled = try draft(reader, viewer)
      let page = try page(filled, reader, viewer, nil)
      guard !page.isToSave else { return (nil, filled, viewer.language) }
      // To fill the form further is no change.
      context.note.skip()
      return (
        .page(page.html(site), status: page.isRefused ? .unprocessableContent : .ok), filled,
        viewer.language
      )
    }
    if let response { return response }
    do {
      return PageRoutes.redirect(
        to: try await environment.store.write { try save(filled, $0, words) })
    } catch let error as AccessDenied {
      throw error
    } catch {
      let text = try self.words(error)
      context.note.fail()
      return try await environment.store.read { reader in
        let viewer = try self.viewer(request, context, reader)
        return .page(
          try page(filled, reader, viewer, text).html(site), status: .unprocessableContent)
      }
    }
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
    // A task's times are in its person's zone.
    let now = environment.now()
    return Viewer(
      of: request, context, query, site: site, now: now,
      timeZone: try reader.zone(of: query?["patient"], at: now),
      deviceNames: environment.deviceNames)
  }
}

extension Optional {
  fileprivate func orUnknown(_ message: String) throws(Fault) -> Wrapped {
    guard let self else { throw Fault(.malformed, message) }
    return self
  }
}
