package import Care
package import Foundation
import PrivateFiles
import Synchronization

/// A file that takes another one's place in one step, once it is complete and on the disk.
///
/// It is made beside the other one, readable by its owner only unless it is a store.
struct FileDraft {
  /// The file that it replaces.
  let target: String
  /// Where it is until then.
  let path: String
  private let fileSystem = FileSystem()
  /// Shows other processes that the draft is in use.
  private let lock: DraftLock

  /// Replaces a file by what `fill` writes, in one step once it is complete and on the disk.
  ///
  /// - Throws: `StoreError.notWritten(_:file:)` with the path that cannot be written, or a store's
  ///   error that `fill` throws. The present file then stays.
  static func replace(
    _ target: String, id: UUID, for audience: FileAudience = .owner,
    with fill: (FileDraft) async throws -> Void
  ) async throws(StoreError) {
    do {
      let draft = try FileDraft(replacing: target, id: id, for: audience)
      do {
        try await fill(draft)
        try draft.publish()
      } catch {
        draft.discard()
        throw error
      }
    } catch {
      throw StoreError(error, writing: target)
    }
  }

  /// Makes an empty draft, and removes those that killed programs left.
  init(
    replacing target: String, id: UUID, for audience: FileAudience = .owner
  ) throws(SystemFailure) {
    self.target = target.hasPrefix("/") ? target : "./" + target
    Self.removeAbandoned(beside: self.target)
    path = "\(self.target).\(id.uuidString).new"
    lock = try Self.makeLocked(path, for: audience)
  }

  /// Makes a file and locks it.
  ///
  /// Another program may take the file for an abandoned one in between, and remove it: then it is
  /// made again.
  private static func makeLocked(
    _ path: String, for audience: FileAudience
  ) throws(SystemFailure) -> DraftLock {
    for _ in 0..<100 {
      if try FileSystem.status(of: path) == nil {
        try FileSystem.makeFile(path, for: audience)
      }
      if let lock = DraftLock(path), try FileSystem.status(of: path) != nil { return lock }
    }
    throw SystemFailure(code: EAGAIN)
  }

  /// Opens the draft for writing lines.
  func open() throws(SystemFailure) -> LineFile { try LineFile(path) }

  /// Gives the draft its name.
  func publish() throws(SystemFailure) {
    try FileSystem.synchronizeFile(path)
    try FileSystem.rename(path, to: target)
    try fileSystem.synchronize(FileSystem.directory(of: target))
  }

  /// Gives the draft its name, unless that is taken.
  func publishIfFree(_ fileSystem: FileSystem) throws(SystemFailure) -> Bool {
    guard try fileSystem.link(path, target) else { return false }
    try fileSystem.synchronize(FileSystem.directory(of: target))
    return true
  }

  /// Removes the draft, with what SQLite left beside it.
  func discard() { Self.remove(path) }

  private static let companions = [""] + Engine.companions

  private static func remove(_ draft: String) {
    for companion in companions { FileSystem.unlink(draft + companion) }
  }

  /// The paths of the drafts of a file.
  private static func drafts(of target: String) -> [String] {
    let directory = FileSystem.directory(of: target)
    let prefix = (target as NSString).lastPathComponent + "."
    let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
    return names.compactMap { name in
      // The name of a draft, or of what SQLite keeps beside one.
      guard name.hasPrefix(prefix), let end = name.range(of: ".new", options: .backwards),
        companions.contains(String(name[end.upperBound...])),
        UUID(uuidString: String(name[..<end.lowerBound].dropFirst(prefix.count))) != nil
      else { return nil }
      return directory + "/" + name[..<end.upperBound]
    }
  }

  /// Whether a file is just being made.
  static func isPresent(beside target: String) -> Bool { !drafts(of: target).isEmpty }

  /// Removes the drafts of a file that no living program is writing.
  static func removeAbandoned(beside target: String) {
    for draft in drafts(of: target) {
      if let lock = DraftLock(draft) {
        withExtendedLifetime(lock) { remove(draft) }
      } else if FileSystem.isMissing(draft) {
        // A power loss can leave what stood beside a draft without it.
        remove(draft)
      }
    }
  }
}

/// A file that a command makes for a person, such as a plan or a chart; only its owner may read it.
package enum OutputFile {
  /// Writes a file, which replaces an existing one in one step once it is complete and on the disk.
  ///
  /// - Throws: `StoreError.notWritten(_:file:)` with the path that cannot be written.
  package static func write(_ text: String, to path: String, id: UUID) async throws(StoreError) {
    try await FileDraft.replace(path, id: id) { draft in
      let file = try draft.open()
      try file.write(text)
      try file.finish()
    }
  }

  /// A file that is written piece by piece; it takes the other one's place when it is complete.
  package final class Replacement {
    private let path: String
    private let draft: FileDraft
    private let file: LineFile
    private var isFinished = false

    /// Begins a file.
    ///
    /// - Throws: `StoreError.notWritten(_:file:)` with the path that cannot be written.
    package init(of path: String, id: UUID) throws(StoreError) {
      self.path = path
      do {
        draft = try FileDraft(replacing: path, id: id)
        do {
          file = try draft.open()
        } catch {
          draft.discard()
          throw error
        }
      } catch {
        throw StoreError(error, writing: path)
      }
    }

    deinit { if !isFinished { draft.discard() } }

    /// Adds bytes.
    package func write(_ data: Data) throws(StoreError) {
      do { try file.write(data) } catch { throw StoreError(error, writing: path) }
    }

    /// Puts the file in its place, once it is on the disk.
    package func finish() throws(StoreError) {
      do {
        try file.finish()
        try draft.publish()
      } catch {
        throw StoreError(error, writing: path)
      }
      isFinished = true
    }
  }
}

/// A lock on a draft that ends with the process at the latest.
final class DraftLock: Sendable {
  private let file: Int32

  /// Locks an existing file; `nil` if another one has locked it, or it cannot be opened.
  init?(_ path: String) {
    guard let file = FileSystem.lock(path) else { return nil }
    self.file = file
  }

  deinit { FileSystem.close(file) }
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

  func write(_ text: String) throws(SystemFailure) { try write(text.utf8) }

  func write(_ bytes: some Sequence<UInt8>) throws(SystemFailure) {
    let bytes = Array(bytes)
    try buffer.withLock { (buffer) throws(SystemFailure) in
      buffer += bytes
      if buffer.count >= Self.bufferSize { try flush(&buffer) }
    }
  }

  /// Begins again: what was written is gone.
  func empty() throws(SystemFailure) {
    try buffer.withLock { (buffer) throws(SystemFailure) in
      buffer.removeAll(keepingCapacity: true)
      try FileSystem.empty(file)
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
  /// Until where there is no line end.
  private var searched = 0
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
      if let end = buffer[max(position, searched)...].firstIndex(of: UInt8(ascii: "\n")) {
        defer {
          position = end + 1
          searched = position
        }
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
      searched = buffer.count - position
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
