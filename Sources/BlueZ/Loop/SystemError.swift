import Foundation

/// A call of the system that failed.
package struct SystemError: Error, Hashable, CustomStringConvertible {
  /// What was being done: `The Bluetooth socket could not be opened`.
  package var action: String
  /// The system's error number (errno(3)).
  package var code: CInt

  /// Makes an error of an action and the `errno` that it left.
  package init(_ action: String, _ code: CInt) {
    self.action = action
    self.code = code
  }

  /// The action and the reason.
  package var description: String { "\(action): \(reason)." }

  /// The system's own words for the error number.
  package var reason: String { unsafe String(cString: strerror(code)) }
}
