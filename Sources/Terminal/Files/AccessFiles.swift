package import Access
import Foundation

/// The files of accounts and audit log, beside a store.
package struct AccessFiles: Hashable, Sendable {
  /// Accounts, tokens and sessions.
  package let accounts: String
  /// Who saw and changed what.
  package let auditLog: String

  /// The files beside the store at `path`.
  package init(store path: String) {
    let folder = URL(fileURLWithPath: StoreLocation.companion(of: path))
      .deletingLastPathComponent()
    accounts = folder.appendingPathComponent("access.json").path
    auditLog = folder.appendingPathComponent("audit.jsonl").path
  }

  /// Reads the accounts; there are none without the file.
  ///
  /// - Throws: ``AccessFileError``.
  package func control() throws(AccessFileError) -> AccessControl {
    try AccessControl(path: accounts, now: Self.now, random: Self.random)
  }

  /// Takes the files for this process alone.
  ///
  /// Two processes with the accounts in memory would each undo what the other changed, a revocation
  /// too.
  ///
  /// - Returns: A lock that lasts as long as the value.
  /// - Throws: ``InUse``.
  package func lock() throws(InUse) -> Lock {
    let folder = (accounts as NSString).deletingLastPathComponent
    // A lock on the folder needs no file, which a command of root would own.
    let number = unsafe open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard number >= 0 else { throw InUse(path: accounts, code: errno) }
    let lock = Lock(number)
    guard flock(number, LOCK_EX | LOCK_NB) == 0 else { throw InUse(path: accounts, code: errno) }
    return lock
  }

  /// The files are not for this process.
  package struct InUse: Error, Hashable {
    let path: String
    /// `EWOULDBLOCK` if another process has them, else why the folder cannot be opened.
    let code: Int32
  }

  /// An open folder, whose lock ends with it.
  package final class Lock: Sendable {
    private let number: Int32

    fileprivate init(_ number: Int32) { self.number = number }

    deinit { close(number) }
  }

  /// The time on both clocks.
  package static let now: @Sendable () -> Moment = {
    // CLOCK_BOOTTIME from the first call on: only differences count.
    let passed = start.duration(to: .now).components
    return Moment(
      time: Date(), uptime: Double(passed.seconds) + Double(passed.attoseconds) / 1e18)
  }

  private static let start = ContinuousClock.now

  /// As many bytes of the system's random source.
  package static let random: @Sendable (Int) -> [UInt8] = { count in
    var generator = SystemRandomNumberGenerator()
    return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
  }
}
