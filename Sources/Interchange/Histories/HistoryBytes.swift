import Care
import Inflation

/// The bytes of a file, from any place on.
///
/// A history is read twice: once for what its rows say together, such as which of two numbers is the
/// month, and once for the rows.
package protocol HistoryBytes {
  /// The name for messages.
  var name: String { get }
  /// How many bytes it has.
  var size: Int { get }
  /// Reads up to `count` bytes; none beyond the end.
  func read(at offset: Int, upTo count: Int) throws(HistoryError) -> [UInt8]
}

/// Bytes in memory.
package struct MemoryBytes: HistoryBytes {
  package let name: String
  private let bytes: [UInt8]

  /// Names `bytes`.
  package init(_ bytes: [UInt8], name: String) {
    (self.bytes, self.name) = (bytes, name)
  }

  package var size: Int { bytes.count }

  package func read(at offset: Int, upTo count: Int) throws(HistoryError) -> [UInt8] {
    guard (0..<bytes.count).contains(offset) else { return [] }
    return Array(bytes[offset..<min(bytes.count, offset.saturatingSum(max(0, count)))])
  }
}

/// A file, or one file of an archive.
struct HistoryPart {
  var bytes: any HistoryBytes
  /// Where in the archive it is; `nil` for a file of its own.
  var entry: ZipDirectory.Entry?

  /// The name for messages.
  var name: String { entry.map { "\(bytes.name): \($0.name)" } ?? bytes.name }

  /// Reads it from its first byte.
  func open() throws(HistoryError) -> BlockSource { try BlockSource(self) }

  /// Its first bytes, at most `count`.
  func head(_ count: Int) throws(HistoryError) -> [UInt8] {
    var source = try open()
    var head: [UInt8] = []
    while head.count < count, case let block = try source.next(), !block.isEmpty { head += block }
    return Array(head.prefix(count))
  }
}

/// Blocks of a file, expanded if it is packed; one block is in memory at a time.
struct BlockSource {
  private static let blockSize = 1 << 18
  /// How far deflate may expand a text; measured exports reach 60.
  private static let mostInflation = 200

  let name: String
  private let bytes: any HistoryBytes
  private var offset: Int
  /// The packed bytes that are left, or those of the file.
  private var left: Int
  private let inflater: Inflater?
  private let checksum: UInt32?
  private var sum = Checksum()
  private var (taken, made) = (0, 0)
  private var isAtEnd = false

  fileprivate init(_ part: HistoryPart) throws(HistoryError) {
    (name, bytes) = (part.name, part.bytes)
    guard let entry = part.entry else {
      (offset, left, inflater, checksum) = (0, part.bytes.size, nil, nil)
      return
    }
    offset = try ZipDirectory.content(of: entry, in: part.bytes)
    left = entry.packedSize
    checksum = entry.checksum
    switch entry.method {
    case 0: inflater = nil
    case 8: inflater = Inflater()
    default: throw HistoryError(file: name, .archive(.method(entry.method)))
    }
  }

  /// How many bytes of the file have been read.
  var bytesRead: Int { taken }

  /// The next bytes; none at the end.
  mutating func next() throws(HistoryError) -> [UInt8] {
    while !isAtEnd {
      var block: [UInt8] = []
      if let inflater {
        if inflater.needsInput {
          let input = try take()
          guard !input.isEmpty else { throw HistoryError(file: name, .archive(.cutOff)) }
          inflater.feed(input)
        }
        guard let output = inflater.next() else {
          throw HistoryError(file: name, .archive(.damaged))
        }
        block = output
        isAtEnd = inflater.isAtEnd
      } else {
        block = try take()
        isAtEnd = block.isEmpty
      }
      made += block.count
      guard made <= taken.saturatingProduct(Self.mostInflation).saturatingSum(1 << 20) else {
        throw HistoryError(file: name, .archive(.inflation))
      }
      if let checksum {
        sum.add(block)
        guard !isAtEnd || sum.value == checksum else {
          throw HistoryError(file: name, .archive(.checksum))
        }
      }
      if !block.isEmpty { return block }
    }
    return []
  }

  private mutating func take() throws(HistoryError) -> [UInt8] {
    let block = try bytes.read(at: offset, upTo: min(left, Self.blockSize))
    offset += block.count
    left -= block.count
    taken += block.count
    return block
  }
}
