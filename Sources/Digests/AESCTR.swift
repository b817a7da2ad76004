import CCrypto

/// Encryption and decryption by AES-128 in counter mode, with OpenSSL's libcrypto.
///
/// It authenticates nothing: whoever receives a message must check what it says.
///
/// Source: NIST SP 800-38A, section 6.5.
package enum AESCTR {
  /// The reason why a message was not encrypted.
  package enum Failure: Error, Hashable, Sendable {
    /// The key or the counter is not 16 bytes long, or the message is longer than 65 535.
    case badLength
    /// This machine's libcrypto has no AES in counter mode, or is out of memory.
    case unavailable
  }

  /// Encrypts a message, or decrypts one: both are the same.
  ///
  /// - Parameters:
  ///   - message: The bytes, at most 65 535.
  ///   - key: 16 bytes.
  ///   - counter: The first counter block, 16 bytes.
  /// - Returns: As many bytes as `message` has.
  /// - Throws: ``Failure``.
  package static func apply(
    to message: [UInt8], key: [UInt8], counter: [UInt8]
  ) throws(Failure) -> [UInt8] {
    guard key.count == 16, counter.count == 16, message.count <= 0xFFFF else { throw .badLength }
    guard !message.isEmpty else { return [] }
    guard let context = unsafe EVP_CIPHER_CTX_new() else { throw .unavailable }
    defer { unsafe EVP_CIPHER_CTX_free(context) }
    var result = [UInt8](repeating: 0, count: message.count)
    var count: Int32 = 0
    guard unsafe EVP_EncryptInit_ex(context, EVP_aes_128_ctr(), nil, key, counter) == 1,
      unsafe EVP_EncryptUpdate(context, &result, &count, message, Int32(message.count)) == 1,
      Int(count) == message.count
    else { throw .unavailable }
    return result
  }
}
