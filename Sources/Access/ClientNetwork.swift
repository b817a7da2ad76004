import Digests
import Foundation

/// The part of a client's address that one attacker cannot change at will: an IPv4 address, or the
/// first 64 bits of an IPv6 address, as providers assign them.
///
/// Source: RFC 4291, section 2.5.4; RFC 4291, section 2.5.5.2 for mapped IPv4 addresses.
package enum ClientNetwork {
  /// The network of an address; a text that is none is itself one.
  package static func name(of client: String) -> String {
    let text = client.prefix { $0 != "%" }
    var address = in6_addr()
    guard unsafe inet_pton(AF_INET6, String(text), &address) == 1 else { return client }
    let bytes = unsafe withUnsafeBytes(of: &address) { unsafe Array($0) }
    if bytes.prefix(12) == [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF] {
      return bytes.suffix(4).map(String.init).joined(separator: ".")
    }
    return Base64URL.text(of: Array(bytes.prefix(8)))
  }
}
