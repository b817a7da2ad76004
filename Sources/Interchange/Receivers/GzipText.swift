import Inflation

/// A body that a client packed (RFC 1952).
package enum GzipText {
  /// Why a packed body is not read.
  package enum Fault: Error, Hashable, Sendable {
    /// It is no gzip stream, or a damaged one.
    case damaged
    /// It is longer than `most` bytes once it is unpacked.
    case tooLong(most: Int)
  }

  /// Unpacks a body of one member.
  ///
  /// - Throws: ``Fault``; no more than `most` bytes, and a piece of 64 KiB, are ever in memory.
  package static func bytes(of packed: [UInt8], most: Int) throws(Fault) -> [UInt8] {
    guard packed.count >= 18, packed.starts(with: [0x1F, 0x8B, 8]), packed[3] & 0xE0 == 0 else {
      throw .damaged
    }
    var place = 10
    let flags = packed[3]
    if flags & 4 != 0 {
      guard place + 2 <= packed.count else { throw .damaged }
      place += 2 + Int(packed[place]) + Int(packed[place + 1]) << 8
    }
    // The name and the comment each end with a zero.
    for flag in [8, 16] as [UInt8] where flags & flag != 0 {
      guard place < packed.count, let end = packed[place...].firstIndex(of: 0) else {
        throw .damaged
      }
      place = end + 1
    }
    if flags & 2 != 0 { place += 2 }
    guard place + 8 <= packed.count, let inflater = Inflater() else { throw .damaged }
    inflater.feed(Array(packed[place...]))
    var text: [UInt8] = []
    while !inflater.isAtEnd {
      guard !inflater.needsInput, let piece = inflater.next() else { throw .damaged }
      text += piece
      guard text.count <= most else { throw .tooLong(most: most) }
    }
    let rest = inflater.rest
    guard rest.count == 8 else { throw .damaged }
    func number(_ start: Int) -> UInt32 {
      (0..<4).reduce(0) { $0 | UInt32(rest[start + $1]) << (8 * UInt32($1)) }
    }
    var checksum = Checksum()
    checksum.add(text)
    guard checksum.value == number(0), UInt32(truncatingIfNeeded: text.count) == number(4) else {
      throw .damaged
    }
    return text
  }
}
