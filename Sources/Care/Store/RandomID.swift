public import Foundation

extension UUID {
  /// A random id (RFC 9562, version 4) from the system's generator.
  ///
  /// Foundation's own opens a file of the system for each, which takes longer than storing a value.
  public static func random() -> UUID {
    var generator = SystemRandomNumberGenerator()
    return UUID(randomBits: generator.next(), generator.next())
  }

  /// The random id of 128 bits, of which six are replaced by version and variant.
  init(randomBits low: UInt64, _ high: UInt64) {
    var bytes = [low, high].flatMap { bits in
      (0..<8).map { UInt8(truncatingIfNeeded: bits >> ($0 * 8)) }
    }
    bytes[6] = bytes[6] & 0x0F | 0x40
    bytes[8] = bytes[8] & 0x3F | 0x80
    self.init(
      uuid: (
        bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7], bytes[8],
        bytes[9], bytes[10], bytes[11], bytes[12], bytes[13], bytes[14], bytes[15]
      ))
  }
}
