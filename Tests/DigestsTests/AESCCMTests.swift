import Digests
import TestSupport
import Testing

struct AESCCMTests {
  private static let key = bytes("404142434445464748494a4b4c4d4e4f")

  /// NIST SP 800-38C, appendix C, examples 1 to 3.
  static let examples:
    [(nonce: String, associated: String, sealed: String, tag: String, plain: String)] = [
      ("10111213141516", "0001020304050607", "7162015b", "4dac255d", "20212223"),
      (
        "1011121314151617", "000102030405060708090a0b0c0d0e0f",
        "d2a1f0e051ea5f62081a7792073d593d", "1fc64fbfaccd", "202122232425262728292a2b2c2d2e2f"
      ),
      (
        "101112131415161718191a1b", "000102030405060708090a0b0c0d0e0f10111213",
        "e3b201a9f5b71a7a9b1ceaeccd97e70b6176aad9a4428aa5", "484392fbc1b09951",
        "202122232425262728292a2b2c2d2e2f3031323334353637"
      ),
    ]

  @Test(arguments: examples.indices)
  func `opens the examples of the standard`(index: Int) throws {
    let example = Self.examples[index]
    let opened = try AESCCM.open(
      bytes(example.sealed), tag: bytes(example.tag), key: Self.key, nonce: bytes(example.nonce),
      associated: bytes(example.associated))
    #expect(opened == bytes(example.plain))
  }

  /// One changed bit of the message, the tag, the key, the nonce or the associated data.
  @Test(arguments: 0..<5)
  func `refuses a changed bit`(part: Int) {
    let example = Self.examples[0]
    var parts = [
      bytes(example.sealed), bytes(example.tag), Self.key, bytes(example.nonce),
      bytes(example.associated),
    ]
    for index in parts[part].indices {
      for bit in 0..<8 {
        parts[part][index] ^= 1 << bit
        #expect(throws: AESCCM.Failure.notAuthentic) {
          try AESCCM.open(
            parts[0], tag: parts[1], key: parts[2], nonce: parts[3], associated: parts[4])
        }
        parts[part][index] ^= 1 << bit
      }
    }
  }

  /// Lengths of message, tag, key and nonce, one of which CCM does not allow.
  static let lengths: [[Int]] = [
    [0, 4, 16, 12], [4, 3, 16, 12], [4, 5, 16, 12], [4, 18, 16, 12], [4, 0, 16, 12],
    [4, 4, 15, 12], [4, 4, 0, 12], [4, 4, 32, 12], [4, 4, 16, 6], [4, 4, 16, 14],
    [65_536, 4, 16, 12],
  ]

  @Test(arguments: lengths)
  func `refuses other lengths`(lengths: [Int]) {
    let parts = lengths.map { [UInt8](repeating: 0, count: $0) }
    #expect(throws: AESCCM.Failure.badLength) {
      try AESCCM.open(parts[0], tag: parts[1], key: parts[2], nonce: parts[3], associated: [])
    }
  }
}
