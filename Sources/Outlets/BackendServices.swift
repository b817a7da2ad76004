package import Care
import Digests
package import Foundation
import Synchronization

/// Tokens of a server for a program that proves itself by a key: SMART Backend Services with ES384.
///
/// The server's own document says where tokens are made and which scopes there are. A token is asked
/// for when there is none, and again when it ends.
///
/// Source: HL7, SMART App Launch 2.2, "Backend Services" and "Asymmetric client authentication".
package final class BackendServices: Sendable {
  /// The reasons why this box needs the server, each with the scopes that it asks for, as `TYPE.rights`.
  package enum Purpose: Sendable {
    /// Sends measurements.
    case sending
    /// Reads plans.
    case reading

    /// The types, and whether they are written; all of them are searched.
    fileprivate var types: [(name: String, isWritten: Bool)] {
      switch self {
      case .sending: [("Device", true), ("Observation", true), ("Patient", true)]
      case .reading:
        [
          ("CarePlan", false), ("MedicationRequest", false), ("Questionnaire", false),
          ("ServiceRequest", false),
        ]
      }
    }
  }

  /// The key of this box, as the server knows it.
  package struct Client: Sendable {
    /// The name that the server gave to this box.
    var id: String
    var key: ClientKey

    /// Makes a client.
    package init(id: String, key: ClientKey) { (self.id, self.key) = (id, key) }
  }

  private struct Token {
    var text: Secret<String>
    var end: Date
  }

  private let base: WebAddress
  private let client: Client
  private let purpose: Purpose
  private let now: @Sendable () -> Date
  private let name: @Sendable () -> UUID
  private let send: @Sendable (HTTPRequest) async -> TransferResult
  private let held = Mutex<Token?>(nil)

  /// Makes the way to a server's tokens.
  ///
  /// - Parameters:
  ///   - base: The FHIR server's base.
  ///   - client: This box.
  ///   - purpose: Why it needs the server.
  ///   - now: The clock.
  ///   - name: A new name for each proof.
  ///   - send: The transport.
  package init(
    of base: WebAddress, for client: Client, purpose: Purpose,
    now: @escaping @Sendable () -> Date, name: @escaping @Sendable () -> UUID,
    send: @escaping @Sendable (HTTPRequest) async -> TransferResult
  ) {
    (self.base, self.client, self.purpose) = (base, client, purpose)
    (self.now, self.name, self.send) = (now, name, send)
  }

  /// Why there is no token.
  struct Refusal: Error {
    var result: DeliveryResult
  }

  /// A token that holds for another half minute at least.
  func token() async throws(Refusal) -> Secret<String> {
    if let token = held.withLock({ $0 }), now() + 30 < token.end { return token.text }
    let token = try await ask(try await configuration())
    held.withLock { $0 = token }
    return token.text
  }

  /// Forgets a token that the server takes no more.
  func forget(_ token: Secret<String>) {
    held.withLock { if $0?.text == token { $0 = nil } }
  }

  // MARK: The server's document

  private struct Configuration: Decodable {
    var tokenEndpoint: String
    var capabilities: [String]?
    var scopes: [String]?

    enum CodingKeys: String, CodingKey {
      case tokenEndpoint = "token_endpoint"
      case capabilities
      case scopes = "scopes_supported"
    }
  }

  private func configuration() async throws(Refusal) -> Configuration {
    guard let address = base.appending("/.well-known/smart-configuration") else {
      throw refusal(.unexpected(detail: "no address"))
    }
    let body = try await answer(
      HTTPRequest("GET", address, headers: [.init("Accept", "application/json")]))
    guard let found = try? JSONDecoder().decode(Configuration.self, from: body) else {
      throw refusal(.unexpected(detail: "\(base.host) has no smart-configuration"))
    }
    return found
  }

  /// The scopes to ask for, in the version that the server has; what it does not list is left out.
  private func scopes(_ configuration: Configuration) -> String {
    let isSecond =
      configuration.capabilities?.contains("permission-v2") ?? true
      || configuration.scopes?.contains { $0.hasSuffix("s") && $0.hasPrefix("system/") } ?? false
    let all = purpose.types.flatMap { type in
      switch (isSecond, type.isWritten) {
      case (true, true): ["system/\(type.name).cruds"]
      case (true, false): ["system/\(type.name).rs"]
      case (false, true): ["system/\(type.name).read", "system/\(type.name).write"]
      case (false, false): ["system/\(type.name).read"]
      }
    }
    let listed = configuration.scopes.map { listed in all.filter(listed.contains) } ?? []
    // A server may list patterns, or only a few of them.
    return (listed.isEmpty ? all : listed).joined(separator: " ")
  }

  // MARK: The token

  private struct Answer: Decodable {
    var token: String
    var type: String
    var seconds: Double?

    enum CodingKeys: String, CodingKey {
      case token = "access_token"
      case type = "token_type"
      case seconds = "expires_in"
    }
  }

  /// The header of a proof.
  private struct Header: Encodable {
    var alg = "ES384"
    var kid: String
    var typ = "JWT"
  }

  /// The claims of a proof.
  ///
  /// Source: RFC 7523 §3.
  private struct Claims: Encodable {
    var iss: String
    var sub: String
    var aud: String
    var exp: Int
    var iat: Int
    var jti: String
  }

  /// How long a proof holds; the standard allows five minutes.
  private static let validity = 240

  private func ask(_ configuration: Configuration) async throws(Refusal) -> Token {
    guard let endpoint = WebAddress(configuration.tokenEndpoint),
      endpoint.isEncrypted || !base.isEncrypted
    else { throw refusal(.unexpected(detail: "the token endpoint is no address")) }
    let date = now()
    let form = [
      ("grant_type", "client_credentials"), ("scope", scopes(configuration)),
      ("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"),
      ("client_assertion", try proof(for: endpoint, at: date)),
    ]
    let text = form.map { "\($0)=\(Self.formText($1))" }.joined(separator: "&")
    let body = try await answer(
      HTTPRequest(
        "POST", endpoint,
        headers: [
          .init("Accept", "application/json"),
          .init("Content-Type", "application/x-www-form-urlencoded"),
        ], body: Data(text.utf8)))
    guard let answer = try? JSONDecoder().decode(Answer.self, from: body),
      answer.type.lowercased() == "bearer", !answer.token.isEmpty,
      answer.token.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
    else { throw refusal(.unexpected(detail: "\(endpoint.host) gave no token")) }
    let seconds = min(max(answer.seconds ?? 300, 0), 3_600)
    return Token(text: Secret(answer.token), end: date + seconds)
  }

  /// The signed proof of who asks: a JWT.
  private func proof(for endpoint: WebAddress, at date: Date) throws(Refusal) -> String {
    let second = Int(saturating: date.timeIntervalSince1970)
    let claims = Claims(
      iss: client.id, sub: client.id, aud: endpoint.text, exp: second + Self.validity,
      iat: second, jti: name().uuidString.lowercased())
    guard let header = Self.part(Header(kid: client.key.id)), let content = Self.part(claims),
      let signature = client.key.sign("\(header).\(content)")
    else { throw refusal(.unexpected(detail: "the key signs nothing")) }
    return "\(header).\(content).\(signature)"
  }

  private static func part(_ value: some Encodable) -> String? {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return (try? encoder.encode(value)).map { Base64URL.text(of: Array($0)) }
  }

  private static let unreserved = CharacterSet(
    charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")

  private static func formText(_ text: String) -> String {
    text.addingPercentEncoding(withAllowedCharacters: unreserved) ?? ""
  }

  // MARK: Answers

  private func refusal(_ fault: DeliveryFault) -> Refusal {
    Refusal(result: .later(fault, after: nil))
  }

  private struct Fault: Decodable {
    var error: String
    var words: String?

    enum CodingKeys: String, CodingKey {
      case error
      case words = "error_description"
    }
  }

  private func answer(_ request: HTTPRequest) async throws(Refusal) -> Data {
    let result = await send(request)
    guard case .answered(let status, let retryAfter, let body) = result else {
      throw Refusal(result: result.meaning)
    }
    if (200..<300).contains(status) { return body }
    if let fault = try? JSONDecoder().decode(Fault.self, from: body) {
      let words = [fault.error, fault.words].compactMap(\.self).joined(separator: ": ")
      // A clock that is wrong reads as a client that is.
      throw refusal(.client(detail: words.oneLine.shortened(toBytes: 200)))
    }
    let meaning = DeliveryResult(status: status, retryAfter: retryAfter, detail: body.firstLine)
    throw Refusal(result: meaning.ofNoItem)
  }
}

/// The private key by which this box proves itself to servers, on the curve P-384.
package struct ClientKey: Sendable {
  private let pem: Secret<String>
  /// The public key as a JSON Web Key (RFC 7517).
  package let publicKey: PublicKey

  /// Reads a key from PEM without a password; `nil` for what is none of this curve.
  package init?(pem: Secret<String>) {
    guard let point = ES384.publicPoint(of: pem.revealed) else { return nil }
    self.pem = pem
    publicKey = PublicKey(x: Base64URL.text(of: point.x), y: Base64URL.text(of: point.y))
  }

  /// The name of the key: the SHA-256 of its public part (RFC 7638).
  package var id: String { publicKey.kid }

  /// A signature of a text, in base64url.
  func sign(_ text: String) -> String? {
    ES384.sign(Array(text.utf8), with: pem.revealed).map(Base64URL.text)
  }

  /// A public key, as servers take it.
  package struct PublicKey: Encodable, Hashable, Sendable {
    package var alg = "ES384"
    package var crv = "P-384"
    package var kid: String
    package var kty = "EC"
    package var use = "sig"
    package var x: String
    package var y: String

    init(x: String, y: String) {
      (self.x, self.y) = (x, y)
      // The members of the thumbprint, in the order of their names (RFC 7638 §3.2).
      let content = #"{"crv":"P-384","kty":"EC","x":"\#(x)","y":"\#(y)"}"#
      kid = Base64URL.text(of: SHA256.digest(of: Array(content.utf8)))
    }
  }
}
