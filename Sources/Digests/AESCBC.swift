import CCrypto

/// Encryption and decryption by AES-128 in CBC mode, with OpenSSL's libcrypto.
///
/// The message is padded to whole blocks as PKCS #7 says. It authenticates nothing: whoever receives
/// a message must check what it says.
///
/// Source: NIST SP 800-38A, section 6.2; RFC 5652, section 6.3.
package enum AESCBC {
  /// The reason why a message was not encrypted or decrypted.
  package enum Failure: Error, Hashable, Sendable {
    /// The key or the first block is not 16 bytes long, the message is longer than 65 535, or what is
    /// to be decrypted is no whole number of blocks.
    case badLength
    /// The padding is none: another key, or damaged bytes.
    case badPadding
    /// This machine's libcrypto has no AES in CBC mode, or is out of memory.
    case unavailable
  }

  /// Encrypts a message.
  ///
  /// - Parameters:
  ///   - message: The bytes, at most 65 535.
  ///   - key: 16 bytes.
  ///   - start: The block before the first, 16 bytes.
  /// - Returns: The next multiple of 16 bytes after the message's length.
  /// - Throws: ``Failure``.
  package static func seal(
    _ message: [UInt8], key: [UInt8], start: [UInt8]
  ) throws(Failure) -> [UInt8] {
    guard message.count <= 0xFFFF else { throw .badLength }
    return try apply(to: message, key: key, start: start, encrypts: true)
  }

  /// Decrypts a message.
  ///
  /// - Parameters:
  ///   - sealed: The encrypted bytes, a multiple of 16, at most 65 535.
  ///   - key: 16 bytes.
  ///   - start: The block before the first, 16 bytes.
  /// - Returns: The message without its padding.
  /// - Throws: ``Failure``.
  package static func open(
    _ sealed: [UInt8], key: [UInt8], start: [UInt8]
  ) throws(Failure) -> [UInt8] {
    guard !sealed.isEmpty, sealed.count.isMultiple(of: 16), sealed.count <= 0xFFFF else {
      throw .badLength
    }
    return try apply(to: sealed, key: key, start: start, encrypts: false)
  }

  private static func apply(
    to bytes: [UInt8], key: [UInt8], start: [UInt8], encrypts: Bool
  ) throws(Failure) -> [UInt8] {
    guard key.count == 16, start.count == 16 else { throw .badLength }
    guard let context = unsafe EVP_CIPHER_CTX_new() else { throw .unavailable }
    defer { unsafe EVP_CIPHER_CTX_free(context) }
    var result = [UInt8](repeating: 0, count: bytes.count + 16)
    var last = [UInt8](repeating: 0, count: 32)
    var count: Int32 = 0
    var lastCount: Int32 = 0
    guard
      unsafe EVP_CipherInit_ex(
        context, EVP_aes_128_cbc(), nil, key, start, encrypts ? 1 : 0) == 1,
      unsafe EVP_CipherUpdate(context, &result, &count, bytes, Int32(bytes.count)) == 1
    else { throw .unavailable }
    guard unsafe EVP_CipherFinal_ex(context, &last, &lastCount) == 1 else {
      throw encrypts ? .unavailable : .badPadding
    }
    return Array(result.prefix(Int(count)) + last.prefix(Int(lastCount)))
  }
}
