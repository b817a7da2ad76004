import Digests
import TestSupport
import Testing

struct SHA256Tests {
  @Test
  func `the digest of the standard's example`() {
    // Source: FIPS 180-4 examples, SHA-256 of "abc".
    let digest = bytes("ba7816bf 8f01cfea 414140de 5dae2223 b00361a3 96177a9c b410ff61 f20015ad")
    #expect(SHA256.digest(of: Array("abc".utf8)) == digest)
    var running = SHA256.Running()
    running.update(Array("a".utf8))
    running.update([])
    running.update(Array("bc".utf8))
    #expect(running.finish() == digest)
  }
}
