import Access
import Foundation
import HTTPTypes
import Hummingbird
import Localization
import NIOCore
import Pages

// The parts of requests that several routes read, and answers to a browser.

extension Request {
  /// The media type of the body, in lower case and without parameters; empty without one.
  var mediaType: String {
    let type = headers[.contentType]?.split(separator: ";").first
    return type?.trimmingCharacters(in: .whitespaces).lowercased() ?? ""
  }

  /// Whether a browser asks for a page, rather than a program for data.
  var asksForPage: Bool {
    !uri.path.hasPrefix("/api/") && headers[.accept]?.contains("text/html") == true
  }
}

extension Response {
  /// An HTML page that is not kept.
  static func page(_ html: String, status: HTTPResponse.Status) -> Response {
    Response(
      status: status,
      headers: [.contentType: "text/html; charset=utf-8", .cacheControl: "no-store"],
      body: ResponseBody(byteBuffer: ByteBuffer(string: html)))
  }

  /// Keeps the language that the page's address asks for, for the pages that follow.
  mutating func remember(_ query: QueryItems?, site: Site) {
    remember(tag: query?["lang"], site: site)
  }

  /// Keeps a language that the reader chose, for the pages that follow.
  mutating func remember(tag: String?, site: Site) {
    guard let language = tag.flatMap({ site.language($0) }) else { return }
    setCookie(
      Cookie(
        name: "lang", value: language.code, maxAge: 365 * 86_400, path: "/", httpOnly: true,
        sameSite: .lax))
  }
}

extension Site {
  /// The language that the reader chose on the page, else the one that the browser asks for.
  func language(for request: Request) -> Language {
    request.cookies["lang"].flatMap { language($0.value) }
      ?? language(accepting: request.headers[.acceptLanguage])
  }

  /// The language that the page's address asks for, else as without an address.
  func language(for request: Request, _ query: QueryItems?) -> Language {
    query?["lang"].flatMap { language($0) } ?? language(for: request)
  }
}

extension Viewer {
  /// The reader of a page that is not one person's; without `query` it answers a form.
  init(
    of request: Request, _ context: WebContext, _ query: QueryItems? = nil, site: Site, now: Date,
    timeZone: TimeZone = .gmt, deviceNames: [String: String] = [:]
  ) {
    self.init(
      language: site.language(for: request, query), patient: nil, now: now, timeZone: timeZone,
      deviceNames: deviceNames)
    identify(context)
  }

  /// Takes the account and the rights of the request's sender.
  mutating func identify(_ context: WebContext) {
    account = context.identity.flatMap(Account.init)
    rights = context.grant.rights
  }
}
