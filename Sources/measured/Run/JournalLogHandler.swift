import Foundation
import Logging

/// Writes log lines to standard error: for the journal with a priority in front (sd-daemon(3)), for
/// people with the level.
struct JournalLogHandler: LogHandler {
  var logLevel: Logger.Level
  var metadata: Logger.Metadata = [:]
  /// Whether the journal reads standard error; it adds the time itself.
  let isJournal: Bool

  init(level: Logger.Level, environment: [String: String]) {
    logLevel = level
    isJournal = environment["JOURNAL_STREAM"] != nil
  }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    Console.error(line(event.level, event.message.description))
  }

  /// The line of a message; each of its lines has the priority, else the journal splits it off.
  func line(_ level: Logger.Level, _ message: String) -> String {
    guard isJournal else { return "\(level.rawValue): \(message)" }
    return message.split(separator: "\n", omittingEmptySubsequences: false)
      .map { "<\(level.priority)>\($0)" }.joined(separator: "\n")
  }
}

extension Logger.Level {
  /// The priority of syslog(3).
  var priority: Int {
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
