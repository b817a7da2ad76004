import Foundation
import Inflation

/// Why an archive cannot be read.
public enum ArchiveProblem: Hashable, Sendable {
  /// A file in it is encrypted.
  case encrypted
  /// A file in it is compressed in another way than deflate, by its number in the format.
  case method(UInt16)
  /// A file in it has 4 GiB or more, or a size that is not known before its end.
  case size
  /// The archive ends within a file.
  case cutOff
  /// Its bytes are no deflate stream, or no file's header.
  case damaged
  /// A file does not have the CRC-32 that the archive says.
  case checksum
  /// A file in it grows to more than `ratio` times its size: it was made to fill memory.
  case inflation(ratio: Int)
  /// There is no file of that name in it.
  case missing(String)
  /// A file is needed that comes later in the archive, and it is read from a pipe.
  case pipe
  /// There is not enough memory.
  case noMemory
}

/// Reads one file of a ZIP archive after the other, as they come in the stream, in constant memory.
///
/// The archive's directory at the end is not read. (PKWARE, APPNOTE.TXT 6.3.10, §4.3.)
struct ZipStream {
  /// How far deflate may expand what a sensor writes; recordings reach 20.
  static let mostInflation = 200

  private var blocks: BlockReader
  private var entry: Entry?

  /// How many bytes have been read.
  var bytesRead: Int { blocks.bytesRead }

  private struct Entry {
    /// The compressed bytes left; `nil` if unknown.
    var left: Int?
    let checksum: UInt32?
    let inflater: Inflater?
    var isComplete = false
    var inflated = 0
    var compressed = 0
    var sum = Checksum()
  }

  /// Whether a file begins as an archive does.
  static func isOne(_ prefix: [UInt8]) -> Bool { prefix.starts(with: [0x50, 0x4B, 3, 4]) }

  /// Reads `stream` from its first byte.
  init(_ stream: any ByteStream) {
    blocks = BlockReader(stream)
  }

  /// Skips the rest of this file and opens the next one.
  ///
  /// - Returns: Its name; `nil` after the last.
  mutating func nextFile() throws(TraceError) -> String? {
    while entry != nil, case let block = try read(), !block.isEmpty {}
    let header = try blocks.take(30)
    func u16(_ offset: Int) -> UInt16 { UInt16(header[offset]) | UInt16(header[offset + 1]) << 8 }
    func u32(_ offset: Int) -> UInt32 { UInt32(u16(offset)) | UInt32(u16(offset + 2)) << 16 }
    guard header.count >= 4 else { throw problem(.cutOff) }
    // The directory follows the last file.
    if [0x0201_4B50, 0x0605_4B50].contains(u32(0)) { return nil }
    guard u32(0) == 0x0403_4B50 else { throw problem(.damaged) }
    guard header.count == 30 else { throw problem(.cutOff) }
    let flags = u16(6)
    guard flags & 0x2041 == 0 else { throw problem(.encrypted) }
    let method = u16(8)
    guard method == 0 || method == 8 else { throw problem(.method(method)) }
    // Sizes and checksum are behind the file.
    let isStreamed = flags & 8 != 0
    guard !isStreamed || method == 8, u32(18) != .max, u32(22) != .max else { throw problem(.size) }
    let name = try blocks.take(Int(u16(26)))
    let extra = try blocks.take(Int(u16(28)))
    guard name.count == Int(u16(26)), extra.count == Int(u16(28)) else { throw problem(.cutOff) }
    var inflater: Inflater?
    if method == 8 {
      guard let made = Inflater() else { throw problem(.noMemory) }
      inflater = made
    }
    entry = Entry(
      left: isStreamed ? nil : Int(u32(18)), checksum: isStreamed ? nil : u32(14),
      inflater: inflater)
    return String(decoding: name, as: UTF8.self)
  }

  /// The next bytes of this file; none after its last.
  mutating func read() throws(TraceError) -> [UInt8] {
    guard var entry else { return [] }
    defer { self.entry = entry.isComplete ? nil : entry }
    while !entry.isComplete {
      let block: [UInt8]
      if let inflater = entry.inflater {
        if inflater.needsInput {
          let input = try blocks.take(
            min(entry.left ?? 1 << 14, 1 << 14), isPart: entry.left == nil)
          guard !input.isEmpty else { throw problem(.cutOff) }
          entry.left = entry.left.map { $0 - input.count }
          entry.compressed += input.count
          inflater.feed(input)
        }
        guard let output = inflater.next() else { throw problem(.damaged) }
        block = output
        entry.isComplete = inflater.isAtEnd
        if entry.isComplete {
          blocks.give(back: inflater.rest)
          guard (entry.left ?? 0) == 0, entry.left == nil || inflater.rest.isEmpty else {
            throw problem(.damaged)
          }
          if entry.left == nil { try skipDescriptor() }
        }
      } else {
        let left = entry.left ?? 0
        block = try blocks.take(min(left, 1 << 14))
        guard !block.isEmpty || left == 0 else { throw problem(.cutOff) }
        entry.left = left - block.count
        entry.compressed += block.count
        entry.isComplete = entry.left == 0
      }
      entry.inflated += block.count
      guard entry.inflated <= entry.compressed * Self.mostInflation + 1 << 20 else {
        throw problem(.inflation(ratio: Self.mostInflation))
      }
      entry.sum.add(block)
      if entry.isComplete, let checksum = entry.checksum, checksum != entry.sum.value {
        throw problem(.checksum)
      }
      if !block.isEmpty { return block }
    }
    return []
  }

  /// The data descriptor behind a file: optionally a signature, then checksum and sizes.
  private mutating func skipDescriptor() throws(TraceError) {
    var bytes = try blocks.take(12)
    if bytes.starts(with: [0x50, 0x4B, 7, 8]) { bytes += try blocks.take(4) }
    guard bytes.count >= 12 else { throw problem(.cutOff) }
  }

  private func problem(_ problem: ArchiveProblem) -> TraceError {
    TraceError(file: blocks.name, offset: blocks.offset, .archive(problem))
  }
}
