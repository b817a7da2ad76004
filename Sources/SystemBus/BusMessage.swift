import Foundation

/// A call of a method.
package struct BusCall: Hashable, Sendable {
  /// The service: `org.bluez`.
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

/// A received message other than a reply.
package struct BusMessage: Hashable, Sendable {
  /// A signal, or a call that is replied to by its number.
  package enum Kind: Hashable, Sendable {
    case signal
    case call(UInt64)
  }

  package var kind: Kind
  /// The sending connection: `:1.42`.
  package var sender: String
  /// The object, the interface and the member.
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

  /// An argument, if there are that many.
  package func argument(_ index: Int) -> BusValue? {
    arguments.indices.contains(index) ? arguments[index] : nil
  }
}

/// The address of a message bus.
package enum BusAddress: Hashable, Sendable {
  /// The machine's own bus, where bluetoothd is.
  case system
  /// Another bus, by its address: `unix:path=/run/user/1000/bus`.
  case address(String)
}

/// Why an operation on the bus failed.
package enum BusError: Error, Hashable {
  /// The service replied with an error: its name, `org.bluez.Error.Failed`, and its text.
  case refused(name: String, text: String)
  /// No reply arrived in time.
  case timedOut
  /// The connection to the bus has ended.
  case disconnected
  /// The message exceeds the limit.
  case oversized
  /// Too many calls wait for a reply.
  case busy
  /// The system's error number of a failed operation.
  case system(CInt)
}

extension BusError: CustomStringConvertible {
  /// The error as a clause.
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
