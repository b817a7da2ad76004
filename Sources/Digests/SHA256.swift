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

  /// The digest of bytes that arrive in pieces.
  @safe package struct Running: ~Copyable {
    private let context: OpaquePointer?

    /// Starts a digest.
    package init() {
      unsafe context = EVP_MD_CTX_new()
      _ = unsafe EVP_DigestInit_ex(context, EVP_sha256(), nil)
    }

    deinit { unsafe EVP_MD_CTX_free(context) }

    /// Adds bytes.
    package mutating func update(_ bytes: [UInt8]) {
      _ = unsafe EVP_DigestUpdate(context, bytes, bytes.count)
    }

    /// The digest of all bytes: 32 bytes.
    package consuming func finish() -> [UInt8] {
      var digest = [UInt8](repeating: 0, count: 32)
      _ = unsafe EVP_DigestFinal_ex(context, &digest, nil)
      return digest
    }
  }
}
