/// Why bytes from a device are not what their characteristic or advertisement says they should be.
///
/// Every decoder of this module either gives a whole value or throws one of these; there are no
/// partial values. Field names are those of the Bluetooth specification, for people to look up.
public enum GATTError: Error, Hashable, Sendable {
  /// The bytes end inside a field.
  case truncated(field: String, needed: Int, available: Int)
  /// Bytes are left after the last field that the flags announce.
  case trailing(count: Int)
  /// There are more bytes than the protocol can carry in one value.
  case oversized(count: Int, limit: Int)
  /// A field holds a value that its specification forbids.
  case invalid(field: String, reason: String)
  /// A control point speaks of a procedure that is not known.
  case unknownOpcode(UInt8)
}

extension GATTError: CustomStringConvertible {
  /// The reason in a sentence for people.
  public var description: String {
    switch self {
    case .truncated(let field, let needed, let available):
      "The data ends inside the field '\(field)': it needs \(Self.bytes(needed)), "
        + "\(available) left. Nothing of it is used."
    case .trailing(let count):
      "The data goes on for \(Self.bytes(count)) after its last field. Nothing of it is used, "
        + "because its flags and its length contradict each other."
    case .oversized(let count, let limit):
      "The data is \(Self.bytes(count)) long, and at most \(limit) are possible here."
    case .invalid(let field, let reason):
      "The field '\(field)' cannot be right: \(reason)."
    case .unknownOpcode(let opcode):
      "The control point's opcode \(opcode) is unknown."
    }
  }

  private static func bytes(_ count: Int) -> String {
    count == 1 ? "1 byte" : "\(count) bytes"
  }
}
