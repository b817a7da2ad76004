import Actions
import Care
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore

/// Refuses requests that another site makes a browser send, and turns errors into answers.
///
/// A name that resolves to this machine (DNS rebinding) is told by its `Host`, a form, script or
/// picture of another site by `Sec-Fetch-Site` or `Origin`. Another site may lead to a page, and
/// nothing else: what it embeds it cannot read, but the work would be this machine's.
struct RequestGuard: RouterMiddleware {
  typealias Context = WebContext

  /// The names under which the page may be asked for, without port, in lower case; `nil` for a
  /// socket, which no browser reaches.
  var hosts: Set<String>?
  /// Whether a proxy with TLS stands before the server, so that pages have `https:` addresses.
  var isBehindProxy = false
  /// Counts the answers.
  var counts: ServerCounts
  /// The fault that a client is told for an error.
  var fault: @Sendable (any Error) -> Fault
  /// The page that says why a request of a browser is not carried out.
  var page: @Sendable (Problem, Request) -> String
  var logger: Logger

  @concurrent func handle(
    _ request: Request, context: WebContext,
    next: @concurrent (Request, WebContext) async throws -> Response
  ) async throws -> Response {
    var response: Response
    do {
      if let problem = refusal(of: request, context) { throw problem }
      response = try await next(request, context)
    } catch {
      response =
        refusedMethod(of: request, error)
        ?? answer(to: request, problem: problem(error))
      if let seconds = Self.patience(after: error) {
        response.headers[.retryAfter] = String(seconds)
      }
    }
    counts.answered(response.status.code)
    // A box shows nothing, and says little: these fields would be most of what it hears.
    let rule = context.endpointPath.flatMap { RouteRule.of(request.method, $0) }
    guard rule?.isOfBoxes != true else { return response }
    // Headers that a response has already are stricter.
    for field in Self.headers where response.headers[field.name] == nil {
      response.headers[field.name] = field.value
    }
    return response
  }

  // MARK: Refusals

  private func refusal(of request: Request, _ context: WebContext) -> GuardError? {
    guard var hosts else { return nil }
    // No name resolves to the connection's own address but by being it.
    if let local = context.local { hosts.insert(local) }
    // Whom an ingress lets in has come to it by a name of its own.
    guard let host = request.head.authority.flatMap(Self.host),
      hosts.contains(host) || context.prefix != nil
    else {
      return .host(request.head.authority ?? "")
    }
    let rule = context.endpointPath.flatMap { RouteRule.of(request.method, $0) }
    guard rule?.takesAnyOrigin != true else { return nil }
    if let site = request.headers[.secFetchSite], !["same-origin", "none"].contains(site),
      !Self.isVisit(request)
    {
      return .foreign(site)
    }
    if let origin = request.headers[.origin] {
      // An opaque origin is another site's, too, and so is one of another scheme: what serves
      // https: here is not this server (RFC 6454, section 5).
      let authority = request.head.authority ?? ""
      let own =
        (isBehindProxy || context.prefix != nil
        ? ["https://", "http://"] : ["http://"]).map { $0 + authority }
      guard own.contains(where: { $0.caseInsensitiveCompare(origin) == .orderedSame }) else {
        return .foreign(origin)
      }
    }
    return nil
  }

  /// Whether a browser goes to a page that it shows in a window of its own.
  private static func isVisit(_ request: Request) -> Bool {
    [.get, .head].contains(request.method) && request.headers[.secFetchMode] == "navigate"
      && ["document", nil].contains(request.headers[.secFetchDest])
  }

  /// The host of `localhost:8080` or `[::1]:8080`, in lower case; `nil` for anything else than a
  /// name or address with at most a port (RFC 9110, section 7.2).
  static func host(_ authority: String) -> String? {
    let pattern =
      #/
      (?: \[ ([0-9a-f.]*:[0-9a-f:.]*) \] | ([a-z0-9._-]+) )  # an IPv6 address, or a name
      (?: :[0-9]{1,5} )?
      /#
    guard let parts = authority.lowercased().wholeMatch(of: pattern) else { return nil }
    return (parts.1 ?? parts.2).map(String.init)
  }

  // MARK: Answers

  /// The answer to a method that the path does not take; `nil` if the error is another one.
  private func refusedMethod(
    of request: Request, _ error: any Error
  ) -> Response? {
    guard (error as? HTTPError)?.status == .notFound else { return nil }
    let methods = RouteRule.methods(of: request.uri.path)
    guard !methods.isEmpty, !methods.contains(request.method.rawValue) else { return nil }
    var response = answer(
      to: request,
      problem: Problem(
        status: .methodNotAllowed,
        detail: "This address takes \(methods.joined(separator: ", ")), not \(request.method)."))
    response.headers[.allow] = methods.joined(separator: ", ")
    return response
  }

