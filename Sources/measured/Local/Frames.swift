import Foundation
import Traces
import Web

/// The version of the conversations over the socket; it changes whenever a frame does.
enum ConversationVersion {
  static let current = 2
}

/// A command that a client asks the daemon to run.
struct CommandRequest: Codable, Hashable, Sendable {
  /// The arguments, without the program's name.
  var arguments: [String]
  /// The store as the client calls it.
  var store: String
  /// Which of the client's streams are terminals.
  var terminals: Terminals
  /// The files and folders that the command reads, in the order in which they are sent.
  var inputs: [InputFile] = []
  /// The file that it writes.
  var output: OutputFile?

  /// Which streams are terminals.
  struct Terminals: Codable, Hashable, Sendable {
    var input = false
    var output = false
    var error = false
    /// How many columns standard output has.
    var width: Int?
  }

  /// A file that a command reads.
  struct InputFile: Codable, Hashable, Sendable {
    /// The path as the person wrote it; `-` is standard input.
    var path: String
    /// Why it cannot be read; its content is then not sent.
    var problem: Problem?
    /// Whether every user of the machine may read it.
    var isExposed = false
    /// The files of a folder, by name; `nil` for a file.
    var members: [String]?
  }

  /// Why a file cannot be read.
  enum Problem: String, Codable, Hashable, Sendable {
    case missingFile, folder, namedPipe, unreadable
  }

  /// A file that a command writes.
  struct OutputFile: Codable, Hashable, Sendable {
    var path: String
    /// Whether it exists.
    var exists: Bool
    /// The identity of the file: `64768:131`.
    var identity: String?
  }
}

/// A line that a client sends: one of these.
struct ClientFrame: Codable, Hashable, Sendable {
  /// The first: what is to be run.
  var command: CommandRequest?
  /// The next bytes of the file whose turn it is.
  var data: Data?
  /// The file whose turn it is, is complete.
  var isEnd: Bool?
  /// The answer to the question.
  var answer: Bool?
}

/// A line that the daemon sends: one of these; the last one may have text, too.
struct DaemonFrame: Codable, Hashable, Sendable {
  /// Text for standard output.
  var out: String?
  /// Text for standard error.
  var error: String?
  /// A question to be answered with yes or no.
  var question: String?
  /// The next bytes of the file that the command writes.
  var data: Data?
  /// The file that the command writes is complete.
  var isEnd: Bool?
  /// The exit code; the last frame.
  var exit: Int32?

  /// How much of a file one frame has, in bytes.
  static let piece = 48 << 10
}

/// Frames as lines.
enum FrameCoding {
  /// The line of a frame, its end included.
  static func line(_ frame: some Encodable) -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .withoutEscapingSlashes
    // Frames have nothing that JSON lacks.
    return ((try? encoder.encode(frame)) ?? Data("{}".utf8)) + Data("\n".utf8)
  }

  /// Reads a line; `nil` if it is none.
  static func frame<Frame: Decodable>(_ type: Frame.Type, _ line: Data) -> Frame? {
    try? JSONDecoder().decode(type, from: line)
  }
}

extension CommandRequest.Problem {
  /// The problem that keeps a file from being read; `nil` for one while it is read.
  init?(_ error: TraceError) {
    switch error.problem {
    case .missingFile: self = .missingFile
    case .folder: self = .folder
    case .namedPipe: self = .namedPipe
    case .unreadable: self = .unreadable
    default: return nil
    }
  }

  /// The problem as reading the file reports it.
  var problem: TraceError.Problem {
    switch self {
    case .missingFile: .missingFile
    case .folder: .folder
    case .namedPipe: .namedPipe
    case .unreadable: .unreadable
    }
  }
}
