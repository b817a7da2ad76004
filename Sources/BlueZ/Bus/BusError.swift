import Foundation

/// Why something on the bus failed.
enum BusError: Error, Hashable {
  /// Who was called answered with an error: its name, `org.bluez.Error.Failed`, and its text.
  case refused(name: String, text: String)
  /// No answer came in time.
  case timedOut
  /// The connection to the bus is gone.
  case disconnected
  /// The message holds more than is read.
  case oversized
  /// Too many calls wait for an answer.
  case busy
  /// The system's error number of what could not be done with the bus.
  case system(CInt)
}

extension BusError: CustomStringConvertible {
  /// What happened, for people.
  var description: String {
    switch self {
    case .refused(let name, let text): text.isEmpty ? name : "\(text) (\(name))"
    case .timedOut: "no answer came in time"
    case .disconnected: "the connection to the system's message bus is gone"
    case .oversized: "the answer is larger than any that makes sense"
    case .busy: "too many calls wait for an answer already"
    case .system(let code): unsafe String(cString: strerror(code))
    }
  }
}
