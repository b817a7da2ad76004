import Access
import Actions
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import Localization
import Pages

/// Signing in and out, claiming the machine, and the own passcode.
struct SignInRoutes {
  let environment: WebEnvironment
  let site: Site
  let access: WebAccess?
  let logger: Logger

  func add(to router: Router<WebContext>) {
    router.get("signin", use: showSignIn)
    router.post("signin", use: signIn)
    router.get("claim", use: showClaim)
    router.post("claim", use: claim)
    router.get("account", use: showAccount)
    router.post("account/passcode", use: changePasscode)
    router.post("signout", use: signOut)
  }

  /// The sign-in page that leads to a page afterwards.
  static func address(returningTo page: String) -> String {
    LocalAddress("signin", items: [("return", page)]).description
  }

  // MARK: Pages

  @Sendable private func showSignIn(
    _ request: Request, _ context: WebContext
  ) async throws -> Response {
    guard let access else { return PageRoutes.redirect(to: "/today") }
    let query = try QueryItems(request, known: ["return", "lang"], allowsEmpty: true)
    guard await access.control.isClaimed else { return PageRoutes.redirect(to: "/claim") }
    return page(.signIn, request, context, query, back: FormBody.local(query["return"]))
  }

  @Sendable private func showClaim(
    _ request: Request, _ context: WebContext
  ) async throws -> Response {
    guard let access else { return PageRoutes.redirect(to: "/today") }
    let query = try QueryItems(request, known: ["lang"], allowsEmpty: true)
    guard await !access.control.isClaimed else { return PageRoutes.redirect(to: "/signin") }
    return page(.claim, request, context, query)
  }

  @Sendable private func showAccount(
    _ request: Request, _ context: WebContext
  ) async throws -> Response {
    guard context.identity?.formToken != nil else { return PageRoutes.redirect(to: "/today") }
    let query = try QueryItems(request, known: ["lang", "changed"], allowsEmpty: true)
    return page(.account, request, context, query, isChanged: query["changed"] != nil)
  }

  private func page(
    _ kind: SignInPage.Kind, _ request: Request, _ context: WebContext, _ query: QueryItems? = nil,
    back: String = "/today", entered: [String: String] = [:],
    refusal: SignInRefusal? = nil, isChanged: Bool = false
  ) -> Response {
    let page = SignInPage(
      kind, viewer: Viewer(of: request, context, query, site: site, now: environment.now()),
      account: context.identity?.account, back: back, entered: entered, error: refusal?.text,
      isChanged: isChanged)
    var response = Response.page(page.html(site), status: refusal?.status ?? .ok)
    if case .access(.wait(let seconds)) = refusal, let name = HTTPField.Name("Retry-After") {
      response.headers[name] = String(seconds)
    }
    response.remember(query, site: site)
    return response
  }

  // MARK: Signing in and out

  @Sendable private func signIn(
    _ request: Request, _ context: WebContext
  ) async throws -> Response {
    let access = try opened()
    let form = try await FormBody(request, context)
    let client = context.client ?? ""
    do throws(AccessError) {
      let signedIn = try await access.control.signIn(
        account: form["account"] ?? "", passcode: form.exactly("passcode"), client: client,
        replacing: access.cookie(of: request))
      await write(.signIn, .session, signedIn.identity.subject, client, .done)
      return welcome(signedIn, to: form.back)
    } catch {
      await write(.signIn, .session, nil, client, error.isRefusal ? .refused : .failed)
      return page(
        .signIn, request, context, back: form.back, entered: ["account": form["account"] ?? ""],
        refusal: SignInRefusal(error))
    }
  }

  @Sendable private func claim(
    _ request: Request, _ context: WebContext
  ) async throws -> Response {
    let access = try opened()
    let form = try await FormBody(request, context)
    let client = context.client ?? ""
    let entered = ["account": form["account"] ?? "", "name": form["name"] ?? ""]
    guard form.exactly("new") == form.exactly("again") else {
      return page(.claim, request, context, entered: entered, refusal: .different)
    }
    do throws(AccessError) {
      let signedIn = try await access.control.claim(
        code: form["code"] ?? "", id: form["account"] ?? "", name: form["name"] ?? "",
        passcode: form.exactly("new"), client: client)
      await write(.claim, .account, signedIn.identity.subject, client, .done)
      return welcome(signedIn, to: "/today")
    } catch {
      await write(.claim, .account, nil, client, error.isRefusal ? .refused : .failed)
      if await access.control.takeEndOfClaimCode() {
        logger.warning(
          "The code for /claim has ended, after 30 minutes or too many wrong ones. Restart the program for another one."
        )
      }
      return page(
        .claim, request, context, entered: entered,
        refusal: SignInRefusal(error, wrong: .wrongCode))
    }
  }

