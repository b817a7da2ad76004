import Digests
import TestSupport
import Testing

struct HMACSHA256Tests {
  /// RFC 4231, section 4, test cases 1 to 4, 6 and 7.
  static let vectors: [(key: [UInt8], message: [UInt8], code: String)] = [
    (
      [UInt8](repeating: 0x0B, count: 20), Array("Hi There".utf8),
      "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
    ),
    (
      Array("Jefe".utf8), Array("what do ya want for nothing?".utf8),
      "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
    ),
    (
      [UInt8](repeating: 0xAA, count: 20), [UInt8](repeating: 0xDD, count: 50),
      "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"
    ),
    (
      Array(1...25), [UInt8](repeating: 0xCD, count: 50),
      "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"
    ),
    (
      [UInt8](repeating: 0xAA, count: 131),
      Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
      "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
    ),
    (
      [UInt8](repeating: 0xAA, count: 131),
      Array(
        ("This is a test using a larger than block-size key and a larger than block-size data. "
          + "The key needs to be hashed before being used by the HMAC algorithm.").utf8),
      "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"
    ),
  ]

  @Test(arguments: vectors.indices)
  func `the vectors of RFC 4231`(index: Int) {
    let vector = Self.vectors[index]
    #expect(HMACSHA256.code(of: vector.message, key: vector.key) == bytes(vector.code))
  }

  @Test
  func `an empty key and an empty message have a code`() {
    #expect(
      HMACSHA256.code(of: [], key: [])
        == bytes("b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad"))
  }

  @Test
  func `secrets are equal in every byte and in length`() {
    let secret: [UInt8] = Array(0..<32)
    #expect(ConstantTime.areEqual(secret, secret))
    #expect(ConstantTime.areEqual([], []))
    #expect(!ConstantTime.areEqual(secret, Array(secret.dropLast())))
    #expect(!ConstantTime.areEqual([], secret))
    for index in secret.indices {
      for bit in 0..<8 {
        var other = secret
        other[index] ^= 1 << bit
        #expect(!ConstantTime.areEqual(secret, other))
      }
    }
  }
}
