import Care
import Digests
import Foundation

/// A request that a box signs with its own key, without a date: its clock may be in 1970.
///
/// The method, the path and the digest of the body are signed, with a nonce that the centre gave
/// before, so that a request that was overheard is of no use.
///
/// Source: RFC 9421, HTTP Message Signatures; RFC 9530, Digest Fields.
package struct SignedRequest: Hashable, Sendable {
  package var method: String
  /// The path without a query.
  package var path: String
  package var body: [UInt8]

  /// Makes a request.
  package init(method: String, path: String, body: [UInt8]) {
    (self.method, self.path, self.body) = (method, path, body)
  }

  /// The fields that prove who sends it.
  package struct Fields: Hashable, Sendable {
    package var contentDigest: String
    package var signatureInput: String
    package var signature: String

    /// Makes fields as they arrived.
    package init(contentDigest: String, signatureInput: String, signature: String) {
      (self.contentDigest, self.signatureInput) = (contentDigest, signatureInput)
      self.signature = signature
    }
  }

  /// Why a request is not believed.
  package enum Refusal: Error, Hashable, Sendable {
    /// A field is none that a box of this program writes.
    case malformed
    /// The digest is another body's.
    case otherBody
    /// Nobody has this key.
    case unknownKey
    /// The nonce was not given, or was used.
    case usedNonce
    /// The signature is another request's or another key's.
    case otherSignature
  }

  /// The name of a key: the digest of its public half, in hex digits.
  package static func name(of publicKey: [UInt8]) -> String {
    SHA256.digest(of: publicKey).hexString
  }

  /// Signs the request; `nil` for a key that is none.
  package func signed(by privateKey: [UInt8], nonce: String) -> Fields? {
    guard let publicKey = Ed25519.publicKey(of: privateKey) else { return nil }
    let parameters = Self.parameters(nonce: nonce, key: Self.name(of: publicKey))
    guard let signature = Ed25519.sign(base(parameters), with: privateKey) else { return nil }
    return Fields(
      contentDigest: contentDigest, signatureInput: "box=" + parameters,
      signature: "box=:" + Data(signature).base64EncodedString() + ":")
  }

  /// Finds out who signed the request.
  ///
  /// - Parameters:
  ///   - fields: The fields that came with it.
  ///   - publicKey: The public key of a name; `nil` for one that nobody has.
  ///   - spend: Whether the nonce was given to that key; it is not given again.
  /// - Returns: The name of the key.
  /// - Throws: ``Refusal``, and the errors of `publicKey` and `spend`.
  package func signer(
    _ fields: Fields, publicKey: (String) throws -> [UInt8]?,
    spend: (_ nonce: String, _ key: String) throws -> Bool
  ) throws -> String {
    guard fields.contentDigest.utf8.count < 100, fields.signatureInput.utf8.count < 400,
      fields.signature.utf8.count < 200,
      let match = fields.signatureInput.wholeMatch(
        of:
          #/box=\("@method" "@path" "content-digest"\);nonce="([0-9a-f]{32})";keyid="([0-9a-f]{64})";alg="ed25519"/#
      ),
      let text = fields.signature.wholeMatch(of: #/box=:([A-Za-z0-9+\/]{86}==):/#),
      let signature = Data(base64Encoded: String(text.1))
    else { throw Refusal.malformed }
    guard fields.contentDigest == contentDigest else { throw Refusal.otherBody }
    let (nonce, key) = (String(match.1), String(match.2))
    guard let bytes = try publicKey(key), Self.name(of: bytes) == key else {
      throw Refusal.unknownKey
    }
    let message = base(Self.parameters(nonce: nonce, key: key))
    guard Ed25519.isValid(Array(signature), of: message, by: bytes) else {
      throw Refusal.otherSignature
    }
    guard try spend(nonce, key) else { throw Refusal.usedNonce }
    return key
  }

  private var contentDigest: String {
    "sha-256=:" + Data(SHA256.digest(of: body)).base64EncodedString() + ":"
  }

  private static func parameters(nonce: String, key: String) -> String {
    #"("@method" "@path" "content-digest");nonce="\#(nonce)";keyid="\#(key)";alg="ed25519""#
  }

  /// The signed text: a line for each component, and the parameters.
  private func base(_ parameters: String) -> [UInt8] {
    Array(
      """
      "@method": \(method)
      "@path": \(path)
      "content-digest": \(contentDigest)
      "@signature-params": \(parameters)
      """.utf8)
  }
}
