import CCrypto

/// AES-128 in CCM mode, the side that opens, by OpenSSL's libcrypto.
///
/// Source: NIST SP 800-38C; RFC 3610.
enum AESCCM {
  /// Why nothing was opened.
  enum Failure: Error, Hashable, Sendable {
    /// The tag does not fit: another key, another sender, or damaged bytes.
    case notAuthentic
    /// A key, nonce, tag or message of a length that CCM does not have.
    case badLength
    /// This machine's libcrypto offers no AES-CCM, or has no memory left.
    case unavailable
  }

  /// What `sealed` says to whoever holds `key`.
  ///
  /// - Parameters:
  ///   - sealed: The encrypted bytes without the tag, at least one.
  ///   - tag: The message's authentication tag (MIC), 4...16 bytes, an even number.
  ///   - key: 16 bytes.
  ///   - nonce: 7...13 bytes, used once with this key.
  ///   - associated: What the tag vouches for besides.
  /// - Returns: As many bytes as `sealed` has.
  /// - Throws: ``Failure``; nothing of what could not be authenticated is given out.
  static func open(
    _ sealed: [UInt8], tag: [UInt8], key: [UInt8], nonce: [UInt8], associated: [UInt8]
  ) throws(Failure) -> [UInt8] {
    guard key.count == 16, (7...13).contains(nonce.count), (4...16).contains(tag.count),
      tag.count.isMultiple(of: 2), (1...0xFFFF).contains(sealed.count),
      associated.count <= 0xFFFF
    else { throw .badLength }
    guard let context = unsafe EVP_CIPHER_CTX_new() else { throw .unavailable }
    defer { unsafe EVP_CIPHER_CTX_free(context) }
    // The order is CCM's: lengths and tag, then key and nonce, then the message's length, and only
    // then what is authenticated and what is opened.
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
