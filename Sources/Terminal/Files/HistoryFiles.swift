import Foundation
package import Interchange
package import Localization
import Traces

extension CommandFiles {
  /// Standard input is kept in memory as far as this.
  private static let mostInput = 256 << 20

  /// Opens the history of another program; `-` is standard input.
  package static func history(_ path: String) throws -> any HistoryBytes {
    var stream = try stream(path)
    guard stream.size != nil, path != "-", let handle = FileHandle(forReadingAtPath: path) else {
      var bytes: [UInt8] = []
      while case let block = try stream.read(upTo: 1 << 20), !block.isEmpty {
        bytes += block
        guard bytes.count <= mostInput else {
          throw CommandFailure(
            .failed,
            .verbatim(
              HistoryError(file: path, .readFailure(reason: "> \(mostInput >> 20) MiB")).message))
        }
      }
      return MemoryBytes(bytes, name: path)
    }
    return HistoryFileBytes(name: path, size: stream.size ?? 0, handle: handle)
  }

  /// The advice for a file that is no recording, but the history of another program; `nil` if it is
  /// none.
  package static func historyHint(_ path: String) -> LocalizedText? {
    let copy = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    guard path != "-", let bytes = try? history(path),
      let kind = HistoryFile.kind(of: bytes, copy: copy)
    else { return nil }
    return LocalizedText(
      "history.hint", ["file": .verbatim(path), "program": .verbatim(kind.title)])
  }
}

/// A file on disk, from any place on.
private struct HistoryFileBytes: HistoryBytes {
  let name: String
  let size: Int
  let handle: FileHandle

  func read(at offset: Int, upTo count: Int) throws(HistoryError) -> [UInt8] {
    guard offset >= 0, count > 0 else { return [] }
    do {
      try handle.seek(toOffset: UInt64(offset))
      return Array(try handle.read(upToCount: count) ?? Data())
    } catch {
      throw HistoryError(file: name, .readFailure(reason: error.localizedDescription))
    }
  }
}

extension HistoryError: PresentableError {}
