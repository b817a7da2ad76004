import CCrypto

/// Decryption by AES-128 in CCM mode, with OpenSSL's libcrypto.
///
/// Source: NIST SP 800-38C; RFC 3610.
package enum AESCCM {
  /// The reason why a message was not decrypted.
  package enum Failure: Error, Hashable, Sendable {
    /// The tag does not match: another key, another sender, or damaged bytes.
    case notAuthentic
    /// A length of the key, nonce, tag or message is not allowed in CCM.
    case badLength
    /// This machine's libcrypto has no AES-CCM, or is out of memory.
    case unavailable
  }

  /// Authenticates and decrypts a message.
  ///
  /// - Parameters:
  ///   - sealed: The encrypted bytes without the tag, at least one.
  ///   - tag: The message's authentication tag (MIC), 4...16 bytes, an even number.
  ///   - key: 16 bytes.
  ///   - nonce: 7...13 bytes, used once with this key.
  ///   - associated: The associated data that the tag authenticates as well, at most 65 535 bytes.
  /// - Returns: The message, as long as `sealed`.
  /// - Throws: ``Failure``; unauthenticated bytes are never returned.
  package static func open(
    _ sealed: [UInt8], tag: [UInt8], key: [UInt8], nonce: [UInt8], associated: [UInt8]
  ) throws(Failure) -> [UInt8] {
    guard key.count == 16, (7...13).contains(nonce.count), (4...16).contains(tag.count),
      tag.count.isMultiple(of: 2), (1...0xFFFF).contains(sealed.count),
      associated.count <= 0xFFFF
    else { throw .badLength }
    guard let context = unsafe EVP_CIPHER_CTX_new() else { throw .unavailable }
    defer { unsafe EVP_CIPHER_CTX_free(context) }
    // CCM's order: lengths and tag, key and nonce, the message's length, the associated data, and
    // the message.
    var tag = tag
    guard unsafe EVP_DecryptInit_ex(context, EVP_aes_128_ccm(), nil, nil, nil) == 1,
      unsafe EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_IVLEN, Int32(nonce.count), nil) == 1,
      unsafe EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, Int32(tag.count), &tag) == 1,
      unsafe EVP_DecryptInit_ex(context, nil, nil, key, nonce) == 1
    else { throw .unavailable }
    var count: Int32 = 0
    guard unsafe EVP_DecryptUpdate(context, nil, &count, nil, Int32(sealed.count)) == 1,
      unsafe EVP_DecryptUpdate(context, nil, &count, associated, Int32(associated.count)) == 1
    else { throw .unavailable }
    // CCM checks the tag here; there is no final call.
    var opened = [UInt8](repeating: 0, count: sealed.count)
    guard unsafe EVP_DecryptUpdate(context, &opened, &count, sealed, Int32(sealed.count)) == 1,
      Int(count) == sealed.count
    else { throw .notAuthentic }
    return opened
  }
}
