import CCrypto

/// The message authentication code HMAC with SHA-256, with OpenSSL's libcrypto.
///
/// Source: RFC 2104; FIPS 198-1.
package enum HMACSHA256 {
  /// The code of `message`: 32 bytes.
  ///
  /// - Parameters:
  ///   - message: Any number of bytes.
  ///   - key: Any number of bytes below 2³¹; a key longer than 64 bytes stands for its digest.
  /// - Returns: `nil` if this machine's libcrypto has no SHA-256, or is out of memory;
  ///   check for it before comparing.
  package static func code(of message: [UInt8], key: [UInt8]) -> [UInt8]? {
    guard let keyLength = Int32(exactly: key.count) else { return nil }
    var code = [UInt8](repeating: 0, count: 32)
    guard
      unsafe HMAC(EVP_sha256(), key, keyLength, message, message.count, &code, nil) != nil
    else { return nil }
    return code
  }
}

/// Comparison of secrets.
package enum ConstantTime {
  /// Whether two secrets are equal, in a time that depends on their length only.
  package static func areEqual(_ first: [UInt8], _ second: [UInt8]) -> Bool {
    guard first.count == second.count else { return false }
    return unsafe CRYPTO_memcmp(first, second, first.count) == 0
  }
}
