import CCrypto

/// Signatures by the curve P-384 over SHA-384, with OpenSSL's libcrypto: `ES384` of JOSE.
///
/// Source: FIPS 186-5 §6; RFC 7518 §3.4 (a signature is `r` and `s`, 48 bytes each, not DER).
package enum ES384 {
  /// The bytes of a coordinate, and of each half of a signature.
  private static let width = 48

  /// Makes a private key, as PEM (PKCS #8); `nil` if libcrypto has no random numbers.
  package static func makeKey() -> String? {
    guard let context = unsafe EVP_PKEY_CTX_new_from_name(nil, "EC", nil) else { return nil }
    defer { unsafe EVP_PKEY_CTX_free(context) }
    var made: OpaquePointer?
    guard unsafe EVP_PKEY_keygen_init(context) == 1,
      unsafe EVP_PKEY_CTX_set_group_name(context, "P-384") == 1,
      unsafe EVP_PKEY_generate(context, &made) == 1, let pointer = unsafe made
    else { return nil }
    let key = unsafe Key(pointer)
    guard let output = unsafe BIO_new(BIO_s_mem()) else { return nil }
    defer { unsafe BIO_free(output) }
    guard unsafe PEM_write_bio_PKCS8PrivateKey(output, key.pointer, nil, nil, 0, nil, nil) == 1
    else { return nil }
    var bytes = [UInt8](repeating: 0, count: 2_048)
    let count = unsafe BIO_read(output, &bytes, 2_048)
    guard count > 0 else { return nil }
    return String(decoding: bytes.prefix(Int(count)), as: UTF8.self)
  }

  /// The public point of a private key, 48 bytes a coordinate; `nil` for a text that is no private key
  /// of this curve, or is locked by a password.
  package static func publicPoint(of pem: String) -> (x: [UInt8], y: [UInt8])? {
    guard let key = Key(pem: pem) else { return nil }
    var point = [UInt8](repeating: 0, count: 1 + 2 * width)
    var count = 0
    let length = point.count
    guard
      unsafe EVP_PKEY_get_octet_string_param(
        key.pointer, OSSL_PKEY_PARAM_PUB_KEY, &point, length, &count) == 1,
      count == length, point[0] == 4
    else { return nil }
    return (Array(point[1...width]), Array(point[(1 + width)...]))
  }

  /// Signs a message: 96 bytes; `nil` for a text that is no private key of this curve.
  package static func sign(_ message: [UInt8], with pem: String) -> [UInt8]? {
    guard let key = Key(pem: pem), let context = unsafe EVP_MD_CTX_new() else { return nil }
    defer { unsafe EVP_MD_CTX_free(context) }
    var coded = [UInt8](repeating: 0, count: 256)
    var count = coded.count
    guard unsafe EVP_DigestSignInit(context, nil, EVP_sha384(), nil, key.pointer) == 1,
      unsafe EVP_DigestSign(context, &coded, &count, message, message.count) == 1
    else { return nil }
    let parsed = unsafe coded.withUnsafeBufferPointer { buffer in
      var bytes = buffer.baseAddress
      return unsafe d2i_ECDSA_SIG(nil, &bytes, count)
    }
    guard let signature = unsafe parsed else { return nil }
    defer { unsafe ECDSA_SIG_free(signature) }
    var halves = [UInt8](repeating: 0, count: 2 * width)
    let isWritten = unsafe halves.withUnsafeMutableBufferPointer { buffer in
      guard let start = buffer.baseAddress else { return false }
      return unsafe BN_bn2binpad(ECDSA_SIG_get0_r(signature), start, Int32(width)) == width
        && BN_bn2binpad(ECDSA_SIG_get0_s(signature), start + width, Int32(width)) == width
    }
    return isWritten ? halves : nil
  }

  /// Whether a signature of a message was made with the private key of a public point.
  package static func isValid(
    _ signature: [UInt8], of message: [UInt8], by point: (x: [UInt8], y: [UInt8])
  ) -> Bool {
    guard signature.count == 2 * width, point.x.count == width, point.y.count == width,
      let key = Key(point: [4] + point.x + point.y), let context = unsafe EVP_MD_CTX_new()
    else { return false }
    defer { unsafe EVP_MD_CTX_free(context) }
    guard let coded = coded(signature),
      unsafe EVP_DigestVerifyInit(context, nil, EVP_sha384(), nil, key.pointer) == 1
    else { return false }
    return unsafe EVP_DigestVerify(context, coded, coded.count, message, message.count) == 1
  }

  /// The signature in DER: `SEQUENCE { INTEGER r, INTEGER s }`.
  private static func coded(_ signature: [UInt8]) -> [UInt8]? {
    func integer(_ half: ArraySlice<UInt8>) -> [UInt8] {
      var digits = Array(half.drop { $0 == 0 })
      if digits.first.map({ $0 >= 0x80 }) ?? true { digits.insert(0, at: 0) }
      return [0x02, UInt8(truncatingIfNeeded: digits.count)] + digits
    }
    let content = integer(signature[..<width]) + integer(signature[width...])
    guard content.count < 0x80 else { return nil }
    return [0x30, UInt8(truncatingIfNeeded: content.count)] + content
  }

  /// A key of libcrypto's.
  @safe private struct Key: ~Copyable {
    let pointer: OpaquePointer

    init(_ pointer: OpaquePointer) { unsafe self.pointer = pointer }

    /// Reads a private key without a password.
    init?(pem: String) {
      let bytes = Array(pem.utf8)
      guard bytes.count <= 8_192,
        let input = unsafe BIO_new_mem_buf(bytes, Int32(truncatingIfNeeded: bytes.count))
      else { return nil }
      defer { unsafe BIO_free(input) }
      // Without this function libcrypto would ask the terminal for a password.
      guard
        let key = unsafe PEM_read_bio_PrivateKey(input, nil, { _, _, _, _ in -1 }, nil)
      else { return nil }
      var name = [CChar](repeating: 0, count: 32)
      var count = 0
      guard unsafe EVP_PKEY_get_group_name(key, &name, 32, &count) == 1,
        String(decoding: name.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
          == "secp384r1"
      else {
        unsafe EVP_PKEY_free(key)
        return nil
      }
      unsafe pointer = key
    }

    init?(point: [UInt8]) {
      // SubjectPublicKeyInfo (RFC 5480): id-ecPublicKey, secp384r1, a bit string without unused bits.
      let coded: [UInt8] =
        [
          0x30, 0x76, 0x30, 0x10, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x05,
          0x2B, 0x81, 0x04, 0x00, 0x22, 0x03, 0x62, 0x00,
        ] + point
      let key = unsafe coded.withUnsafeBufferPointer { buffer in
        var bytes = buffer.baseAddress
        return unsafe d2i_PUBKEY(nil, &bytes, buffer.count)
      }
      guard let key = unsafe key else { return nil }
      unsafe pointer = key
    }

    deinit { unsafe EVP_PKEY_free(pointer) }
  }
}
