import CCrypto

/// The digest SHA-256, with OpenSSL's libcrypto.
///
/// Source: FIPS 180-4.
package enum SHA256 {
  /// The digest of `bytes`: 32 bytes.
  package static func digest(of bytes: [UInt8]) -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: 32)
    _ = unsafe CCrypto.SHA256(bytes, bytes.count, &digest)
    return digest
  }
}
