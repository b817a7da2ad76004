import Digests
import TestSupport
import Testing

struct AESCTRTests {
  private static let key = bytes("2b7e151628aed2a6abf7158809cf4f3c")
  private static let counter = bytes("f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff")

  /// NIST SP 800-38A, F.5.1.
  private static let message = bytes(
    "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51")
  private static let sealed = bytes(
    "874d6191b620e3261bef6864990db6ce9806f66b7970fdff8617187bb9fffdff")

  @Test func `encrypts the example of the standard`() throws {
    #expect(
      try AESCTR.apply(to: Self.message, key: Self.key, counter: Self.counter) == Self.sealed)
    #expect(
      try AESCTR.apply(to: Self.sealed, key: Self.key, counter: Self.counter) == Self.message)
  }

  @Test func `encrypts a part of a block`() throws {
    for count in [0, 1, 15, 16, 17] {
      let part = Array(Self.message.prefix(count))
      #expect(
        try AESCTR.apply(to: part, key: Self.key, counter: Self.counter)
          == Array(Self.sealed.prefix(count)))
    }
  }

  @Test func `refuses other lengths`() {
    #expect(throws: AESCTR.Failure.badLength) {
      try AESCTR.apply(to: [1], key: [1], counter: Self.counter)
    }
    #expect(throws: AESCTR.Failure.badLength) {
      try AESCTR.apply(to: [1], key: Self.key, counter: [])
    }
    #expect(throws: AESCTR.Failure.badLength) {
      try AESCTR.apply(
        to: [UInt8](repeating: 0, count: 0x1_0000), key: Self.key, counter: Self.counter)
    }
  }
}
