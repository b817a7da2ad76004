import CCrypto

/// The digest SHA-1, with OpenSSL's libcrypto: for protocols that ask for it, and for nothing that has to
/// be safe.
///
/// Source: FIPS 180-4.
package enum SHA1 {
  /// The digest of `bytes`: 20 bytes.
  package static func digest(of bytes: [UInt8]) -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: 20)
    _ = unsafe CCrypto.SHA1(bytes, bytes.count, &digest)
    return digest
  }
}
