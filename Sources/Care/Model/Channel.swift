import Foundation

/// A way to reach a person.
///
/// The token of a server and the secret that signs are no part of it: a store keeps them in a file of
/// its own, by ``text``.
public enum Channel: Hashable, Sendable {
  /// A topic of a server of ntfy, to which telephones listen.
  case ntfy(server: WebAddress, topic: NtfyTopic)
  /// A mailbox.
  case email(MailAddress)
  /// A program, which gets messages by Standard Webhooks 1.0.
  case webhook(WebAddress)
  /// A service of a Home Assistant that notifies: a telephone with its app.
  case homeAssistant(server: WebAddress, service: NotifyService)

  /// Which kind it is.
  public enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
    case ntfy, email, webhook, homeAssistant
  }

  /// Which kind it is.
  public var kind: Kind {
    switch self {
    case .ntfy: .ntfy
    case .email: .email
    case .webhook: .webhook
    case .homeAssistant: .homeAssistant
    }
  }

  /// The whole of it in one line, by which commands name it: `email:nora@example.org`.
  public var text: String {
    switch self {
    case .ntfy(let server, let topic): "ntfy:\(server.base)/\(topic.text)"
    case .email(let address): "email:\(address.mailbox)"
    case .webhook(let address): "webhook:\(address.text)"
    case .homeAssistant(let server, let service):
      "homeAssistant:\(server.base)/\(service.text)"
    }
  }

  /// The most channels of a person: each is tried in turn, and a long list would only make an alarm late.
  public static let most = 8

  /// Reads ``text``; `nil` for what is none.
  public init?(_ text: String) {
    guard let colon = text.firstIndex(of: ":"), let kind = Kind(rawValue: String(text[..<colon]))
    else { return nil }
    self.init(kind, String(text[text.index(after: colon)...]))
  }

  /// Reads an address of a kind as a person writes it: a mail address, the address of a topic or of a
  /// service on its server (`https://ntfy.example/box-5f0c`), or that of a program.
  ///
  /// - Returns: `nil` for what is none.
  public init?(_ kind: Kind, _ address: String) {
    switch kind {
    case .email:
      guard let address = MailAddress(address) else { return nil }
      self = .email(address)
    case .webhook:
      guard let address = WebAddress(address) else { return nil }
      self = .webhook(address)
    case .ntfy, .homeAssistant:
      guard let slash = address.lastIndex(of: "/"),
        let server = WebAddress(String(address[..<slash]))
      else { return nil }
      let name = String(address[address.index(after: slash)...])
      if kind == .ntfy {
        guard let topic = NtfyTopic(name) else { return nil }
        self = .ntfy(server: server, topic: topic)
      } else {
        guard let service = NotifyService(name) else { return nil }
        self = .homeAssistant(server: server, service: service)
      }
    }
  }

  /// Whether something is a secret that opens this channel.
  public func takes(secret: String) -> Bool {
    switch self {
    case .ntfy: Self.isToken(secret, most: 200)
    case .homeAssistant: Self.isToken(secret, most: 1_000)
    case .email: false
    case .webhook: WebhookSecret(secret) != nil
    }
  }

  private static func isToken(_ text: String, most: Int) -> Bool {
    (1...most).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
  }
}

/// The name of a service of Home Assistant that notifies: `mobile_app_phone` of `notify.mobile_app_phone`.
public struct NotifyService: Hashable, Sendable {
  /// 1 to 128 small letters, digits and `_`.
  public let text: String

  /// Takes a name; `nil` for what is none.
  public init?(_ text: String) {
    guard (1...128).contains(text.utf8.count),
      text.utf8.allSatisfy({ byte in
        switch byte {
        case 0x30...0x39, 0x61...0x7A, 0x5F: true
        default: false
        }
      })
    else { return nil }
    self.text = text
  }
}

/// The name of a topic of ntfy.
public struct NtfyTopic: Hashable, Sendable {
  /// 1 to 64 letters, digits, `_` and `-`.
  public let text: String

  /// Takes a name; `nil` for what a server would not take.
  public init?(_ text: String) {
    guard (1...64).contains(text.utf8.count),
      text.utf8.allSatisfy({ byte in
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x5F, 0x2D: true
        default: false
        }
      })
    else { return nil }
    self.text = text
  }
}

// MARK: - Stand-ins

