import Foundation
import HTTPTypes
import Hummingbird
import Interchange
import NIOCore

/// Why a request of the interface is not carried out: `application/problem+json` (RFC 9457).
struct Problem: Encodable, Hashable {
  /// The kind of problem: `/problems/refused`.
  var type: String
  /// The kind in words.
  var title: String
  /// The status code.
  var status: Int
  /// The event, its object, the cause and the advice, in words.
  var detail: String

  init(_ fault: Fault) {
    type = "/problems/" + fault.kind.rawValue
    detail = fault.message
    (status, title) =
      switch fault.kind {
      case .malformed: (400, "The request is malformed")
      case .unknown: (404, "There is no such thing")
      case .refused: (409, "A rule forbids it")
      case .failed: (500, "It cannot be done now")
      }
  }

  init(status: HTTPResponse.Status, detail: String) {
    type = "about:blank"
    title = status.reasonPhrase
    self.status = status.code
    self.detail = detail
  }

  /// The response that says it.
  var response: Response {
    let body = (try? JSONText.of(self)) ?? Data("{}".utf8)
    return Response(
      status: HTTPResponse.Status(code: status),
      headers: [.contentType: "application/problem+json", .cacheControl: "no-store"],
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: body)))
  }
}
