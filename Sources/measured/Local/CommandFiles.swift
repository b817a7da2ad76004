import Care
import CareStore
import Foundation
import Traces

/// The files that a command names: those of its process, or those that the client of a daemon sent.
enum CommandFiles {
  /// Opens a file for reading; `-` is standard input.
  ///
  /// - Throws: `TraceError` if it is missing, a folder, a named pipe, or not readable.
  static func stream(_ path: String) throws(TraceError) -> any ByteStream {
    guard path != "-" else { return try Console.surroundings.input() }
    guard let host = CommandHost.current else { return try FileStream(path: path) }
    guard let input = host.files.input(path) else { throw TraceError(file: path, .missingFile) }
    if let problem = input.problem { throw TraceError(file: path, problem.problem) }
    return try FileStream(path: host.files.path(of: path), named: path)
  }

  /// The path at which this process reads what the person calls `path`.
  static func path(_ path: String) -> String {
    CommandHost.current?.files.path(of: path) ?? path
  }

  /// The problem that keeps a file from being read; `nil` if there is none.
  static func problem(_ path: String) -> CommandRequest.Problem? {
    if let host = CommandHost.current {
      guard let input = host.files.input(path) else { return .missingFile }
      return input.problem
    }
    guard let attributes = try? FileManager.default.attributesOfItem(atPath: path) else {
      return .missingFile
    }
    return attributes[.type] as? FileAttributeType == .typeDirectory ? .folder : nil
  }

  /// Whether other users than the owner and the group may read a file.
  static func isExposed(_ path: String) -> Bool {
    guard let host = CommandHost.current else { return TextFile.isReadableByOthers(path) }
    return host.files.input(path)?.isExposed ?? false
  }

  /// Whether the file that the command writes exists.
  static func exists(_ path: String) -> Bool {
    guard let host = CommandHost.current else {
      return FileManager.default.fileExists(atPath: path)
    }
    return host.files.output?.exists ?? false
  }

  /// Writes the file that the person calls `path`.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - body: Writes it, at the path that it is given.
  /// - Throws: `StoreError.refused(_:)` if that is the store's own file, and what `body` throws.
  static func write(_ path: String, _ body: (String) async throws -> Void) async throws {
    guard let host = CommandHost.current else { return try await body(path) }
    if let identity = host.files.output?.identity,
      identity == FileIdentity.of(host.storePath)
    {
      throw StoreError.refused(.ownFile(path))
    }
    let draft = host.files.outputPath
    try await body(draft)
    try await host.send(file: draft)
    try? FileManager.default.removeItem(atPath: draft)
  }
}

/// The identity of a file.
enum FileIdentity {
  /// The file system and inode of a file, `64768:131`; `nil` if there is none.
  static func of(_ path: String) -> String? {
    var info = stat()
    guard unsafe stat(path, &info) == 0 else { return nil }
    return "\(info.st_dev):\(info.st_ino)"
  }
}
