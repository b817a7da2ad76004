import CCrypto

/// The digest MD5, with OpenSSL's libcrypto: for devices that make a key by it, and for nothing else.
///
/// Source: RFC 1321, which RFC 6151 warns of.
package enum MD5 {
  /// The digest of `bytes`: 16 bytes; `nil` if this machine's libcrypto has none.
  package static func digest(of bytes: [UInt8]) -> [UInt8]? {
    var digest = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
    var count: UInt32 = 0
    guard
      unsafe EVP_Digest(bytes, bytes.count, &digest, &count, EVP_md5(), nil) == 1, count == 16
    else { return nil }
    return Array(digest.prefix(16))
  }
}
