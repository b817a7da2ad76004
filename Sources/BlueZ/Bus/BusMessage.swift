/// A call of a method.
struct BusCall: Hashable, Sendable {
  /// Who is called: `org.bluez`.
  var destination: String
  /// The object, the interface and the method.
  var path: String
  var interface: String
  var member: String
  var arguments: [BusValue] = []
}

/// What came over the bus and is not the answer to a call.
struct BusMessage: Hashable, Sendable {
  /// A signal, or a call that is to be answered by its number.
  enum Kind: Hashable, Sendable {
    case signal
    case call(UInt64)
  }

  var kind: Kind
  /// The connection that it comes from: `:1.42`.
  var sender: String
  /// The object, the interface and the member that it is about.
  var path: String
  var interface: String
  var member: String
  var arguments: [BusValue]

  /// An argument, where there are so many.
  func argument(_ index: Int) -> BusValue? {
    arguments.indices.contains(index) ? arguments[index] : nil
  }
}