  @Sendable private func signOut(
    _ request: Request, _ context: WebContext
  ) async throws -> Response {
    let access = try opened()
    if let cookie = access.cookie(of: request) {
      do {
        try await access.control.signOut(cookie: cookie)
      } catch {
        logger.error("A session has ended, but may return after a restart: \(error).")
      }
    }
    var response = PageRoutes.redirect(to: "/signin")
    response.setCookie(access.cookie(nil))
    // On a tablet that several people use, the way back leads to no page of this person.
    if let name = HTTPField.Name("Clear-Site-Data") { response.headers[name] = "\"cache\"" }
    return response
  }

  @Sendable private func changePasscode(
    _ request: Request, _ context: WebContext
  ) async throws -> Response {
    let access = try opened()
    guard let identity = context.identity, case .account(let id) = identity.subject else {
      throw AccessDenied()
    }
    let form = try await FormBody(request, context)
    guard form.exactly("new") == form.exactly("again") else {
      context.note.fail()
      return page(.account, request, context, refusal: .different)
    }
    do throws(AccessError) {
      let signedIn = try await access.control.setPasscode(
        of: id, to: form.exactly("new"), current: form.exactly("passcode"),
        client: context.client ?? "", by: identity)
      var response = PageRoutes.redirect(to: "/account?changed=1")
      if let signedIn { response.setCookie(access.cookie(signedIn)) }
      return response
    } catch {
      return page(
        .account, request, context, refusal: SignInRefusal(error))
    }
  }

  // MARK: Working

  private func opened() throws(Fault) -> WebAccess {
    guard let access else { throw Fault(.unknown, "Nobody signs in on this address.") }
    return access
  }

  private func welcome(_ signedIn: SignedIn, to page: String) -> Response {
    var response = PageRoutes.redirect(to: page)
    if let access { response.setCookie(access.cookie(signedIn)) }
    return response
  }

  private func write(
    _ action: AuditEntry.Action, _ object: AuditEntry.Object, _ subject: Identity.Subject?,
    _ client: String, _ outcome: AuditEntry.Outcome
  ) async {
    await access?.write(
      AuditEntry(
        time: environment.now(), subject: subject, action: action, object: object, client: client,
        outcome: outcome), logger)
  }
}

// MARK: - Refusals

extension AccessError {
  /// Whether the rules of access refuse it, rather than a disk or the program.
  fileprivate var isRefusal: Bool {
    switch self {
    case .wrong, .wait, .busy, .notPermitted, .claimClosed: true
    default: false
    }
  }
}

extension AccessError {
  /// The text on a page: a fault of the machine's files is for the log.
  var shown: LocalizedText {
    if case .file = self { AccessError.unavailable.localized } else { localized }
  }
}

/// Why a form on which people prove who they are was refused.
private enum SignInRefusal {
  case access(AccessError)
  /// The claim code is wrong.
  case wrongCode
  /// The two new passcodes differ.
  case different

  /// Makes the refusal of a proof: a stranger learns neither whether an account exists nor what it may.
  init(_ error: AccessError, wrong: SignInRefusal = .access(.wrong)) {
    switch error {
    case .wrong, .notPermitted, .unknownAccount: self = wrong
    default: self = .access(error)
    }
  }

  var text: LocalizedText {
    switch self {
    case .access(let error): error.shown
    case .wrongCode: "accessError.wrongCode"
    case .different: "accessError.different"
    }
  }

  /// The status of the page that says it.
  var status: HTTPResponse.Status {
    switch self {
    case .access(.claimClosed): .conflict
    case .access(.wait): .tooManyRequests
    case .access(.busy), .access(.unavailable), .access(.file): .serviceUnavailable
    default: .unprocessableContent
    }
  }
}
