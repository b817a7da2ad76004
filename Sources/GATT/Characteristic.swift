/// A characteristic's value in the layout of the Bluetooth SIG: bytes to a value and back.
///
/// A conforming type reads its fields in order; the common initialiser limits the input and
/// refuses trailing bytes. Reserved flag bits are ignored if the lengths agree, and are not written
/// back; apart from them, and from fields that hold only "unknown", encoding gives the bytes that
/// were decoded.
public protocol Characteristic: Hashable, Sendable {
  /// The characteristic's assigned UUID.
  static var uuid: BluetoothUUID { get }

  /// Reads the value's fields and leaves the bytes after them.
  ///
  /// - Throws: ``GATTError`` that names the field.
  init(from reader: inout ByteReader) throws(GATTError)

  /// Appends the encoded value.
  func encode(into writer: inout ByteWriter)
}

extension Characteristic {
  /// Reads a whole attribute value.
  ///
  /// - Parameter bytes: at most 512 bytes, the longest that an attribute can be.
  /// - Throws: ``GATTError``, also for bytes after the last field.
  public init(_ bytes: some Collection<UInt8>) throws(GATTError) {
    guard bytes.count <= AttributeProtocol.maximumValueLength else {
      throw .oversized(count: bytes.count, limit: AttributeProtocol.maximumValueLength)
    }
    var reader = ByteReader(bytes)
    try self.init(from: &reader)
    try reader.finish()
  }

  /// The encoded value.
  public var encoded: [UInt8] {
    var writer = ByteWriter()
    encode(into: &writer)
    return writer.bytes
  }
}

/// Constants of the Attribute Protocol (Core Specification, Vol 3 Part F).
public enum AttributeProtocol {
  /// The longest attribute value in bytes (§3.2.9).
  public static let maximumValueLength = 512
}
