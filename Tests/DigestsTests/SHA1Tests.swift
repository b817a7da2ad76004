import Digests
import TestSupport
import Testing

struct SHA1Tests {
  /// The example of FIPS 180-4, and the answer to the key of RFC 6455, section 1.3.
  @Test(arguments: [
    ("abc", "a9993e36 4706816a ba3e2571 7850c26c 9cd0d89d"),
    (
      "dGhlIHNhbXBsZSBub25jZQ==258EAFA5-E914-47DA-95CA-C5AB0DC85B11",
      "b37a4f2c c0624f16 90f64606 cf385945 b2bec4ea"
    ),
  ])
  func `the digest of the standards' examples`(text: String, digest: String) {
    #expect(SHA1.digest(of: Array(text.utf8)) == bytes(digest))
  }
}
