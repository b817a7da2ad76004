import Digests
import Foundation

/// 256 random bits that prove who sends a request.
///
/// Only its digest is stored. The text is shown or sent once, to the person or browser that owns
/// it. Its description hides it, so that no log shows it.
package struct Secret: Sendable, CustomStringConvertible {
  /// The purpose of a secret; its prefix lets people, and scanners of repositories, recognise one.
  package enum Kind: String, Sendable {
    /// A program's: `Authorization: Bearer mt_…`.
    case token = "mt_"
    /// A browser's: the value of its cookie.
    case session = "ms_"
  }

  /// The kind and 43 characters of base64url.
  package let text: String

  init?(_ kind: Kind, bytes: [UInt8]) {
    guard bytes.count == 32 else { return nil }
    text = kind.rawValue + Base64URL.text(of: bytes)
  }

  /// Reads a secret that a request carries.
  ///
  /// - Returns: `nil` if it is not of this kind, or has another form.
  init?(_ kind: Kind, text: String) {
    let prefix = kind.rawValue.utf8
    guard text.utf8.count == prefix.count + 43, text.utf8.starts(with: prefix),
      text.utf8.dropFirst(prefix.count).allSatisfy(Base64URL.isDigit)
    else { return nil }
    self.text = text
  }

  package var description: String { "secret" }

  var digest: SecretDigest { SecretDigest(of: Array(text.utf8)) }

  /// The token that the forms of a session carry against forged requests: 43 characters.
  ///
  /// It is derived from the session, so that it needs no storage, and another site, which cannot
  /// read the cookie, cannot know it. It does not tell the session's secret.
  ///
  /// Source: OWASP, "Cross-Site Request Forgery Prevention", HMAC-based token.
  var formToken: String? {
    HMACSHA256.code(of: Array("measured form 1".utf8), key: Array(text.utf8)).map(Base64URL.text)
  }
}

extension Secret: CustomReflectable {
  package var customMirror: Mirror { Mirror(self, children: []) }
}

/// The stored form of a ``Secret``: its SHA-256.
///
/// A fast digest is enough for 256 random bits; only passcodes that people choose need scrypt.
struct SecretDigest: Hashable, Sendable {
  let bytes: [UInt8]

  init(of text: [UInt8]) {
    bytes = SHA256.digest(of: text)
  }

  /// Whether both are equal, in constant time.
  func matches(_ other: SecretDigest) -> Bool { ConstantTime.areEqual(bytes, other.bytes) }
}

extension SecretDigest: Codable {
  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let bytes = Base64URL.bytes(of: try container.decode(String.self)), bytes.count == 32
    else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "no digest")
    }
    self.bytes = bytes
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(Base64URL.text(of: bytes))
  }
}