/// Who knows a topic may read what is sent to it. Where a plan is written out, a name stands for the
/// topic, by which the store that has the topic finds it again.
extension NtfyTopic {
  private static let standInPrefix = "kept-"
  private static let standInDigits = 16

  /// Whether it stands for a topic.
  package var isStandIn: Bool {
    text.hasPrefix(Self.standInPrefix)
      && text.count == Self.standInPrefix.count + Self.standInDigits
      && text.dropFirst(Self.standInPrefix.count).allSatisfy(\.isHexDigit)
  }

  /// The text that stands for it, by a digest that nobody can turn back.
  fileprivate func standIn(_ digest: ([UInt8]) -> [UInt8]) -> String {
    isStandIn
      ? text
      : Self.standInPrefix
        + String(digest(Array(text.utf8)).hexString.prefix(Self.standInDigits))
  }
}

extension Channel {
  /// Whether its topic is only what stands for one.
  package var isStandIn: Bool {
    if case .ntfy(_, let topic) = self { topic.isStandIn } else { false }
  }

  /// The channel as a plan is written out with it, by a digest that nobody can turn back.
  package func standIn(_ digest: ([UInt8]) -> [UInt8]) -> Channel {
    guard case .ntfy(let server, let topic) = self,
      let standIn = NtfyTopic(topic.standIn(digest))
    else { return self }
    return .ntfy(server: server, topic: standIn)
  }
}

/// The secret that opens a channel.
public struct ChannelSecret: Hashable, Sendable {
  /// The channel.
  public var channel: Channel
  /// The token of ntfy or Home Assistant, or the secret of a webhook.
  public var secret: Secret<String>

  /// Makes a secret; `nil` for what the channel does not take.
  public init?(_ channel: Channel, _ secret: String) {
    guard channel.takes(secret: secret) else { return nil }
    self.channel = channel
    self.secret = Secret(secret)
  }
}

/// The address of a mailbox, for a header and for the envelope.
public struct MailAddress: Hashable, Sendable {
  /// `nora@example.org`: ASCII, one `@`, no character that ends an address.
  public let mailbox: String
  public var name: String?

  /// Takes an address as a person wrote it; `nil` for what a server would read otherwise.
  public init?(_ mailbox: String, name: String? = nil) {
    let parts = mailbox.split(separator: "@", omittingEmptySubsequences: false)
    let forbidden = Set("<>()[]\\,;:\"")
    guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty }), mailbox.utf8.count <= 254,
      mailbox.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
      !mailbox.contains(where: forbidden.contains)
    else { return nil }
    self.mailbox = mailbox
    self.name = name
  }

  /// The part behind the `@`.
  package var domain: String { String(mailbox.drop { $0 != "@" }.dropFirst()) }
}

/// The secret of an endpoint: `whsec_` and 24 to 64 bytes in base64.
public struct WebhookSecret: Hashable, Sendable {
  package let key: [UInt8]

  /// Reads a secret as its other holder shows it; `nil` for what is none.
  public init?(_ text: String) {
    let prefix = "whsec_"
    guard text.hasPrefix(prefix),
      let key = Data(base64Encoded: String(text.dropFirst(prefix.count))),
      (24...64).contains(key.count)
    else { return nil }
    self.key = Array(key)
  }
}

/// An address on the web that something is sent to: `https`, or `http` within a house.
public struct WebAddress: Hashable, Sendable {
  /// As it was written.
  public let text: String
  /// Its host: a name, or an address without brackets.
  public let host: String

  /// Takes an address as a person wrote it.
  ///
  /// - Returns: `nil` for what is none, has a name and a password in it, or would send secrets through
  ///   the internet in plain text.
  public init?(_ text: String) {
    guard text.utf8.count <= 2_000, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
      let parts = URLComponents(string: text), let scheme = parts.scheme?.lowercased(),
      let host = parts.host?.trimmingCharacters(in: ["[", "]"]), !host.isEmpty,
      parts.user == nil, parts.password == nil, parts.fragment == nil,
      (parts.port ?? 443) >= 1, (parts.port ?? 443) <= 65_535
    else { return nil }
    guard scheme == "https" || scheme == "http" && HostName.isWithinHouse(host) else { return nil }
    self.text = text
    self.host = host
  }

  /// Whether what is sent there is encrypted on its way.
  package var isEncrypted: Bool { text.lowercased().hasPrefix("https:") }

