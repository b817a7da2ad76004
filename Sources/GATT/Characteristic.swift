/// A characteristic's value in the layout of the Bluetooth SIG: bytes to a value and back.
///
/// A conforming type reads its fields in order; the common initialiser limits the input, and reads
/// what devices send beside the layout: bytes after the last field, and a value that the link's MTU
/// has cut. Reserved flag bits are ignored, and are not written back; apart from them, and from
/// fields that hold only "unknown", encoding gives the bytes that were decoded.
public protocol Characteristic: Hashable, Sendable {
  /// The characteristic's assigned UUID.
  static var uuid: BluetoothUUID { get }

  /// Reads the value's fields and leaves the bytes after them.
  ///
  /// Fields that a flag announces are read with `ByteReader.announced`.
  /// - Throws: ``GATTError`` that names the field.
  init(from reader: inout ByteReader) throws(GATTError)

  /// Appends the encoded value.
  func encode(into writer: inout ByteWriter)
}

extension Characteristic {
  /// Reads an attribute value up to its last whole field.
  ///
  /// - Parameter bytes: at most 512 bytes, the longest that an attribute can be.
  /// - Throws: ``GATTError``.
  public init(_ bytes: some Collection<UInt8>) throws(GATTError) {
    self = try Self.read(bytes).value
  }

  /// Reads an attribute value up to its last whole field, and says what it has beside its layout.
  ///
  /// - Parameter bytes: at most 512 bytes, the longest that an attribute can be.
  /// - Returns: The value, and how the bytes deviate from the layout; `nil` if they do not.
  /// - Throws: ``GATTError``, also for a value that ends inside a field and is too short to have been
  ///   cut by the MTU.
  public static func read(
    _ bytes: some Collection<UInt8>
  ) throws(GATTError) -> (value: Self, deviation: LayoutDeviation?) {
    guard bytes.count <= AttributeProtocol.maximumValueLength else {
      throw .oversized(count: bytes.count, limit: AttributeProtocol.maximumValueLength)
    }
    var reader = ByteReader(bytes)
    let value = try Self(from: &reader)
    if let cut = reader.cut {
      guard bytes.count >= AttributeProtocol.leastPayload else { throw cut.error }
      return (value, .cut(field: cut.field))
    }
    let more = reader.remaining + reader.passedOver
    return (value, more == 0 ? nil : .longer(by: more))
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
  /// The longest value in bytes that every link carries at once, with the least MTU of 23 (§3.4.7):
  /// a shorter one is never cut.
  public static let leastPayload = 20
}

/// How an attribute value deviates from the layout that its flags announce, and is read all the same.
public enum LayoutDeviation: Hashable, Sendable {
  /// Bytes follow the last field.
  case longer(by: Int)
  /// The value ends before or inside a field; that one and what follows it are missing.
  case cut(field: String)
}
