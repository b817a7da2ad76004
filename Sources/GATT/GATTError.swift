/// The reason why bytes do not have the layout of their characteristic or advertisement.
///
/// A decoder of this module either gives a complete value or throws one of these. Field names are
/// those of the Bluetooth specification.
public enum GATTError: Error, Hashable, Sendable {
  /// The bytes end inside a field.
  case truncated(field: String, needed: Int, available: Int)
  /// Bytes follow the last field that the flags announce.
  case trailing(count: Int)
  /// The value is longer than the protocol allows.
  case oversized(count: Int, limit: Int)
  /// A field holds a value that its specification forbids.
  case invalid(field: String, reason: String)
  /// The opcode of a control point is unknown.
  case unknownOpcode(UInt8)
}

extension GATTError: CustomStringConvertible {
  /// The field, the lengths and the reason in a sentence.
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
