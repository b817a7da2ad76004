import Foundation

/// An open file that came over the bus; it closes with its last owner.
final class BusFile: Sendable {
  /// The descriptor, open as long as this lives.
  let descriptor: CInt

  /// Takes over an open descriptor.
  init(owning descriptor: CInt) {
    self.descriptor = descriptor
  }

  /// Makes a descriptor of its own for a file that somebody else closes.
  init?(copying descriptor: CInt) {
    let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 3)
    guard copy >= 0 else { return nil }
    self.descriptor = copy
  }

  deinit { close(descriptor) }
}

extension BusFile: Hashable {
  static func == (a: BusFile, b: BusFile) -> Bool { a === b }

  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
