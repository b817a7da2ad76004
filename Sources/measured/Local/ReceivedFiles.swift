import Foundation

/// The files that a client sent for its command, in a private folder of the daemon.
struct ReceivedFiles: Sendable {
  /// Where they are.
  let folder: CommandFolder
  /// The inputs, as the client describes them.
  let inputs: [CommandRequest.InputFile]
  /// The file that the command writes.
  let output: CommandRequest.OutputFile?

  /// The description of an input; `nil` for a path that the client has not sent.
  func input(_ path: String) -> CommandRequest.InputFile? { inputs.first { $0.path == path } }

  /// Where an input's content is, or would be; a path that was not sent leads nowhere.
  func path(of input: String) -> String {
    guard let index = inputs.firstIndex(where: { $0.path == input }) else {
      return folder.path("none")
    }
    return path(of: index)
  }

  /// Where the content of an input is, or would be.
  func path(of index: Int) -> String { folder.path("in\(index)") }

  /// Where the command writes its file.
  var outputPath: String { folder.path("out") }

  /// The text with the client's paths in place of those in the folder.
  func translated(_ text: String) -> String {
    guard text.contains(folder.path) else { return text }
    var text = text
    // The longest first: `in1` begins as `in10` does.
    for index in inputs.indices.reversed() {
      text = text.replacing(path(of: index), with: inputs[index].path)
    }
    return text.replacing(outputPath, with: output?.path ?? "")
  }
}

/// A private folder for one command, which is removed with it.
final class CommandFolder: Sendable {
  /// Where it is.
  let path: String

  /// How the names of these folders begin.
  private static let prefix = ".measured-command-"

  /// Makes a folder beside the store, where there is room for what a store exchanges.
  ///
  /// - Throws: ``CommandFailure``.
  init(beside store: String) throws(CommandFailure) {
    let folder = (store as NSString).deletingLastPathComponent
    path = (folder.isEmpty ? "." : folder) + "/" + Self.prefix + UUID().uuidString
    guard unsafe mkdir(path, 0o700) == 0 else {
      throw CommandFailure(
        .failed,
        "The daemon has no place for the command's files: \(unsafe String(cString: strerror(errno)))."
      )
    }
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// The path of a file in it.
  func path(_ name: String) -> String { path + "/" + name }

  /// Removes the folders that a killed daemon left.
  ///
  /// Only the daemon of the store may call this.
  static func removeAbandoned(beside store: String) {
    let folder = (store as NSString).deletingLastPathComponent
    let files = FileManager.default
    for name in (try? files.contentsOfDirectory(atPath: folder)) ?? [] where name.hasPrefix(prefix)
    {
      try? files.removeItem(atPath: folder + "/" + name)
    }
  }

  /// How many bytes the disk still has for commands; what the store needs is not counted.
  var room: Int {
    var status = statvfs()
    guard unsafe statvfs(path, &status) == 0 else { return 0 }
    let free = Int(clamping: status.f_bavail).multipliedReportingOverflow(
      by: Int(clamping: status.f_frsize))
    return max(0, (free.overflow ? Int.max : free.partialValue) - Self.reserve)
  }

  /// The space that stays free for the store, in bytes.
  private static let reserve = 64 << 20
}
