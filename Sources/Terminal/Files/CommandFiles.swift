import Foundation
package import Localization
package import Traces

/// The files that a command reads.
package enum CommandFiles {
  /// Opens a file for reading; `-` is standard input.
  ///
  /// - Throws: `TraceError` if it is missing, a folder, a named pipe, or not readable.
  package static func stream(_ path: String) throws(TraceError) -> any ByteStream {
    guard path != "-" else { return try Console.surroundings.input() }
    return try FileStream(path: path)
  }

  /// Checks that a file exists.
  ///
  /// - Throws: ``CommandFailure`` with `advice`, which says what kind of file to name.
  package static func require(_ path: String, _ advice: LocalizedText) throws(CommandFailure) {
    var isFolder: ObjCBool = false
    guard unsafe FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
      throw CommandFailure(
        .failed,
        LocalizedText("command.file.missing", ["path": "\(path)"]).followed(by: advice))
    }
    guard !isFolder.boolValue else {
      throw CommandFailure(
        .failed, LocalizedText("command.file.folder", ["path": "\(path)"]).followed(by: advice))
    }
  }

  /// Checks that a file may be made.
  ///
  /// - Throws: ``CommandFailure`` if it exists and is not to be replaced.
  package static func requireRoom(at path: String, force: Bool) throws(CommandFailure) {
    guard !force, FileManager.default.fileExists(atPath: path) else { return }
    throw CommandFailure(.failed, LocalizedText("command.file.exists", ["path": "\(path)"]))
  }
}
