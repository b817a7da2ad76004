import CCrypto

/// Signatures by the curve Ed25519, with OpenSSL's libcrypto.
///
/// Source: RFC 8032.
package enum Ed25519 {
  /// The public key of a private one, 32 bytes each; `nil` for another length.
  package static func publicKey(of privateKey: [UInt8]) -> [UInt8]? {
    guard let key = Key(private: privateKey) else { return nil }
    var bytes = [UInt8](repeating: 0, count: 32)
    var count = 32
    guard unsafe EVP_PKEY_get_raw_public_key(key.pointer, &bytes, &count) == 1, count == 32 else {
      return nil
    }
    return bytes
  }

  /// Signs a message: 64 bytes; `nil` for a key that is none.
  package static func sign(_ message: [UInt8], with privateKey: [UInt8]) -> [UInt8]? {
    guard let key = Key(private: privateKey), let context = unsafe EVP_MD_CTX_new() else {
      return nil
    }
    defer { unsafe EVP_MD_CTX_free(context) }
    var signature = [UInt8](repeating: 0, count: 64)
    var count = 64
    guard unsafe EVP_DigestSignInit(context, nil, nil, nil, key.pointer) == 1,
      unsafe EVP_DigestSign(context, &signature, &count, message, message.count) == 1, count == 64
    else { return nil }
    return signature
  }

  /// Whether a signature of a message was made with the private key of a public one.
  package static func isValid(
    _ signature: [UInt8], of message: [UInt8], by publicKey: [UInt8]
  ) -> Bool {
    guard signature.count == 64, let key = Key(public: publicKey),
      let context = unsafe EVP_MD_CTX_new()
    else { return false }
    defer { unsafe EVP_MD_CTX_free(context) }
    guard unsafe EVP_DigestVerifyInit(context, nil, nil, nil, key.pointer) == 1 else {
      return false
    }
    return unsafe EVP_DigestVerify(
      context, signature, signature.count, message, message.count) == 1
  }

  /// A key of libcrypto's.
  @safe private struct Key: ~Copyable {
    let pointer: OpaquePointer

    init?(private bytes: [UInt8]) {
      guard bytes.count == 32,
        let key = unsafe EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nil, bytes, bytes.count)
      else { return nil }
      unsafe pointer = key
    }

    init?(public bytes: [UInt8]) {
      guard bytes.count == 32,
        let key = unsafe EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nil, bytes, bytes.count)
      else { return nil }
      unsafe pointer = key
    }

    deinit { unsafe EVP_PKEY_free(pointer) }
  }
}
