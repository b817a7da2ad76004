/// Packs what travels as gzip does (RFC 1952).
package enum GzipPacking {
  /// A header without name and time: what is packed says the same on every machine.
  private static let header: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255]

  /// Packs bytes into one member.
  ///
  /// - Returns: The member; `nil` if there is no memory.
  package static func packed(_ bytes: [UInt8]) -> [UInt8]? {
    guard let stream = try? SeriesBlock.deflated(bytes, cuts: []) else { return nil }
    let ends = [SeriesBlock.checksum(bytes[...]), UInt32(truncatingIfNeeded: bytes.count)]
    let trailer = ends.flatMap { number in
      (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }
    return header + stream + trailer
  }
}
