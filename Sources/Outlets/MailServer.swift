public import Care

/// A server that takes mail from its people: submission, never port 25.
public struct MailServer: Hashable, Sendable {
  /// How the connection is encrypted.
  public enum Encryption: String, Hashable, Sendable, CaseIterable {
    /// It begins in plain text and is encrypted before anything is said: port 587.
    case startTLS = "starttls"
    /// From the first byte: port 465.
    case tls
    /// Not at all: to this machine alone.
    case none
  }

  public let host: String
  public let port: Int
  public let encryption: Encryption
  /// The name to sign in by; `nil` for a server that asks for none.
  public let user: String?
  public let password: Secret<String>?

  /// Makes a server.
  ///
  /// - Returns: `nil` for what is no host, and for a connection in plain text to another machine.
  public init?(
    host: String, port: Int? = nil, encryption: Encryption = .startTLS, user: String? = nil,
    password: Secret<String>? = nil
  ) {
    guard HostName.isName(host), (1...65_535).contains(port ?? 587),
      encryption != .none || HostName.isThisMachine(host)
    else { return nil }
    self.host = host
    self.port =
      port
      ?? {
        switch encryption {
        case .startTLS: 587
        case .tls: 465
        case .none: 25
        }
      }()
    self.encryption = encryption
    self.user = user
    self.password = password
  }
}
