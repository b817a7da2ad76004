import Care
import Foundation
import Synchronization

/// A file that takes another one's place in one step, once it is complete and on the disk.
///
/// It is made beside the other one, readable by its owner only.
struct FileDraft {
  /// The file that it replaces.
  let target: String
  /// Where it is until then.
  let path: String
  private let fileSystem = FileSystem()

  /// Makes an empty draft.
  init(replacing target: String, id: UUID) throws(SystemFailure) {
    self.target = target.hasPrefix("/") ? target : "./" + target
    path = "\(self.target).\(id.uuidString).new"
    try FileSystem.makeFile(path)
  }

  /// Opens the draft for writing lines.
  func open() throws(SystemFailure) -> LineFile { try LineFile(path) }

  /// Gives the draft its name.
  func publish() throws(SystemFailure) {
    try FileSystem.synchronizeFile(path)
    try FileSystem.rename(path, to: target)
    try fileSystem.synchronize(FileSystem.directory(of: target))
  }

  /// Removes the draft.
  func discard() { FileSystem.unlink(path) }
}

/// A file that is written in large pieces.
final class LineFile: Sendable {
  private let file: Int32
  private let buffer = Mutex<[UInt8]>([])
  private static let bufferSize = 1 << 16

  init(_ path: String) throws(SystemFailure) {
    file = try FileSystem.openForWriting(path)
  }

  deinit { FileSystem.close(file) }

  func write(_ text: String) throws(SystemFailure) {
    try buffer.withLock { (buffer) throws(SystemFailure) in
      buffer += Array(text.utf8)
      if buffer.count >= Self.bufferSize { try flush(&buffer) }
    }
  }

  /// Writes what is left.
  func finish() throws(SystemFailure) {
    try buffer.withLock { (buffer) throws(SystemFailure) in try flush(&buffer) }
  }

  private func flush(_ buffer: inout [UInt8]) throws(SystemFailure) {
    try FileSystem.write(buffer, to: file)
    buffer.removeAll(keepingCapacity: true)
  }
}

/// The lines of a file, read in pieces: no more than the longest allowed line is in memory.
struct LineReader {
  private let file: FileHandle
  private let limit: Int
  private var buffer: [UInt8] = []
  private var position = 0
  private var isAtEnd = false

  init(_ file: FileHandle, limit: Int) {
    self.file = file
    self.limit = limit
  }

  /// The next line without its end; `nil` after the last.
  ///
  /// A line that is too long is returned cut behind its limit.
  ///
  /// - Throws: `StoreError.ExportDamage.notUTF8` and what reading the file throws.
  mutating func next() throws -> String? {
    while true {
      if let end = buffer[position...].firstIndex(of: UInt8(ascii: "\n")) {
        defer { position = end + 1 }
        return try Self.text(buffer[position..<end])
      }
      if buffer.count - position > limit {
        // Reading further would not make it shorter; what a cut splits is no error of the line.
        return String(decoding: buffer[position..<position + limit + 1], as: UTF8.self)
      }
      if isAtEnd {
        guard position < buffer.count else { return nil }
        defer { position = buffer.count }
        return try Self.text(buffer[position...])
      }
      buffer.removeFirst(position)
      position = 0
      guard let piece = try file.read(upToCount: 1 << 18), !piece.isEmpty else {
        isAtEnd = true
        continue
      }
      buffer += piece
    }
  }

  private static func text(_ bytes: ArraySlice<UInt8>) throws -> String {
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw StoreError.ExportDamage.notUTF8
    }
    return text
  }
}
