import ArgumentParser
package import Care
import Foundation
import Localization
package import Web

/// The address of the page, and whether people sign in on it.
package struct PageAddress: Hashable, Sendable, ExpressibleByArgument {
  /// The name or address that it listens on.
  package var host: String
  /// The port; 0 for a free one.
  var port: Int
  /// The names under which other machines may ask for the page, without port.
  package var names: [String] = []
  /// Whether a reverse proxy with TLS stands before it.
  var isBehindProxy = false
  /// A proxy that signs people in, such as Home Assistant's ingress; `nil` for none.
  package var ingress: WebIngress?
  /// Where telephones reach the page; `nil` if messages have no links.
  package var reached: WebAddress?
  /// The beginning of its addresses: where telephones reach it, else where it listens.
  package var base: String {
    let isEverywhere = ["0.0.0.0", "::"].contains(host)
    let name = isEverywhere ? names.first ?? ProcessInfo.processInfo.hostName : host
    return reached?.base ?? "http://\(name.contains(":") ? "[\(name)]" : name):\(port)"
  }
  /// Whether people sign in; always for an address that other machines reach.
  package var requiresSignIn = false

  /// The page's usual address.
  package static let standard = PageAddress(host: "127.0.0.1", port: 8_473)

  /// A free port, for a page of the moment.
  package static let free = PageAddress(host: "127.0.0.1", port: 0)

  /// Reads `8473`, `127.0.0.1:8473`, `localhost:8473`, `[::1]:8473` or `0.0.0.0:8473`; `nil` for
  /// anything else.
  ///
  /// On an address that other machines reach, people sign in.
  package init?(argument text: String) {
    if let port = Int(text) {
      self.init(host: Self.standard.host, port: port)
    } else {
      guard let colon = text.lastIndex(of: ":"), let port = Int(text[text.index(after: colon)...])
      else { return nil }
      var host = String(text[..<colon])
      if host.hasPrefix("["), host.hasSuffix("]") {
        host = String(host.dropFirst().dropLast())
      } else if host.contains(":") {
        return nil
      }
      self.init(host: host, port: port)
    }
    guard (0...65_535).contains(port), Self.isName(host) else { return nil }
    requiresSignIn = !address.isProtectedBySystem
  }

  /// Reads an option's value.
  ///
  /// - Throws: `ValidationError` that says what can be written.
  package init(entered text: String) throws {
    guard let address = PageAddress(argument: text) else {
      throw ValidationError(LocalizedText("command.page.format").message)
    }
    self = address
  }

  package var defaultValueDescription: String { "\(host):\(port)" }

  private init(host: String, port: Int) {
    self.host = host
    self.port = port
  }

  /// Whether a text can be the name or address of a machine.
  static func isName(_ text: String) -> Bool {
    (1...253).contains(text.utf8.count)
      && text.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"),
          UInt8(ascii: "_"), UInt8(ascii: ":"):
          true
        default: false
        }
      }
  }

  /// The address for the server.
  package var address: WebServer.Address { .host(host, port: port) }

  /// The names under which the page may be asked for, this machine's own included.
  package var allNames: [String] {
    let machine = ProcessInfo.processInfo.hostName.lowercased()
    let short = machine.split(separator: ".").first.map(String.init) ?? machine
    // `.local` is the name by multicast DNS (RFC 6762).
    let reached = reached.map { [$0.host] } ?? []
    return requiresSignIn ? names + reached + [machine, short, short + ".local"] : names + reached
  }

  /// The warning in the log about an address where people sign in; `nil` for another.
  package var exposure: String? {
    guard requiresSignIn else { return nil }
    if isBehindProxy {
      return "The page expects a proxy with TLS before it. Let nothing but the proxy reach"
        + " \(host):\(port): what it says of clients' addresses is believed."
    }
    guard !address.isProtectedBySystem else { return nil }
    return "The page can be reached from the network, without TLS: anybody in this network can read"
      + " what is typed, passcodes too. Put a proxy with TLS before it (proxy: true)."
  }
}
