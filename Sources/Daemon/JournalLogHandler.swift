import Foundation
import Logging
import Terminal

/// Writes log lines to standard error: for the journal with a syslog priority in front
/// (sd-daemon(3)), on a terminal with the level.
struct JournalLogHandler: LogHandler {
  var logLevel: Logger.Level
  var metadata: Logger.Metadata = [:]
  /// Whether standard error is the journal, which adds the time itself.
  let isJournal: Bool
  private let write: @Sendable (String) -> Void

  /// Makes a handler; the journal is recognised by `JOURNAL_STREAM` in `environment`.
  init(
    level: Logger.Level, environment: [String: String],
    write: @escaping @Sendable (String) -> Void = { Console.error($0) }
  ) {
    logLevel = level
    isJournal = environment["JOURNAL_STREAM"] != nil
    self.write = write
  }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    write(line(event.level, event.message.description))
  }

  /// The text of a message; each of its lines carries the priority, else the journal splits it.
  func line(_ level: Logger.Level, _ message: String) -> String {
    guard isJournal else { return "\(level.rawValue): \(message)" }
    return message.split(separator: "\n", omittingEmptySubsequences: false)
      .map { "<\(level.priority)>\($0)" }.joined(separator: "\n")
  }
}

extension Logger.Level {
  /// The priority of syslog(3).
  fileprivate var priority: Int {
    switch self {
    case .trace, .debug: 7
    case .info: 6
    case .notice: 5
    case .warning: 4
    case .error: 3
    case .critical: 2
    }
  }
}
