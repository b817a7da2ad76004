/// Something that opens a person's data, and that no log, dump or debugger line shows.
///
/// Descriptions and reflection say only that there is one. Whoever needs the value itself asks for
/// ``revealed`` by name, which is easy to find in a review.
public struct Secret<Value: Hashable & Sendable>: Hashable, Sendable {
  /// The value itself, for the code that opens something with it.
  public let revealed: Value

  /// Keeps `value`.
  public init(_ value: Value) {
    revealed = value
  }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// `(secret)`, whatever it is.
  public var description: String { "(secret)" }

  /// `(secret)`, whatever it is.
  public var debugDescription: String { description }

  /// A mirror without children.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
