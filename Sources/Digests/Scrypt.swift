import CCrypto

/// The password-based key derivation function scrypt, with OpenSSL's libcrypto.
///
/// Source: RFC 7914.
package struct Scrypt: Hashable, Sendable {
  /// The reason why no key was derived.
  package enum Failure: Error, Hashable, Sendable {
    /// The salt or the length of the key is not allowed.
    case badLength
    /// This machine's libcrypto has no scrypt, or is out of memory.
    case unavailable
  }

  /// N, the cost of memory and time: 2 to this power.
  package let logarithmOfCost: Int
  /// r, the size of a block in units of 128 bytes.
  package let blockSize: Int
  /// p, the number of passes, one after the other.
  package let passes: Int

  /// The memory that a derivation may take: 64 MiB.
  ///
  /// The parameters are read from a file, and the machines have as little as 512 MiB.
  package static let maximumMemory = 64 << 20
  /// The work that a derivation may take, in blocks of 128 bytes: 16 times that of ``standard``.
  package static let maximumWork = 16 * standard.work

  /// 16 MiB and 5 passes: about 0.2 s on a desktop, about 1 s on a Raspberry Pi.
  ///
  /// Source: OWASP Password Storage Cheat Sheet, "scrypt" (N = 2¹⁴, r = 8, p = 5).
  package static let standard = Scrypt(checkedLogarithmOfCost: 14, blockSize: 8, passes: 5)

  /// Checks the parameters.
  ///
  /// - Returns: `nil` outside of N 2¹...2²⁰, r and p 1...64, ``maximumMemory`` and
  ///   ``maximumWork``.
  package init?(logarithmOfCost: Int, blockSize: Int, passes: Int) {
    guard (1...20).contains(logarithmOfCost), (1...64).contains(blockSize),
      (1...64).contains(passes)
    else { return nil }
    self.init(
      checkedLogarithmOfCost: logarithmOfCost, blockSize: blockSize, passes: passes)
    // N < 2^(16 r), RFC 7914 section 2.
    guard logarithmOfCost < 16 * blockSize, memory <= Self.maximumMemory,
      work <= Self.maximumWork
    else { return nil }
  }

  private init(checkedLogarithmOfCost: Int, blockSize: Int, passes: Int) {
    self.logarithmOfCost = checkedLogarithmOfCost
    self.blockSize = blockSize
    self.passes = passes
  }

  /// Bytes: the table of N blocks, one block for each pass, and the working blocks.
  private var memory: Int { 128 * blockSize * ((1 << logarithmOfCost) + passes + 2) }
  private var work: Int { (1 << logarithmOfCost) * blockSize * passes }

  /// Derives a key.
  ///
  /// - Parameters:
  ///   - passcode: Any number of bytes.
  ///   - salt: Any number of bytes.
  ///   - length: The length of the key, 1...1024 bytes.
  /// - Returns: `length` bytes.
  /// - Throws: ``Failure``.
  /// - Complexity: By design: see ``standard``. It blocks the thread.
  package func key(
    passcode: [UInt8], salt: [UInt8], length: Int
  ) throws(Failure) -> [UInt8] {
    guard (1...1024).contains(length) else { throw .badLength }
    let characters = passcode.map { CChar(bitPattern: $0) }
    var key = [UInt8](repeating: 0, count: length)
    let result = unsafe EVP_PBE_scrypt(
      characters, characters.count, salt, salt.count, 1 << logarithmOfCost, UInt64(blockSize),
      UInt64(passes), UInt64(Self.maximumMemory + (1 << 20)), &key, length)
    guard result == 1 else { throw .unavailable }
    return key
  }
}
