package import Access
import Foundation
import HTTPTypes
import Hummingbird

/// The access to a page that the network reaches: accounts, the audit log, and how clients are told
/// apart.
package struct WebAccess: Sendable {
  /// The accounts, tokens and sessions.
  package let control: AccessControl
  /// Who saw and changed what.
  package let log: AuditLog
  /// Whether a reverse proxy with TLS stands before the page.
  ///
  /// Then the client's address is the last of `X-Forwarded-For`, which the proxy adds, and cookies
  /// are sent over TLS alone.
  package let isBehindProxy: Bool
  /// A proxy that signs people in; `nil` for none.
  package let ingress: WebIngress?

  /// Makes the access of a page.
  package init(
    control: AccessControl, log: AuditLog, isBehindProxy: Bool, ingress: WebIngress? = nil
  ) {
    self.ingress = ingress
    self.control = control
    self.log = log
    self.isBehindProxy = isBehindProxy
  }

  // MARK: Cookies

  /// The session cookie's name; `__Host-` binds it to this name and to TLS (RFC 6265bis).
  var cookieName: String { isBehindProxy ? "__Host-measured" : "measured" }

  /// The session cookie that a request carries.
  func cookie(of request: Request) -> String? { request.cookies[cookieName]?.value }

  /// The cookie of a session that has just begun; one that ends at once for `nil`.
  func cookie(_ signedIn: SignedIn?) -> Cookie {
    Cookie(
      name: cookieName, value: signedIn?.cookie.text ?? "",
      maxAge: Int(signedIn?.lifetime ?? 0), path: "/", secure: isBehindProxy, httpOnly: true,
      sameSite: .lax)
  }

  // MARK: Clients

  /// The client's address.
  func client(of request: Request, _ context: WebContext) -> String {
    let peer = context.peer ?? ""
    guard isBehindProxy, let name = HTTPField.Name("X-Forwarded-For") else { return peer }
    // Entries before the proxy's own are the client's to choose.
    let entries = request.headers[values: name].joined(separator: ",").split(separator: ",")
    let last = entries.last?.trimmingCharacters(in: .whitespaces) ?? ""
    // Some proxies add the port, which a client can change at will.
    return last.isEmpty ? peer : RequestGuard.host(last) ?? last
  }

  // MARK: Identities

  /// Who sends a request.
  ///
  /// A request with an `Authorization` field is a program's: its cookie does not count.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - context: Its context.
  ///   - isUse: Whether a person did something, which prolongs their session.
  /// - Returns: `nil` without a valid proof.
  func identity(of request: Request, _ context: WebContext, isUse: Bool) async -> Identity? {
    // Who comes through an ingress is whom that says, and nobody by a cookie or token besides.
    if context.prefix != nil {
      guard let account = ingress?.account(of: request) else { return nil }
      return await control.identity(behindProxy: account)
    }
    if let field = request.headers[.authorization] {
      let parts = field.split(separator: " ", maxSplits: 1)
      guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
      return await control.identity(bearer: String(parts[1]))
    }
    guard let cookie = cookie(of: request) else { return nil }
    return await control.identity(cookie: cookie, isUse: isUse)
  }
}
