import Care
import HTTPTypes
import Hummingbird

/// Whether nobody between a client and this machine reads what it sends: it came through the proxy,
/// whose TLS it is, or from this machine.
enum ProtectedWay {
  static func holds(_ request: Request, _ context: WebContext, _ access: WebAccess?) -> Bool {
    guard let peer = context.peer else { return true }
    if access?.isBehindProxy == true {
      let scheme = HTTPField.Name("X-Forwarded-Proto").flatMap { request.headers[$0] }
      return scheme?.lowercased() != "http"
    }
    return HostName.isThisMachine(peer)
  }

  /// The answer to a request that others in the network can read (RFC 9110, section 15.5.22).
  static func refused(_ response: Response) -> Response {
    var response = response
    response.headers[.upgrade] = "TLS/1.2, HTTP/1.1"
    return response
  }
}
