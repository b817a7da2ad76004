import Foundation
import Glibc

/// Keeps a second daemon, or page, from a store; it ends with the process at the latest.
final class StoreLock: Sendable {
  private let file: Int32

  /// Why a store is not locked.
  enum Failure: Error, Hashable {
    /// Another daemon has it.
    case taken(store: String)
    /// The lock's file cannot be opened, for the system's reason.
    case unusable(path: String, code: Int32)
  }

  /// Locks a store by a file beside it.
  init(store: String) throws(Failure) {
    let path = DaemonSocket.realPath(of: store) + ".lock"
    let file = unsafe open(path, O_CREAT | O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard file >= 0 else { throw .unusable(path: path, code: errno) }
    guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
      let code = errno
      close(file)
      throw code == EWOULDBLOCK ? .taken(store: store) : .unusable(path: path, code: code)
    }
    self.file = file
  }

  deinit { close(file) }
}

extension StoreLock.Failure: PresentableError {
  var message: String {
    switch self {
    case .taken(let store):
      "Another daemon works with the store \(store): measured run or measured serve. End it first"
        + " (systemctl stop measured, or Ctrl-C where it runs), or use another store with --store."
    case .unusable(let path, let code):
      "The lock \(path) cannot be taken: \(unsafe String(cString: strerror(code))). Nothing keeps a"
        + " second daemon from the store."
    }
  }
}
