/// One sample of a streamed series, without what its series says of all.
struct StreamedSample: Hashable, Sendable {
  /// The start, µs since 1970.
  var start: Int64
  /// The end, µs since 1970.
  var end: Int64
  /// When it was received, µs since 1970.
  var arrival: Int64
  /// The number among values of one quantity that were received at once, from 0.
  var ordinal: Int
  /// The value in the quantity's unit.
  var value: Double
  /// The frame that it was decoded from, at most ``SeriesBlock/longestFrame`` bytes.
  var raw: [UInt8]
}

/// Why samples cannot be encoded as one block.
enum BlockRefusal: Error, Hashable, Sendable {
  /// There are more samples than ``SeriesBlock/longest``.
  case tooManySamples(Int)
  /// A frame has more bytes than ``SeriesBlock/longestFrame``.
  case longFrame(bytes: Int)
  /// Memory is short.
  case noMemory
}

/// Why the bytes of a block are not what was encoded.
enum BlockDamage: Error, Hashable, Sendable {
  /// The block ends too early.
  case truncated
  /// The block has a format that this program does not know.
  case unknownVersion(UInt8)
  /// The checksum does not match: bytes were changed.
  case wrongChecksum
  /// The block claims more samples, or more bytes for them, than a block can have.
  case tooLong(samples: Int, bytes: Int)
  /// The compressed bytes are no deflate stream of the promised length.
  case notInflatable
  /// A field has a value that no encoder writes.
  case malformed
  /// Memory is short.
  case noMemory
}

/// The coding of a dense series: many samples of one quantity of one device in few bytes.
///
/// A block is, in little-endian order: version (1 byte), CRC-32 of everything after it (4), number
/// of samples (4), length of the content (4), and the content as a raw deflate stream (RFC 1951).
/// The content is a preamble (see ``BlockPreamble``), eight columns, and the bytes that are new in
/// each frame. A column has one whole number for each sample: the remainder after a prediction from
/// the sample before, which is small in a steady series. Its minimum stands in front; the
/// differences from it follow byte plane by byte plane, because the high planes are nearly
/// constant and deflate well, and the low planes are noise that would hide that.
///
/// The coding is lossless for every time, ordinal, number and frame. Samples may come in any order;
/// they need fewest bytes sorted by start and ordinal.
enum SeriesBlock {
  /// The most samples of a block: 18 hours at 1 Hz, or an hour at 18 Hz.
  ///
  /// It bounds the memory that decoding takes to about 100 MB, also for damaged blocks.
  static let longest = 1 << 16
  /// The most bytes of a sample's frame: the longest attribute value (Bluetooth Core Specification
  /// 5.4, Vol 3, Part F, 3.2.9).
  static let longestFrame = 512

  private static let version: UInt8 = 1
  private static let checkedFrom = 5
  private static let headerLength = 13

  /// The longest content of a block with this many samples.
  private static func longestContent(_ count: Int) -> Int {
    BlockPreamble.longest + 8 * (9 + 8 * count) + longestFrame * count
  }

  /// Encodes samples.
  ///
  /// - Parameter samples: At most ``longest``, sorted by start and ordinal.
  /// - Returns: The block.
  /// - Throws: ``BlockRefusal``.
  /// - Complexity: Linear; an hour at 1 Hz takes about a millisecond.
  static func encode(_ samples: [StreamedSample]) throws(BlockRefusal) -> [UInt8] {
    guard samples.count <= longest else { throw .tooManySamples(samples.count) }
    if let long = samples.first(where: { $0.raw.count > longestFrame }) {
      throw .longFrame(bytes: long.raw.count)
    }
    var content = BlockWriter()
    content.append(samples)
    let body = try deflated(content.bytes, cuts: content.cuts)
    var block = BlockWriter()
    block.append(UInt32(samples.count))
    block.append(UInt32(content.bytes.count))
    block.bytes += body
    var head = BlockWriter()
    head.append(version)
    head.append(checksum(block.bytes[...]))
    return head.bytes + block.bytes
  }

  /// Decodes the bytes of a block, which may be damaged or hostile.
  ///
  /// - Returns: The samples that ``encode(_:)`` was given.
  /// - Throws: ``BlockDamage``. A change of any single byte is found.
  /// - Complexity: Linear; an hour at 1 Hz takes about 0.1 ms.
  static func decode(_ bytes: [UInt8]) throws(BlockDamage) -> [StreamedSample] {
    var header = BlockReader(bytes: bytes)
    let version: UInt8 = try header.integer()
    guard version == Self.version else { throw .unknownVersion(version) }
    let expected: UInt32 = try header.integer()
    guard checksum(bytes[checkedFrom...]) == expected else { throw .wrongChecksum }
    let count = Int(try header.integer() as UInt32)
    let size = Int(try header.integer() as UInt32)
    // A deflate stream grows at most by a factor of 1032 (zlib's technical details).
    guard count <= longest, size <= longestContent(count), size <= 1032 * bytes.count else {
      throw .tooLong(samples: count, bytes: size)
    }
    var content = BlockReader(bytes: try inflated(bytes[headerLength...], size: size))
    return try content.samples(count)
  }
}
