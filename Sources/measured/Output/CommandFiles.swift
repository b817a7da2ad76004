import Foundation
import Traces

/// The files that a command reads.
enum CommandFiles {
  /// Opens a file for reading; `-` is standard input.
  ///
  /// - Throws: `TraceError` if it is missing, a folder, a named pipe, or not readable.
  static func stream(_ path: String) throws(TraceError) -> any ByteStream {
    guard path != "-" else { return try Console.surroundings.input() }
    return try FileStream(path: path)
  }

  /// Checks that a file exists.
  ///
  /// - Throws: ``CommandFailure`` that says what `kind` of file to name.
  static func require(_ path: String, _ kind: String) throws(CommandFailure) {
    var isFolder: ObjCBool = false
    guard unsafe FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
      throw CommandFailure(.failed, "There is no file \(path). Name \(kind).")
    }
    guard !isFolder.boolValue else {
      throw CommandFailure(.failed, "\(path) is a directory. Name \(kind).")
    }
  }
}
