import CSystemd
import Foundation

/// What interrupts a loop that waits (eventfd(2)).
struct Wakeup: ~Copyable, Sendable {
  let file: CInt

  init() throws(SystemError) {
    file = eventfd(0, CInt(EFD_CLOEXEC | EFD_NONBLOCK))
    guard file >= 0 else { throw SystemError("An event loop could not be started", errno) }
  }

  deinit { close(file) }

  func ring() {
    eventfd_write(file, 1)
  }

  func clear() {
    var count: eventfd_t = 0
    unsafe eventfd_read(file, &count)
  }
}
