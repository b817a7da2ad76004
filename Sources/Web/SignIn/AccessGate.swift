import Access
import Actions
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import PrivateFiles

/// Lets a request through only if its sender is known and the route's rule permits it, checks that
/// forms come from a page of the session, and writes the audit log.
///
/// Without ``WebAccess`` the system protects the address: a loopback address or a Unix socket.
struct AccessGate: RouterMiddleware {
  typealias Context = WebContext

  let access: WebAccess?
  let memory: MemoryBudget
  let now: @Sendable () -> Date
  let logger: Logger

  @concurrent func handle(
    _ request: Request, context: WebContext,
    next: @concurrent (Request, WebContext) async throws -> Response
  ) async throws -> Response {
    // A route without a rule is nobody's.
    let rule = try context.endpointPath.map { path throws(AccessDenied) -> RouteRule in
      guard let rule = RouteRule.of(request.method, path) else { throw AccessDenied() }
      return rule
    }
    var context = context
    guard let access else {
      context.identity = .local(user: UInt32(getuid()))
      context.isStillValid = { true }
      return try await withBody(rule, request, context) { try await next($0, context) }
    }
    context.client = access.client(of: request, context)
    if rule?.demand == .open {
      return try await withBody(rule, request, context) { try await next($0, context) }
    }
    guard let identity = await access.identity(of: request, context, isUse: Self.isUse(request))
    else {
      guard context.prefix == nil else {
        throw GuardError.stranger(id: access.ingress?.person(of: request))
      }
      return Self.answerToStranger(request)
    }
    context.identity = identity
    context.isStillValid = { [context] in
      let current = await access.identity(of: request, context, isUse: false)
      return current?.subject == identity.subject && current?.grant == identity.grant
    }
    let response: Response
    do {
      if let rule { try Self.check(rule, request, context) }
      response = try await withBody(rule, request, context) { request in
        if let rule, rule.checksToken != .route {
          try await Self.checkForm(request, rule.body(of: request.method), identity)
        }
        return try await next(request, context)
      }
    } catch {
      await write(rule, request, context, access, error is AccessDenied ? .refused : .failed)
      throw error
    }
    let isDone = response.status.code < 400 && !context.note.hasFailed
    await write(rule, request, context, access, isDone ? .done : .failed)
    return response
  }

  // MARK: Bodies

  /// Goes on with the body in memory, if the route takes one so.
  private func withBody(
    _ rule: RouteRule?, _ request: Request, _ context: WebContext,
    _ next: (Request) async throws -> Response
  ) async throws -> Response {
    guard case .whole(let most) = rule?.body(of: request.method) else {
      return try await next(request)
    }
    var request = request
    let part = try await BodyReading.collect(
      &request, upTo: most, in: memory, for: context.sender)
    defer { withExtendedLifetime(part) {} }
    return try await next(request)
  }

  // MARK: Identities

  /// Whether a person did something: requests that a page makes by itself do not prolong a session.
  private static func isUse(_ request: Request) -> Bool {
    if request.headers[.accept]?.contains("text/event-stream") == true { return false }
    guard [.get, .head].contains(request.method), let name = HTTPField.Name("Sec-Fetch-Dest")
    else { return true }
    return request.headers[name] != "empty"
  }

  /// The way to the sign-in page for a browser, and 401 for a program.
  private static func answerToStranger(_ request: Request) -> Response {
    if request.asksForPage, request.headers[.authorization] == nil {
      let page = [.get, .head].contains(request.method) ? request.uri.string : "/today"
      return PageRoutes.redirect(to: SignInRoutes.address(returningTo: page))
    }
    var response = Problem(
      status: .unauthorized, detail: "Sign in, or send a valid token: Authorization: Bearer."
    ).response
    let isToken = request.headers[.authorization] != nil
    response.headers[.wwwAuthenticate] =
      "Bearer realm=\"measured\"" + (isToken ? ", error=\"invalid_token\"" : "")
    return response
  }

  // MARK: Rules

  private static func check(
    _ rule: RouteRule, _ request: Request, _ context: WebContext
  ) throws {
    switch rule.demand {
    case .open, .signedIn: break
    case .box(let permissions):
      for permission in permissions { try context.demand(permission, on: .box) }
    case .some(let permission):
      guard context.grant.permissions.contains(permission), context.grant.patients != .only([])
      else { throw AccessDenied() }
      for patient in QueryItems.values(of: "patient", in: request) where !patient.isEmpty {
        try context.demand(permission, on: .patient(patient))
      }
    }
  }

  // MARK: Forms

  /// The field of a form, and of a request's head, that carries the session's token.
  static let field = "token"

  /// Whether a request's head already shows that it comes from a page of the session, or that it
  /// belongs to no session.
  ///
  /// - Throws: ``AccessDenied`` for another session's token.
  static func acceptsHead(
    of request: Request, _ identity: Identity?
  ) throws(AccessDenied) -> Bool {
    guard let identity, identity.formToken != nil else { return true }
    guard let name = HTTPField.Name("X-Form-Token"), let token = request.headers[name] else {
      return false
    }
    guard identity.acceptsForm(token) else { throw AccessDenied() }
    return true
  }

  /// Demands the session's token of every change that a browser can be made to send.
  ///
  /// A program's token is no part of what browsers send by themselves.
  private static func checkForm(
    _ request: Request, _ body: RouteRule.Body, _ identity: Identity
  ) async throws {
    guard ![.get, .head].contains(request.method), try !acceptsHead(of: request, identity) else {
      return
    }
    // A body that is not in memory has no token.
    guard case .whole = body else { throw AccessDenied() }
    let type = request.headers[.contentType] ?? ""
    let media = type.split(separator: ";").first.map { $0.trimmingCharacters(in: .whitespaces) }
    let token: String?
    switch media?.lowercased() {
    case "application/x-www-form-urlencoded":
      token = try FormBody(try await request.body.collect(upTo: .max))[field]
    case "multipart/form-data":
      let buffer = try await request.body.collect(upTo: .max)
      let form = try MultipartForm(type: type, body: Data(buffer.readableBytesView))
      token = form[field].map { String(decoding: $0, as: UTF8.self) }
    default: token = nil
    }
    guard identity.acceptsForm(token) else { throw AccessDenied() }
  }

  // MARK: Audit

  /// Writes an entry: the path, no values.
  private func write(
    _ rule: RouteRule?, _ request: Request, _ context: WebContext, _ access: WebAccess,
    _ outcome: AuditEntry.Outcome
  ) async {
    guard let rule, let action = rule.action, !context.note.isNothing else { return }
    // A read that failed showed nothing.
    guard action != .read || outcome != .failed else { return }
    let entry = AuditEntry(
      time: now(), subject: context.identity?.subject, action: action, object: rule.object,
      id: request.uri.path, patient: context.note.patient ?? context.grant.onlyPatient,
      client: context.client, outcome: outcome)
    await access.write(entry, logger)
  }
}

extension WebAccess {
  /// Writes an entry of the audit log; a log that cannot be written does not stop the page.
  func write(_ entry: AuditEntry, _ logger: Logger) async {
    do {
      try await log.append(entry)
    } catch {
      logger.error("The audit log \(error.path) cannot be written: \(error.cause).")
    }
  }
}

extension Grant {
  /// The patient of a grant for one alone.
  fileprivate var onlyPatient: String? {
    guard case .only(let patients) = patients, patients.count == 1 else { return nil }
    return patients.first
  }
}
