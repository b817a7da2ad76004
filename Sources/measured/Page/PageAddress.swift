import ArgumentParser
import Foundation
import Web

/// The address of the page: a port of this machine, with or without its name.
struct PageAddress: Hashable, Sendable, ExpressibleByArgument {
  /// A loopback name or address.
  var host: String
  /// The port; 0 for a free one.
  var port: Int

  /// The page's usual address.
  static let standard = PageAddress(host: "127.0.0.1", port: 8_473)

  /// A free port, for a page of the moment.
  static let free = PageAddress(host: "127.0.0.1", port: 0)

  /// Reads `8473`, `127.0.0.1:8473`, `localhost:8473` or `[::1]:8473`; `nil` for anything else, and
  /// for an address of another machine.
  init?(argument text: String) {
    if let port = Int(text) {
      self.init(host: Self.standard.host, port: port)
    } else {
      guard let colon = text.lastIndex(of: ":"), let port = Int(text[text.index(after: colon)...])
      else { return nil }
      var host = String(text[..<colon])
      if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
      self.init(host: host, port: port)
    }
    guard (0...65_535).contains(port), ["127.0.0.1", "::1", "localhost"].contains(host) else {
      return nil
    }
  }

  var defaultValueDescription: String { "\(host):\(port)" }

  private init(host: String, port: Int) {
    self.host = host
    self.port = port
  }

  /// The address for the server.
  var address: WebServer.Address { .loopback(host: host, port: port) }
}
