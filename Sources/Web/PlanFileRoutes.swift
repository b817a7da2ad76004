import Actions
import Care
import CareStore
import Foundation
import HTTPTypes
import Hummingbird
import Interchange
import Localization
import NIOCore
import Pages

/// The plan as a file, down and up.
struct PlanFileRoutes {
  let environment: WebEnvironment
  let site: Site

  /// The largest plan, in bytes.
  static let largest = 4 << 20

  func add(to router: Router<WebContext>) {
    router.get("api/v1/plan", use: download)
    router.put("api/v1/plan", use: put)
    router.post("setup/plan", use: upload)
    router.post("setup/plan/take", use: take)
  }

  @Sendable private func download(
    _ request: Request, _ context: WebContext
  ) async throws -> Response {
    _ = try QueryItems(request, known: [])
    let text = try await environment.store.read { try environment.plans.encode($0) }
    let taken = try environment.memory.take(text.utf8.count, for: context.sender)
    return Response(
      status: .ok,
      headers: [
        .contentType: "application/yaml", .cacheControl: "no-store",
        .contentDisposition: "attachment; filename=\"plan.yaml\"",
      ],
      body: ResponseBody(contentLength: text.utf8.count) { writer in
        defer { withExtendedLifetime(taken) {} }
        try await writer.write(ByteBuffer(string: text))
        try await writer.finish(nil)
      })
  }

  /// The effect of an import on one thing, as JSON.
  private struct LineOutput: Encodable {
    var kind: PlanImportReport.Kind
    var id: String
    var patient: String?
    var change: PlanImportReport.Change
    var version: Int?
    var changedKeys: [String]?
    var keptKeys: [String]?
    var contestedKeys: [String]?

    init(_ line: PlanImportReport.Line) {
      (kind, id, patient) = (line.kind, line.id, line.patient)
      (change, version) = (line.change, line.version)
      changedKeys = line.changedKeys.isEmpty ? nil : line.changedKeys
      keptKeys = line.keptKeys.isEmpty ? nil : line.keptKeys
      contestedKeys = line.contestedKeys.isEmpty ? nil : line.contestedKeys
    }
  }

  private struct ReportOutput: Encodable {
    var lines: [LineOutput]
  }

  @Sendable private func put(_ request: Request, _ context: WebContext) async throws -> Response {
    _ = try QueryItems(request, known: [])
    guard ["application/yaml", "application/json", "text/yaml"].contains(request.mediaType) else {
      throw HTTPError(.unsupportedMediaType, message: "Send application/yaml.")
    }
    let buffer = try await request.body.collect(upTo: Self.largest)
    let text = try await importPlan(Data(buffer.readableBytesView), context) { report in
      try JSONText.of(ReportOutput(lines: report.lines.map(LineOutput.init)))
    }
    return JSONBody.response(text: text)
  }

  @Sendable private func upload(
    _ request: Request, _ context: WebContext
  ) async throws -> Response {
    let buffer = try await request.body.collect(upTo: Self.largest)
    let form = try MultipartForm(
      type: request.headers[.contentType] ?? "", body: Data(buffer.readableBytesView))
    guard let file = form["plan"] else {
      throw Fault(.malformed, "The form has no file.")
    }
    return try await showing(request, context) { try await preview(file, request, context) }
  }

  /// Takes over the plan that a person has seen the changes of.
  @Sendable private func take(
    _ request: Request, _ context: WebContext
  ) async throws -> Response {
    let buffer = try await request.body.collect(upTo: Self.largest)
    let form = try MultipartForm(
      type: request.headers[.contentType] ?? "", body: Data(buffer.readableBytesView))
    guard let file = form["plan"], let seen = form["revision"] else {
      throw Fault(.malformed, "The form has no file.")
    }
    return try await showing(request, context) {
      let revision = try await environment.store.read { try $0.planRevision() }
      guard String(decoding: seen, as: UTF8.self) == String(revision) else {
        // The plan has changed since: what the file changes is another thing now.
        return try await preview(file, request, context)
      }
      try await importPlan(file, context) { _ in }
      return PageRoutes.redirect(to: FormRoutes.address("/setup", .planImported))
    }
  }

  /// The page of what a plan file would change.
  private func preview(
    _ file: Data, _ request: Request, _ context: WebContext
  ) async throws -> Response {
    let (plan, text) = try parse(file)
    let (now, store) = (environment.now(), environment.store)
    let report = try await store.preview(
      plan, options: PlanImportOptions(isLive: true), now: now)
    return try await store.read { reader in
      let viewer = Viewer(
        of: request, context, site: site, now: now, timeZone: try reader.zone())
      let page = try PlanDiffPage(
        reader, report: report, plan: plan, text: text, revision: try reader.planRevision(),
        viewer: viewer)
      return .page(page.html(site), status: .ok)
    }
  }

  /// The answer, or the page that says why the plan is refused.
  private func showing(
    _ request: Request, _ context: WebContext, _ body: () async throws -> Response
  ) async throws -> Response {
    do {
      return try await body()
    } catch {
      let fault = error as? Fault ?? environment.fault(error)
      guard fault.kind != .failed else { throw error }
      context.note.fail()
      let viewer = Viewer(of: request, context, site: site, now: environment.now())
      let page = MessagePage(
        viewer: viewer, title: viewer.language.text("setup.planRefused"), text: fault.message,
        back: ("/setup#upload", viewer.language.text("setup.uploadAgain")))
      return .page(page.html(site), status: .conflict)
    }
  }

  /// Imports a plan that a person sent: it is in force from now on.
  ///
  /// - Returns: What `answer` makes of the report, in the same transaction.
  private func importPlan<Answer: Sendable>(
    _ data: Data, _ context: WebContext,
    _ answer: @Sendable (PlanImportReport) throws -> Answer
  ) async throws -> Answer {
    let (plan, _) = try parse(data)
    return try await environment.perform(
      ImportPlan(plan, options: PlanImportOptions(isLive: true)), context
    ) { report, _ in try answer(report) }.1
  }

  /// Reads a plan that a person sent.
  private func parse(_ data: Data) throws -> (PlanDocument, String) {
    guard let text = String(validating: data, as: UTF8.self) else {
      throw Fault(.malformed, "The plan is no text.")
    }
    do {
      return (try environment.plans.parse(text), text)
    } catch {
      throw Fault(.refused, environment.fault(error).message)
    }
  }
}

/// The fields of a form with small files, `multipart/form-data` (RFC 7578).
struct MultipartForm {
  private var fields: [String: Data] = [:]

  /// Reads a body; the first field of a name counts.
  ///
  /// - Throws: ``Fault`` for another media type and for a malformed body.
  init(type: String, body: Data) throws {
    var parser = try MultipartParser(type: type)
    var (name, content): (String?, Data) = (nil, Data())
    try parser.parse(Array(body)) { element in
      switch element {
      case .head(let head): (name, content) = (head.name, Data())
      case .content(let bytes): content += bytes
      case .end: if let name, fields[name] == nil { fields[name] = content }
      }
    }
    try parser.finish()
  }

  /// The content of a field; `nil` if there is none.
  subscript(name: String) -> Data? { fields[name] }
}
