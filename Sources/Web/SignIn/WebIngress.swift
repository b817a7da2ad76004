import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Synchronization

/// A proxy before the page that has signed its people in and shows the page below a path: Home Assistant's.
///
/// It is known by the address that it connects from. From every other one its header fields count for nothing.
///
/// Source: developers.home-assistant.io, "Presenting your app": `X-Ingress-Path`, `X-Remote-User-Id`.
package struct WebIngress: Hashable, Sendable {
  /// The address that it connects from.
  package var address: String
  /// The accounts by the ids of its people; anybody else sees nothing.
  package var accounts: [String: String]

  /// Makes a proxy.
  package init(address: String, accounts: [String: String]) {
    (self.address, self.accounts) = (address, accounts)
  }

  /// The path below which the page is shown; `nil` where a request does not come from there.
  func prefix(of request: Request, from peer: String?) -> String? {
    guard peer == address, let path = request.headers[.ingressPath],
      path.wholeMatch(of: /(\/[A-Za-z0-9_-]{1,200}){1,8}/) != nil
    else { return nil }
    return path
  }

  /// The id of who sends a request; `nil` for what is none.
  func person(of request: Request) -> String? {
    request.headers[.remoteUserID].flatMap { id in
      id.wholeMatch(of: /[A-Za-z0-9-]{1,64}/) == nil ? nil : id
    }
  }

  /// The account of who sends a request.
  func account(of request: Request) -> String? { person(of: request).flatMap { accounts[$0] } }
}

extension HTTPField.Name {
  fileprivate static var ingressPath: HTTPField.Name? { HTTPField.Name("X-Ingress-Path") }
  fileprivate static var remoteUserID: HTTPField.Name? { HTTPField.Name("X-Remote-User-Id") }
}

extension HTTPFields {
  fileprivate subscript(name: HTTPField.Name?) -> String? { name.flatMap { self[$0] } }
}

/// Shows the page below the path of an ingress: the addresses of what is sent begin with it.
struct IngressWay: RouterMiddleware {
  typealias Context = WebContext

  let ingress: WebIngress?

  @concurrent func handle(
    _ request: Request, context: WebContext,
    next: @concurrent (Request, WebContext) async throws -> Response
  ) async throws -> Response {
    guard let prefix = ingress?.prefix(of: request, from: context.peer) else {
      return try await next(request, context)
    }
    var context = context
    context.prefix = prefix
    var response = try await next(request, context)
    if let location = response.headers[.location], location.hasPrefix("/") {
      response.headers[.location] = prefix + location
    }
    response.headers[values: .setCookie] = response.headers[values: .setCookie].map {
      $0.replacing("Path=/", with: "Path=\(prefix)/")
    }
    // The page stands in a frame of the same origin.
    if let policy = response.headers[.contentSecurityPolicy] {
      response.headers[.contentSecurityPolicy] = policy.replacing(
        "frame-ancestors 'none'", with: "frame-ancestors 'self'")
    }
    guard response.headers[.contentType]?.hasPrefix("text/html") == true else { return response }
    response.headers[.contentLength] = nil
    let page = PrefixedPage(prefix)
    response.body = response.body.map { page.take($0) }
    return response
  }
}

/// A page that is sent in pieces, one after the other.
private final class PrefixedPage: Sendable {
  private let text: Mutex<PrefixText>

  init(_ prefix: String) { text = Mutex(PrefixText(prefix)) }

  func take(_ piece: ByteBuffer) -> ByteBuffer {
    ByteBuffer(bytes: text.withLock { $0.take(piece.readableBytesView) })
  }
}

/// HTML in pieces, in which a prefix is put before each address of this site.
///
/// Templates alone write `href="/`: in a text that people enter a quotation mark is escaped.
struct PrefixText {
  private let prefix: [UInt8]
  /// The end of the last piece, in which an attribute may have begun.
  private var tail: [UInt8] = []

  private static let attributes = [
    "href", "src", "action", "formaction", "poster", "data-stream", "data-page",
  ].map { Array(" \($0)=\"/".utf8) }
  private static let longest = attributes.map(\.count).max() ?? 0

  init(_ prefix: String) { self.prefix = Array(prefix.utf8) }

  /// Returns a piece with the prefix in it.
  mutating func take(_ piece: some Collection<UInt8>) -> [UInt8] {
    let bytes = tail + piece
    var result: [UInt8] = []
    result.reserveCapacity(piece.count + 1_024)
    for place in tail.count..<bytes.count {
      if bytes[place] == UInt8(ascii: "/"), Self.begins(bytes[...place]) { result += prefix }
      result.append(bytes[place])
    }
    tail = Array(bytes.suffix(Self.longest))
    return result
  }

  private static func begins(_ bytes: ArraySlice<UInt8>) -> Bool {
    attributes.contains { bytes.suffix($0.count).elementsEqual($0) }
  }
}
