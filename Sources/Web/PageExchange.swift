import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Pages

// What several routes read of a request, and answer to a browser.

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
}

extension Site {
  /// The language that the reader chose on the page, else the one that the browser asks for.
  func language(for request: Request) -> Language {
    request.cookies["lang"].flatMap { language($0.value) }
      ?? language(accepting: request.headers[.acceptLanguage])
  }
}