  /// The text without a slash at its end.
  package var base: String { text.hasSuffix("/") ? String(text.dropLast()) : text }

  /// The address of a path below this one.
  package func appending(_ path: String) -> WebAddress? { WebAddress(base + path) }
}

/// Names and addresses of machines.
package enum HostName {
  /// Whether it is a name or an IPv4 address, which no URL reads otherwise.
  package static func isName(_ host: String) -> Bool {
    !host.isEmpty && host.utf8.count <= 253 && !host.hasPrefix("-")
      && host.utf8.allSatisfy { byte in
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E: true
        default: false
        }
      }
  }

  package static func isThisMachine(_ host: String) -> Bool {
    host.lowercased() == "localhost" || host.hasPrefix("127.") && octets(host) != nil
      || host == "::1"
  }

  /// Whether it is reached without the internet: private addresses, and names that only a house knows.
  package static func isWithinHouse(_ host: String) -> Bool {
    let name = host.lowercased()
    if isThisMachine(name) { return true }
    if let octets = octets(name) {
      switch (octets[0], octets[1]) {
      case (10, _), (192, 168), (169, 254), (172, 16...31): return true
      default: return false
      }
    }
    if name.contains(":") {
      return ["fc", "fd", "fe8", "fe9", "fea", "feb"].contains(where: name.hasPrefix)
    }
    return !name.contains(".")
      || [".local", ".lan", ".internal", ".home.arpa"].contains(where: name.hasSuffix)
  }

  private static func octets(_ host: String) -> [UInt8]? {
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    let octets = parts.compactMap { UInt8($0) }
    return parts.count == 4 && octets.count == 4 ? octets : nil
  }
}

// MARK: - Coding

/// A channel is coded as plan files write it, without its secret: `{"email": "nora@example.org"}`.
extension Channel: Codable {
  private enum CodingKeys: String, CodingKey { case ntfy, email, webhook, homeAssistant }
  private enum ServiceKeys: String, CodingKey { case server, service }
  private enum NtfyKeys: String, CodingKey { case server, topic }
  private enum WebhookKeys: String, CodingKey { case url }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    func check<Value>(_ value: Value?, _ key: CodingKeys) throws -> Value {
      guard let value else {
        throw DecodingError.dataCorruptedError(
          forKey: key, in: container, debugDescription: "it is no such address")
      }
      return value
    }
    guard container.allKeys.count == 1, let key = container.allKeys.first else {
      throw DecodingError.dataCorrupted(
        .init(codingPath: decoder.codingPath, debugDescription: "a channel is of one kind"))
    }
    switch key {
    case .ntfy:
      let parts = try container.nestedContainer(keyedBy: NtfyKeys.self, forKey: key)
      self = .ntfy(
        server: try check(WebAddress(try parts.decode(String.self, forKey: .server)), key),
        topic: try check(NtfyTopic(try parts.decode(String.self, forKey: .topic)), key))
    case .email:
      self = .email(try check(MailAddress(try container.decode(String.self, forKey: key)), key))
    case .webhook:
      let parts = try container.nestedContainer(keyedBy: WebhookKeys.self, forKey: key)
      self = .webhook(try check(WebAddress(try parts.decode(String.self, forKey: .url)), key))
    case .homeAssistant:
      let parts = try container.nestedContainer(keyedBy: ServiceKeys.self, forKey: key)
      self = .homeAssistant(
        server: try check(WebAddress(try parts.decode(String.self, forKey: .server)), key),
        service: try check(NotifyService(try parts.decode(String.self, forKey: .service)), key))
    }
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    switch self {
    case .ntfy(let server, let topic):
      var parts = container.nestedContainer(keyedBy: NtfyKeys.self, forKey: .ntfy)
      try parts.encode(server.text, forKey: .server)
      try parts.encode(topic.text, forKey: .topic)
    case .email(let address): try container.encode(address.mailbox, forKey: .email)
    case .webhook(let address):
      var parts = container.nestedContainer(keyedBy: WebhookKeys.self, forKey: .webhook)
      try parts.encode(address.text, forKey: .url)
    case .homeAssistant(let server, let service):
      var parts = container.nestedContainer(keyedBy: ServiceKeys.self, forKey: .homeAssistant)
      try parts.encode(server.text, forKey: .server)
      try parts.encode(service.text, forKey: .service)
    }
  }
}
