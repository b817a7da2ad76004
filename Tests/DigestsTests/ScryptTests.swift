import Digests
import TestSupport
import Testing

struct ScryptTests {
  /// RFC 7914, section 12; without the fourth, which takes 1 GiB.
  static let vectors:
    [(passcode: String, salt: String, cost: Int, size: Int, passes: Int, key: String)] = [
      (
        "", "", 4, 1, 1,
        """
        77 d6 57 62 38 65 7b 20 3b 19 ca 42 c1 8a 04 97 f1 6b 48 44 e3 07 4a e8 df df fa 3f ed e2 14 42
        fc d0 06 9d ed 09 48 f8 32 6a 75 3a 0f c8 1f 17 e8 d3 e0 fb 2e 0d 36 28 cf 35 e2 0c 38 d1 89 06
        """
      ),
      (
        "password", "NaCl", 10, 8, 16,
        """
        fd ba be 1c 9d 34 72 00 78 56 e7 19 0d 01 e9 fe 7c 6a d7 cb c8 23 78 30 e7 73 76 63 4b 37 31 62
        2e af 30 d9 2e 22 a3 88 6f f1 09 27 9d 98 30 da c7 27 af b9 4a 83 ee 6d 83 60 cb df a2 cc 06 40
        """
      ),
      (
        "pleaseletmein", "SodiumChloride", 14, 8, 1,
        """
        70 23 bd cb 3a fd 73 48 46 1c 06 cd 81 fd 38 eb fd a8 fb ba 90 4f 8e 3e a9 b5 43 f6 54 5d a1 f2
        d5 43 29 55 61 3f 0f cf 62 d4 97 05 24 2a 9a f9 e6 1e 85 dc 0d 65 1e 40 df cf 01 7b 45 57 58 87
        """
      ),
    ]

  @Test(arguments: vectors.indices)
  func `the vectors of RFC 7914`(index: Int) throws {
    let vector = Self.vectors[index]
    let scrypt = try #require(
      Scrypt(logarithmOfCost: vector.cost, blockSize: vector.size, passes: vector.passes))
    let key = try scrypt.key(
      passcode: Array(vector.passcode.utf8), salt: Array(vector.salt.utf8), length: 64)
    #expect(key == bytes(vector.key))
  }

  @Test
  func `a byte of zero does not end the passcode`() throws {
    let scrypt = try #require(Scrypt(logarithmOfCost: 4, blockSize: 1, passes: 1))
    let short = try scrypt.key(passcode: [65], salt: [1], length: 32)
    #expect(try scrypt.key(passcode: [65, 0, 66], salt: [1], length: 32) != short)
  }

  @Test
  func `parameters beyond the limits of memory and work are refused`() {
    #expect(Scrypt(logarithmOfCost: 20, blockSize: 8, passes: 1) == nil)
    #expect(Scrypt(logarithmOfCost: 16, blockSize: 8, passes: 1) == nil)
    #expect(Scrypt(logarithmOfCost: 15, blockSize: 8, passes: 1) != nil)
    #expect(Scrypt(logarithmOfCost: 15, blockSize: 8, passes: 64) == nil)
    #expect(Scrypt(logarithmOfCost: 16, blockSize: 1, passes: 1) == nil)
    #expect(Scrypt(logarithmOfCost: 0, blockSize: 8, passes: 1) == nil)
    #expect(Scrypt(logarithmOfCost: 14, blockSize: 0, passes: 1) == nil)
    #expect(Scrypt(logarithmOfCost: 14, blockSize: 8, passes: 0) == nil)
    #expect(Scrypt(logarithmOfCost: .max, blockSize: .max, passes: .max) == nil)
    #expect(Scrypt(logarithmOfCost: 14, blockSize: 8, passes: 5) == .standard)
  }

  @Test(arguments: [0, -1, 1025])
  func `the length of the key is limited`(length: Int) throws {
    let scrypt = try #require(Scrypt(logarithmOfCost: 4, blockSize: 1, passes: 1))
    #expect(throws: Scrypt.Failure.badLength) {
      try scrypt.key(passcode: [], salt: [], length: length)
    }
  }
}
