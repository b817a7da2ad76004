/// One AD structure: a typed piece of an advertisement.
///
/// On the air it is a length byte that counts what follows it, a type byte, and the data
/// (Core Specification, Vol 3 Part C §11).
public struct AdvertisingStructure: Hashable, Sendable {
  /// The longest data in bytes: the length byte counts the type as well.
  public static let maximumDataLength = 254

  /// What the data is.
  public let type: Kind
  /// The data, at most 254 bytes.
  public let data: [UInt8]

  /// Makes a structure.
  ///
  /// - Throws: ``GATTError/oversized(count:limit:)`` above 254 bytes.
  public init(type: Kind, data: [UInt8]) throws(GATTError) {
    guard data.count <= Self.maximumDataLength else {
      throw .oversized(count: data.count, limit: Self.maximumDataLength)
    }
    self.init(type, fitting: data)
  }

  /// For data that is short by construction.
  init(_ type: Kind, fitting data: [UInt8]) {
    self.type = type
    self.data = data
  }

  /// How many bytes the structure takes on the air.
  var encodedCount: Int { data.count + 2 }

  func encode(into writer: inout ByteWriter) {
    writer.u8(UInt8(truncatingIfNeeded: data.count + 1))
    writer.u8(type.rawValue)
    writer.append(data)
  }
}

extension AdvertisingStructure {
  /// The type of an AD structure (Bluetooth SIG Assigned Numbers §2.3); others are kept as they are.
  public struct Kind: RawRepresentable, Hashable, Sendable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) {
      self.rawValue = rawValue
    }

    /// How the device can be discovered.
    public static let flags = Kind(rawValue: 0x01)
    /// Some of the 16-bit service UUIDs.
    public static let incompleteServices16 = Kind(rawValue: 0x02)
    /// All 16-bit service UUIDs.
    public static let completeServices16 = Kind(rawValue: 0x03)
    /// Some of the 32-bit service UUIDs.
    public static let incompleteServices32 = Kind(rawValue: 0x04)
    /// All 32-bit service UUIDs.
    public static let completeServices32 = Kind(rawValue: 0x05)
    /// Some of the 128-bit service UUIDs.
    public static let incompleteServices128 = Kind(rawValue: 0x06)
    /// All 128-bit service UUIDs.
    public static let completeServices128 = Kind(rawValue: 0x07)
    /// The beginning of the device's name.
    public static let shortenedLocalName = Kind(rawValue: 0x08)
    /// The device's name.
    public static let completeLocalName = Kind(rawValue: 0x09)
    /// The transmission power in dBm.
    public static let txPower = Kind(rawValue: 0x0A)
    /// Data of a service with a 16-bit UUID.
    public static let serviceData16 = Kind(rawValue: 0x16)
    /// What the device looks like.
    public static let appearance = Kind(rawValue: 0x19)
    /// Data of a service with a 32-bit UUID.
    public static let serviceData32 = Kind(rawValue: 0x20)
    /// Data of a service with a 128-bit UUID.
    public static let serviceData128 = Kind(rawValue: 0x21)
    /// Data in a manufacturer's own layout.
    public static let manufacturerData = Kind(rawValue: 0xFF)
  }
}
