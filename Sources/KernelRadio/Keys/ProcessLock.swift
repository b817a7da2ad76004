import Foundation
import Radio
import SystemBus

/// What keeps a second process from using the kernel's Bluetooth while a first one does: two would
/// load their keys over each other's.
///
/// The lock ends with the process, however it ends (flock(2)).
struct ProcessLock: ~Copyable, Sendable {
  private let file: CInt

  /// Takes the lock.
  ///
  /// - Parameter path: A file of its own beside the keys; it is made where it is not there.
  /// - Throws: ``RadioError`` where another process holds it, or the file cannot be made.
  init(path: String) throws(RadioError) {
    file = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard file >= 0 else {
      throw RadioError(
        "The lock \(path) cannot be taken: \(SystemError("", errno).reason). The folder has to be "
          + "there, and to be this user's.")
    }
    guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
      let code = errno
      close(file)
      guard code == EWOULDBLOCK else {
        throw RadioError("The lock \(path) cannot be taken: \(SystemError("", code).reason).")
      }
      throw RadioError(
        "Another measured process uses the Bluetooth controllers of this machine (it holds "
          + "\(path)). Stop the service first: systemctl stop measured.")
    }
  }

  deinit { close(file) }
}