  /// After how many seconds a request that was one too many may come again.
  private static func patience(after error: any Error) -> Int? {
    switch error {
    case is UploadsBusy: UploadsBusy.patience
    case is MemoryExhausted, is TooManyStreams: MemoryExhausted.patience
    default: nil
    }
  }

  private func problem(_ error: any Error) -> Problem {
    switch error {
    case let error as AnswerTooLong: return Problem(error.fault)
    case is BrokenBody, is CancellationError:
      // A client that is cut off, or sends nonsense, is no fault of this program.
      logger.debug("A request's body was broken off or malformed.")
      return Problem(status: .badRequest, detail: "The body is broken off or malformed.")
    case is MemoryExhausted:
      return Problem(
        status: .serviceUnavailable,
        detail: "Too much is under way at once. Try again in some seconds.")
    case is TooManyStreams:
      return Problem(
        status: .serviceUnavailable,
        detail: "Too many streams are open, at most \(StreamPlaces.most) of"
          + " \(StreamPlaces.mostQueries) different queries. End some of them.")
    case let error as GuardError: return error.problem
    case let error as Fault: return Problem(error)
    case is AccessDenied:
      return Problem(status: .forbidden, detail: "Your account or token does not permit this.")
    case let error as HTTPError:
      return Problem(status: error.status, detail: error.body ?? error.status.reasonPhrase)
    case is UploadsBusy:
      return Problem(
        status: .serviceUnavailable,
        detail: "Other pictures or videos are arriving. Try again in some seconds.")
    case let error as AttachmentError:
      return Problem(status: error.status, detail: fault(error).message)
    case let error as RefusedFile:
      return Problem(status: error.error.status, detail: fault(error.error).message)
    case is NIOTooManyBytesError:
      return Problem(status: .contentTooLarge, detail: "The body is too long.")
    default:
      let fault = fault(error)
      if fault.kind == .failed { logger.error("A request failed: \(fault.message)") }
      return Problem(fault)
    }
  }

  private func answer(to request: Request, problem: Problem) -> Response {
    guard request.asksForPage else { return problem.response }
    return .page(page(problem, request), status: HTTPResponse.Status(code: problem.status))
  }

  /// The headers of every answer: nothing of other hosts runs, and no other site frames the page.
  static let headers: HTTPFields = {
    var fields = HTTPFields()
    fields[.contentSecurityPolicy] =
      "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:;"
      + " media-src 'self';"
      + " connect-src 'self'; form-action 'self'; manifest-src 'self'; base-uri 'none';"
      + " frame-ancestors 'none'"
    fields[.xContentTypeOptions] = "nosniff"
    let others = [
      "Referrer-Policy": "same-origin", "Cross-Origin-Opener-Policy": "same-origin",
      "Cross-Origin-Resource-Policy": "same-origin",
      "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
    ]
    for (name, value) in others {
      if let name = HTTPField.Name(name) { fields[name] = value }
    }
    return fields
  }()
}

/// Why a request is refused before it is read.
enum GuardError: Error, Hashable {
  /// It asks for a name that is not this machine's.
  case host(String)
  /// Another site made the browser send it.
  case foreign(String)
  /// The ingress says who it is, and that is nobody here.
  case stranger(id: String?)

  var problem: Problem {
    switch self {
    case .host(let host):
      Problem(
        status: .misdirectedRequest,
        detail: "This page is not served as ‘\(host)’. Use the address that the program printed.")
    case .foreign(let origin):
      Problem(
        status: .forbidden,
        detail: "Another site (\(origin)) may lead to a page here, and do nothing else.")
    case .stranger(let id):
      Problem(
        status: .forbidden,
        detail: "You have no account here. An administrator puts your id of Home Assistant into the"
          + " settings: page, ingress, accounts." + (id.map { " The id is \($0)." } ?? ""))
    }
  }
}

extension AttachmentError {
  /// The status of the answer that refuses it.
  var status: HTTPResponse.Status {
    switch self {
    case .tooLong: .contentTooLarge
    case .empty: .badRequest
    case .otherContent, .otherKind, .wronglyLabelled, .damaged, .notPlayed: .unsupportedMediaType
    }
  }
}

extension HTTPField.Name {
  fileprivate static var secFetchSite: HTTPField.Name? { HTTPField.Name("Sec-Fetch-Site") }
  fileprivate static var secFetchMode: HTTPField.Name? { HTTPField.Name("Sec-Fetch-Mode") }
  fileprivate static var secFetchDest: HTTPField.Name? { HTTPField.Name("Sec-Fetch-Dest") }
}

extension HTTPFields {
  fileprivate subscript(name: HTTPField.Name?) -> String? { name.flatMap { self[$0] } }
}
