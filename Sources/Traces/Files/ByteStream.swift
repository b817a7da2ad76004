public import Foundation
import Glibc

/// Bytes that are read in order, in bounded blocks.
public protocol ByteStream {
  /// The name for error messages.
  var name: String { get }

  /// The total number of bytes; `nil` if unknown.
  var size: Int? { get }

  /// Reads up to `limit` bytes; empty at the end.
  mutating func read(upTo limit: Int) throws(TraceError) -> Data

  /// Goes back to the first byte.
  ///
  /// - Returns: Whether that is possible; it is not in a pipe, unless the stream says so.
  mutating func rewind() throws(TraceError) -> Bool
}

extension ByteStream {
  public mutating func rewind() throws(TraceError) -> Bool { false }
}

/// A file on disk, or standard input where the path is `-`.
public struct FileStream: ByteStream {
  public let name: String
  public let size: Int?
  private let handle: FileHandle

  /// Opens the file for reading.
  ///
  /// A named pipe is refused: opening it waits until another program writes to it. The pipe of a
  /// shell (`<(…)`, `/dev/stdin`) has a writer already.
  ///
  /// - Throws: ``TraceError`` if it is missing, a folder, a named pipe, or not readable.
  public init(path: String) throws(TraceError) {
    try self.init(path: path, named: path)
  }

  /// Opens the file for reading under another name for error messages.
  package init(path: String, named name: String) throws(TraceError) {
    self.name = name
    guard path != "-" else {
      handle = .standardInput
      size = nil
      return
    }
    var status = stat()
    guard unsafe stat(path, &status) == 0 else {
      throw TraceError(file: name, .missingFile)
    }
    let type = status.st_mode & S_IFMT
    guard type != S_IFDIR else { throw TraceError(file: name, .folder) }
    guard type != S_IFIFO || path.hasPrefix("/dev/") || path.hasPrefix("/proc/") else {
      throw TraceError(file: name, .namedPipe)
    }
    guard let handle = FileHandle(forReadingAtPath: path) else {
      throw TraceError(file: name, .unreadable)
    }
    self.handle = handle
    size = type == S_IFREG ? Int(status.st_size) : nil
  }

  public mutating func read(upTo limit: Int) throws(TraceError) -> Data {
    do {
      return try handle.read(upToCount: limit) ?? Data()
    } catch {
      throw TraceError(file: name, .readFailure(reason: error.localizedDescription))
    }
  }

  public mutating func rewind() throws(TraceError) -> Bool {
    guard size != nil else { return false }
    do {
      try handle.seek(toOffset: 0)
      return true
    } catch {
      throw TraceError(file: name, .readFailure(reason: error.localizedDescription))
    }
  }
}

/// Bytes in memory.
public struct MemoryStream: ByteStream {
  public let name: String
  private let bytes: [UInt8]
  private var rest: ArraySlice<UInt8>

  /// The number of bytes left.
  public var size: Int? { rest.count }

  /// Streams `bytes`, called `name` in messages.
  public init(name: String, bytes: [UInt8]) {
    self.name = name
    self.bytes = bytes
    rest = bytes[...]
  }

  public mutating func rewind() throws(TraceError) -> Bool {
    rest = bytes[...]
    return true
  }

  public mutating func read(upTo limit: Int) throws(TraceError) -> Data {
    let block = rest.prefix(limit)
    rest = rest.dropFirst(block.count)
    return Data(block)
  }
}

/// A stream whose first bytes can be inspected before it is read.
struct PrefixedStream: ByteStream {
  private var prefix: Data
  private var rest: any ByteStream

  var name: String { rest.name }
  var size: Int? { rest.size }

  /// Reads up to `limit` bytes of `stream` for inspection.
  init(_ stream: any ByteStream, looking limit: Int) throws(TraceError) {
    rest = stream
    prefix = try rest.read(upTo: limit)
  }

  /// The first bytes.
  var first: [UInt8] { Array(prefix) }

  mutating func read(upTo limit: Int) throws(TraceError) -> Data {
    guard !prefix.isEmpty else { return try rest.read(upTo: limit) }
    let block = Data(prefix.prefix(limit))
    prefix = Data(prefix.dropFirst(block.count))
    return block
  }

  mutating func rewind() throws(TraceError) -> Bool {
    guard try rest.rewind() else { return false }
    prefix = Data()
    return true
  }
}

// MARK: - Blocks

/// Reads runs of bytes from a stream, one block in memory at a time.
struct BlockReader {
  private static let blockSize = 1 << 16
  private var stream: any ByteStream
  private var block: ArraySlice<UInt8> = []
  private var isAtEnd = false
  /// How many bytes have been read from the stream.
  private(set) var bytesRead = 0

  /// The stream's name for errors.
  var name: String { stream.name }

  /// The offset of the next byte.
  var offset: Int { bytesRead - block.count }

  /// Reads `stream` from its current position, which counts as byte 0.
  init(_ stream: any ByteStream) {
    self.stream = stream
  }

  /// The next `count` bytes; fewer where the stream ends, and if a part is enough.
  mutating func take(_ count: Int, isPart: Bool = false) throws(TraceError) -> [UInt8] {
    if isPart, block.isEmpty { _ = try fill() }
    guard !isPart else {
      let part = Array(block.prefix(count))
      block = block.dropFirst(part.count)
      return part
    }
    var taken = Array(block.prefix(count))
    block = block.dropFirst(taken.count)
    while taken.count < count, try fill() {
      let part = block.prefix(count - taken.count)
      taken += part
      block = block.dropFirst(part.count)
    }
    return taken
  }

  /// Puts bytes back that were taken last.
  mutating func give(back bytes: [UInt8]) {
    guard !bytes.isEmpty else { return }
    block = ArraySlice(bytes + block)
  }

  private mutating func fill() throws(TraceError) -> Bool {
    guard !isAtEnd else { return false }
    block = ArraySlice(try stream.read(upTo: Self.blockSize))
    bytesRead += block.count
    isAtEnd = block.isEmpty
    return !isAtEnd
  }
}
