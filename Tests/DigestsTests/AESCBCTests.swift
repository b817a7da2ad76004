import Digests
import TestSupport
import Testing

struct AESCBCTests {
  private static let key = bytes("2b7e151628aed2a6abf7158809cf4f3c")
  private static let start = bytes("000102030405060708090a0b0c0d0e0f")

  /// NIST SP 800-38A, F.2.1, with the block of padding that PKCS #7 adds, by OpenSSL's command line.
  private static let message = bytes(
    "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51")
  private static let sealed = bytes(
    "7649abac8119b246cee98e9b12e9197d5086cb9b507219ee95db113a917678b2"
      + "55e21d7100b988ffec32feeafaf23538")

  @Test func `encrypts the example of the standard`() throws {
    #expect(try AESCBC.seal(Self.message, key: Self.key, start: Self.start) == Self.sealed)
    #expect(try AESCBC.open(Self.sealed, key: Self.key, start: Self.start) == Self.message)
  }

  @Test func `pads every length`() throws {
    for count in 0...33 {
      let part = Array((Self.message + [1]).prefix(count))
      let sealed = try AESCBC.seal(part, key: Self.key, start: Self.start)
      #expect(sealed.count == (count / 16 + 1) * 16)
      #expect(try AESCBC.open(sealed, key: Self.key, start: Self.start) == part)
    }
  }

  @Test func `refuses another key and other lengths`() throws {
    #expect(throws: AESCBC.Failure.badPadding) {
      try AESCBC.open(Self.sealed, key: Self.start, start: Self.start)
    }
    #expect(throws: AESCBC.Failure.badLength) {
      try AESCBC.open([1], key: Self.key, start: Self.start)
    }
    #expect(throws: AESCBC.Failure.badLength) {
      try AESCBC.open([], key: Self.key, start: Self.start)
    }
    #expect(throws: AESCBC.Failure.badLength) {
      try AESCBC.seal([1], key: [1], start: Self.start)
    }
    #expect(throws: AESCBC.Failure.badLength) {
      try AESCBC.seal(
        [UInt8](repeating: 0, count: 0x1_0000), key: Self.key, start: Self.start)
    }
  }
}

struct MD5Tests {
  /// RFC 1321, section A.5.
  @Test func `is that of the standard`() {
    #expect(MD5.digest(of: []) == bytes("d41d8cd98f00b204e9800998ecf8427e"))
    #expect(MD5.digest(of: Array("abc".utf8)) == bytes("900150983cd24fb0d6963f7d28e17f72"))
  }
}
