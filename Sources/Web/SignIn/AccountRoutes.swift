import Access
import Actions
import Care
import CareStore
import Foundation
import Hummingbird
import Localization
import Pages

/// Accounts, tokens and the audit log, for administrators.
struct AccountRoutes {
  let environment: WebEnvironment
  let site: Site
  let access: WebAccess?

  func add(to router: Router<WebContext>) {
    router.get("setup/accounts") { request, context in
      let query = try QueryItems(request, known: ["lang"], allowsEmpty: true)
      return try await page(request, context, query)
    }
    change(router, "accounts/add") { access, form, identity in
      let draft = try draft(form)
      let passcode = try await access.control.makePasscode()
      let account = try await access.control.add(draft, passcode: passcode, by: identity)
      return AccountsPage.Secret(name: account.name, text: passcode, isToken: false)
    }
    change(router, "accounts/change") { access, form, identity in
      try await access.control.change(to: try draft(form), by: identity)
      return nil
    }
    change(router, "accounts/code") { access, form, identity in
      let id = Account.id(typed: form["id"] ?? "")
      guard identity.subject != .account(id) else { throw AccessError.notPermitted }
      let passcode = try await access.control.makePasscode()
      try await access.control.setPasscode(of: id, to: passcode, client: "", by: identity)
      let name = await access.control.accounts.first { $0.id == id }?.name
      return AccountsPage.Secret(name: name ?? id, text: passcode, isToken: false)
    }
    change(router, "accounts/remove") { access, form, identity in
      let id = Account.id(typed: form["id"] ?? "")
      guard identity.subject != .account(id) else { throw AccessError.notPermitted }
      try await access.control.remove(account: id, by: identity)
      return nil
    }
    change(router, "tokens/add") { access, form, identity in
      let scopes = Set(form.values("scope").compactMap(Permission.init))
      var expires: Date?
      if let text = form["days"] {
        guard let days = Int(text), (1...3_660).contains(days) else {
          throw AccessError.token(.expires)
        }
        expires = environment.now() + Double(days) * 86_400
      }
      let (token, secret) = try await access.control.makeToken(
        Token.Draft(
          name: form["name"] ?? "", scopes: scopes, patients: scope(form), expires: expires),
        by: identity)
      return AccountsPage.Secret(name: token.name, text: secret.text, isToken: true)
    }
    change(router, "tokens/revoke") { access, form, identity in
      try await access.control.revoke(token: form["id"] ?? "", by: identity)
      return nil
    }
    router.get("setup/audit", use: audit)
  }

  // MARK: Changes

  private func change(
    _ router: Router<WebContext>, _ path: String,
    _ body:
      @escaping @Sendable (WebAccess, FormBody, Identity) async throws ->
      AccountsPage.Secret?
  ) {
    router.post(RouterPath("setup/" + path)) { request, context in
      let access = try opened()
      let form = try await FormBody(request, context)
      guard let identity = context.identity else { throw AccessDenied() }
      do {
        let secret = try await body(access, form, identity)
        guard let secret else { return PageRoutes.redirect(to: "/setup/accounts") }
        return try await page(request, context, secret: secret)
      } catch let error as AccessError {
        context.note.fail()
        return try await page(request, context, error: error)
      }
    }
  }

  private func draft(_ form: FormBody) throws -> Account.Draft {
    guard let role = form["role"].flatMap(Role.init) else {
      throw Fault(.malformed, "The form names no role.")
    }
    return Account.Draft(
      id: form["id"] ?? "", name: form["name"] ?? "", role: role, patients: scope(form))
  }

  /// The patients that a form names, or all of them; nobody is refused where it is stored.
  private func scope(_ form: FormBody) -> PatientScope {
    form["everyone"] != nil ? .all : .only(Set(form.values("patients")))
  }

  // MARK: Pages

  private func page(
    _ request: Request, _ context: WebContext, _ query: QueryItems? = nil,
    secret: AccountsPage.Secret? = nil,
    error: AccessError? = nil
  ) async throws -> Response {
    let access = try opened()
    let (accounts, tokens) = (await access.control.accounts, await access.control.tokens)
    let patients = try await environment.store.read { try $0.patients() }
    let page = AccountsPage(
      people: accounts.map {
        AccountsPage.Person(
          id: $0.id, name: $0.name, role: $0.role.rawValue, patients: $0.patients.ids,
          isOwn: $0.id == context.identity?.account)
      },
      programs: tokens.map { token in
        AccountsPage.Program(
          id: token.id, name: token.name,
          scopes: Permission.allCases.filter(token.scopes.contains).map(\.rawValue),
          patients: token.patients.ids, created: token.created, expires: token.expires,
          lastUsed: token.lastUsed)
      }, patients: patients, roles: Role.allCases.map(\.rawValue),
      scopes: Permission.allCases.map(\.rawValue), secret: secret, error: error?.shown,
      viewer: try await viewer(request, context, query))
    var response = Response.page(
      page.html(site), status: error == nil ? .ok : .unprocessableContent)
    response.remember(query, site: site)
    return response
  }

  /// How many entries the log's page shows.
  private static let entries = 200

  @Sendable private func audit(_ request: Request, _ context: WebContext) async throws -> Response {
    let access = try opened()
    let query = try QueryItems(request, known: ["kind", "lang"], allowsEmpty: true)
    let isReads = query["kind"] == "reads"
    let entries =
      isReads
      ? try await access.log.lastReads(Self.entries)
      : try await access.log.lastChanges(Self.entries)
    // The log names ids; a person knows names.
    let accounts = await access.control.accounts.map { ("account \($0.id)", $0.name) }
    let tokens = await access.control.tokens.map { ("token \($0.id)", $0.name) }
    let names = Dictionary(accounts + tokens, uniquingKeysWith: { first, _ in first })
    let page = AuditPage(
      entries.map {
        AuditPage.Entry(
          time: $0.time, who: $0.subject.map { names[$0] ?? $0 }, action: $0.action.rawValue,
          object: $0.object.rawValue,
          outcome: $0.outcome.rawValue, patient: $0.patient, client: $0.client, path: $0.id)
      }, isReads: isReads, viewer: try await viewer(request, context, query))
    var response = Response.page(page.html(site), status: .ok)
    response.remember(query, site: site)
    return response
  }

  private func viewer(
    _ request: Request, _ context: WebContext, _ query: QueryItems?
  ) async throws -> Viewer {
    let zone = try await environment.store.read { try $0.zone() }
    return Viewer(
      of: request, context, query, site: site, now: environment.now(), timeZone: zone)
  }

  private func opened() throws(Fault) -> WebAccess {
    guard let access else { throw Fault(.unknown, "Nobody signs in on this address.") }
    return access
  }
}

extension PatientScope {
  /// The ids in their order; `nil` for all.
  fileprivate var ids: [String]? {
    switch self {
    case .all: nil
    case .only(let ids): ids.sorted()
    }
  }
}
