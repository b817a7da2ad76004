import Foundation
import Logging
import Synchronization
import Testing

@testable import Daemon

@Suite struct JournalLogHandlerTests {
  @Test func `writes a priority on every line for the journal`() {
    let journal = JournalLogHandler(level: .info, environment: ["JOURNAL_STREAM": "8:1"])
    #expect(journal.line(.warning, "one\ntwo") == "<4>one\n<4>two")
    let person = JournalLogHandler(level: .info, environment: [:])
    #expect(person.line(.warning, "one") == "warning: one")
  }

  /// The priorities of syslog(3).
  @Test func `gives each level its priority`() {
    let journal = JournalLogHandler(level: .trace, environment: ["JOURNAL_STREAM": "8:1"])
    #expect(
      Logger.Level.allCases.map { journal.line($0, "x") }
        == ["<7>x", "<7>x", "<6>x", "<5>x", "<4>x", "<3>x", "<2>x"])
  }

  @Test func `writes nothing below its level`() {
    let lines = Lines()
    let logger = Logger(label: "test") { _ in
      JournalLogHandler(level: .notice, environment: [:], write: lines.add)
    }
    logger.info("quiet")
    logger.notice("loud")
    logger.error("louder")
    #expect(lines.all == ["notice: loud", "error: louder"])
  }
}

/// Lines in the order in which they were written.
final class Lines: Sendable {
  private let lines = Mutex<[String]>([])

  var all: [String] { lines.withLock { $0 } }

  func add(_ line: String) {
    lines.withLock { $0.append(line) }
  }
}
