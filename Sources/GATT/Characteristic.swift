/// A characteristic's value as the Bluetooth SIG lays it out: bytes to a value and back.
///
/// A conforming type reads its fields in order; the common initialiser bounds the input and
/// insists that nothing is left over. Flag bits that are reserved for future use are ignored as
/// long as the lengths still work out, and are not written back; apart from them, and from fields
/// that say only "unknown", encoding gives the bytes that were decoded.
public protocol Characteristic: Hashable, Sendable {
  /// The characteristic's assigned UUID.
  static var uuid: BluetoothUUID { get }

  /// Reads the value's fields and leaves what follows them.
  ///
  /// - Throws: ``GATTError`` that names the field.
  init(from reader: inout ByteReader) throws(GATTError)

  /// Appends the value as it is sent.
  func encode(into writer: inout ByteWriter)
}

extension Characteristic {
  /// Reads a whole attribute value.
  ///
  /// - Parameter bytes: at most 512 bytes, the longest that an attribute can be.
  /// - Throws: ``GATTError``; also when bytes are left after the last field.
  public init(_ bytes: some Collection<UInt8>) throws(GATTError) {
    guard bytes.count <= AttributeProtocol.maximumValueLength else {
      throw .oversized(count: bytes.count, limit: AttributeProtocol.maximumValueLength)
    }
    var reader = ByteReader(bytes)
    try self.init(from: &reader)
    try reader.finish()
  }

  /// The value as it is sent.
  public var encoded: [UInt8] {
    var writer = ByteWriter()
    encode(into: &writer)
    return writer.bytes
  }
}

/// Figures of the Attribute Protocol (Core Specification, Vol 3 Part F).
public enum AttributeProtocol {
  /// The longest attribute value in bytes (§3.2.9).
  public static let maximumValueLength = 512
}
