import Foundation
import Glibc

/// Whether this machine's own rules keep packets in: the unit's `IPAddressDeny`, or a firewall.
///
/// Such a rule drops the packets of TCP without a word, which looks like a network that loses them; a
/// datagram tells at once, with EPERM.
public enum Egress {
  /// Addresses that belong to nobody (RFC 5737, RFC 3849).
  private static let nobody = ["192.0.2.1", "2001:db8::1"]
  /// The port of the service that discards what it gets (RFC 863).
  private static let discard = "9"

  /// Whether the rules keep packets from a host; `nil` for one whose address is not known.
  public static func isBlocked(_ host: String?) -> Bool {
    var results: [Bool] = []
    for name in host.map({ [$0] }) ?? nobody { results += send(to: name) }
    // One way out is enough for libcurl; an address of a family without a network tells nothing.
    return results.contains(true) && !results.contains(false)
  }

  /// Sends an empty datagram to each address of a host: whether it was forbidden, where it was tried.
  private static func send(to host: String) -> [Bool] {
    var hints = unsafe addrinfo()
    unsafe hints.ai_socktype = Int32(SOCK_DGRAM.rawValue)
    unsafe hints.ai_flags = AI_NUMERICSERV
    var first: UnsafeMutablePointer<addrinfo>?
    guard unsafe getaddrinfo(host, discard, &hints, &first) == 0 else { return [] }
    defer { unsafe freeaddrinfo(first) }
    var results: [Bool] = []
    var next = unsafe first
    while let info = unsafe next {
      unsafe next = info.pointee.ai_next
      let descriptor = socket(
        unsafe info.pointee.ai_family, Int32(SOCK_DGRAM.rawValue) | O_CLOEXEC, 0)
      guard descriptor >= 0 else { continue }
      defer { close(descriptor) }
      guard unsafe connect(descriptor, info.pointee.ai_addr, info.pointee.ai_addrlen) == 0 else {
        continue
      }
      let count = Glibc.send(descriptor, nil, 0, Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
      results.append(count < 0 && errno == EPERM)
    }
    return results
  }
}
