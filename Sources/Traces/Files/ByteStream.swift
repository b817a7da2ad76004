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
}

/// Bytes in memory.
public struct MemoryStream: ByteStream {
  public let name: String
  private var rest: ArraySlice<UInt8>

  /// The number of bytes left.
  public var size: Int? { rest.count }

  /// Streams `bytes`, called `name` in messages.
  public init(name: String, bytes: [UInt8]) {
    self.name = name
    rest = bytes[...]
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
}
