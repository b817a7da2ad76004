public import Care
import Digests
public import Foundation

/// A signed message to a program: Standard Webhooks 1.0.0, symmetric.
///
/// Source: github.com/standard-webhooks/standard-webhooks, spec/standard-webhooks.md.
public struct Webhook: Hashable, Sendable {
  /// The most bytes of a body.
  public static let mostBytes = 20_000

  /// The same at every attempt.
  public var id: String
  public var body: Data

  /// Makes a message of a body that is sent exactly so; `nil` if it is too long.
  public init?(id: String, body: Data) {
    guard body.count <= Self.mostBytes else { return nil }
    self.id = id
    self.body = body
  }

  /// The headers of one attempt at a time; several secrets while one replaces another.
  ///
  /// - Returns: `nil` if this machine cannot sign.
  public func headers(at time: Date, secrets: [WebhookSecret]) -> [(name: String, value: String)]? {
    let seconds = String(Int64(saturating: time.timeIntervalSince1970.rounded(.down)))
    let signed = Array("\(id).\(seconds).".utf8) + Array(body)
    var signatures: [String] = []
    for secret in secrets {
      guard let code = HMACSHA256.code(of: signed, key: secret.key) else { return nil }
      signatures.append("v1,\(Data(code).base64EncodedString())")
    }
    return [
      ("webhook-id", id), ("webhook-timestamp", seconds),
      ("webhook-signature", signatures.joined(separator: " ")),
      ("content-type", "application/json"),
    ]
  }
}
