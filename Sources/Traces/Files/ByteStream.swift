public import Foundation

/// Bytes that are read in order, a bounded block at a time.
public protocol ByteStream {
  /// The name for error messages.
  var name: String { get }

  /// How many bytes there are in all, where that is known.
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
  /// - Throws: ``TraceError`` where it is missing, a folder, or not readable.
  public init(path: String) throws(TraceError) {
    name = path
    guard path != "-" else {
      handle = .standardInput
      size = nil
      return
    }
    guard let attributes = try? FileManager.default.attributesOfItem(atPath: path) else {
      throw TraceError(file: path, reason: "there is no such file, or its folder cannot be read")
    }
    let type = attributes[.type] as? FileAttributeType
    guard type != .typeDirectory else {
      throw TraceError(file: path, reason: "this is a folder; name a file in it")
    }
    guard let handle = FileHandle(forReadingAtPath: path) else {
      throw TraceError(file: path, reason: "it cannot be read; check its permissions")
    }
    self.handle = handle
    size = type == .typeRegular ? (attributes[.size] as? NSNumber)?.intValue : nil
  }

  public mutating func read(upTo limit: Int) throws(TraceError) -> Data {
    do {
      return try handle.read(upToCount: limit) ?? Data()
    } catch {
      throw TraceError(file: name, reason: "reading failed: \(error.localizedDescription)")
    }
  }
}

/// Bytes in memory, for what was made rather than recorded.
public struct MemoryStream: ByteStream {
  public let name: String
  private var rest: ArraySlice<UInt8>

  /// The bytes that are left.
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
