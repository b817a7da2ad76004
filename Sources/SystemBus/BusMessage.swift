import Foundation

/// A call of a method.
package struct BusCall: Hashable, Sendable {
  /// Who is called: `org.bluez`.
  package var destination: String
  /// The object, the interface and the method.
  package var path: String
  package var interface: String
  package var member: String
  package var arguments: [BusValue] = []

  package init(
    destination: String, path: String, interface: String, member: String,
    arguments: [BusValue] = []
  ) {
    self.destination = destination
    self.path = path
    self.interface = interface
    self.member = member
    self.arguments = arguments
  }

  /// A call of the bus itself.
  package static func bus(_ member: String, _ arguments: BusValue...) -> BusCall {
    BusCall(
      destination: "org.freedesktop.DBus", path: "/org/freedesktop/DBus",
      interface: "org.freedesktop.DBus", member: member, arguments: arguments)
  }
}

/// What came over the bus and is not the answer to a call.
package struct BusMessage: Hashable, Sendable {
  /// A signal, or a call that is to be answered by its number.
  package enum Kind: Hashable, Sendable {
    case signal
    case call(UInt64)
  }

  package var kind: Kind
  /// The connection that it comes from: `:1.42`.
  package var sender: String
  /// The object, the interface and the member that it is about.
  package var path: String
  package var interface: String
  package var member: String
  package var arguments: [BusValue]

  package init(
    kind: Kind, sender: String, path: String, interface: String, member: String,
    arguments: [BusValue]
  ) {
    self.kind = kind
    self.sender = sender
    self.path = path
    self.interface = interface
    self.member = member
    self.arguments = arguments
  }

  /// An argument, where there are so many.
  package func argument(_ index: Int) -> BusValue? {
    arguments.indices.contains(index) ? arguments[index] : nil
  }
}

/// Which message bus is meant.
package enum BusAddress: Hashable, Sendable {
  /// The machine's own, where bluetoothd is.
  case system
  /// Another, by its address: `unix:path=/run/user/1000/bus`.
  case address(String)
}

/// Why something on the bus failed.
package enum BusError: Error, Hashable {
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
  package var description: String {
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
