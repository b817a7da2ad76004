/// One AD structure: a typed field of an advertisement.
///
/// Its encoding is a length byte that counts the bytes after it, a type byte, and the data
/// (Core Specification, Vol 3 Part C §11).
public struct AdvertisingStructure: Hashable, Sendable {
  /// The longest data in bytes: the length byte counts the type as well.
  public static let maximumDataLength = 254

  /// The type of the data.
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

  /// For data that is at most 254 bytes by construction.
  init(_ type: Kind, fitting data: [UInt8]) {
    self.type = type
    self.data = data
  }

  /// The length of the encoded structure in bytes.
  var encodedCount: Int { data.count + 2 }

  func encode(into writer: inout ByteWriter) {
    writer.u8(UInt8(truncatingIfNeeded: data.count + 1))
    writer.u8(type.rawValue)
    writer.append(data)
  }
}

extension AdvertisingStructure {
  /// The type of an AD structure (Bluetooth SIG Assigned Numbers §2.3), unknown ones included.
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
    /// The shortened device name.
    public static let shortenedLocalName = Kind(rawValue: 0x08)
    /// The complete device name.
    public static let completeLocalName = Kind(rawValue: 0x09)
    /// The transmission power in dBm.
    public static let txPower = Kind(rawValue: 0x0A)
    /// Data of a service with a 16-bit UUID.
    public static let serviceData16 = Kind(rawValue: 0x16)
    /// The device's appearance.
    public static let appearance = Kind(rawValue: 0x19)
    /// Data of a service with a 32-bit UUID.
    public static let serviceData32 = Kind(rawValue: 0x20)
    /// Data of a service with a 128-bit UUID.
    public static let serviceData128 = Kind(rawValue: 0x21)
    /// Data in a manufacturer's own layout.
    public static let manufacturerData = Kind(rawValue: 0xFF)
  }
}

// MARK: - Making structures

// Structures from fields: bluetoothd gives an advertisement's fields, and a trace records bytes.
extension AdvertisingStructure {
  /// How the device can be discovered.
  public static func flags(_ flags: AdvertisingFlags) -> AdvertisingStructure {
    AdvertisingStructure(.flags, fitting: [flags.rawValue])
  }

  /// The device's complete or shortened name in UTF-8.
  ///
  /// - Throws: ``GATTError/oversized(count:limit:)`` above 254 bytes.
  public static func localName(
    _ name: String, isComplete: Bool = true
  ) throws(GATTError) -> AdvertisingStructure {
    try AdvertisingStructure(
      type: isComplete ? .completeLocalName : .shortenedLocalName, data: Array(name.utf8))
  }

  /// Lists of services: one for each length of UUID that occurs, several if a list is full.
  public static func serviceUUIDs(
    _ uuids: [BluetoothUUID], isComplete: Bool = true
  ) -> [AdvertisingStructure] {
    let kinds: [(width: Int, kind: Kind)] = [
      (2, isComplete ? .completeServices16 : .incompleteServices16),
      (4, isComplete ? .completeServices32 : .incompleteServices32),
      (16, isComplete ? .completeServices128 : .incompleteServices128),
    ]
    return kinds.flatMap { width, kind in
      let spelled = uuids.map(\.shortestBytes).filter { $0.count == width }
      let perList = maximumDataLength / width
      return stride(from: 0, to: spelled.count, by: perList).map { start in
        AdvertisingStructure(
          kind, fitting: Array(spelled[start..<min(start + perList, spelled.count)].joined()))
      }
    }
  }

  /// Data of a service.
  ///
  /// - Throws: ``GATTError/oversized(count:limit:)`` if UUID and data exceed 254 bytes.
  public static func serviceData(
    _ uuid: BluetoothUUID, _ data: [UInt8]
  ) throws(GATTError) -> AdvertisingStructure {
    let spelled = uuid.shortestBytes
    let kind: Kind =
      switch spelled.count {
      case 2: .serviceData16
      case 4: .serviceData32
      default: .serviceData128
      }
    return try AdvertisingStructure(type: kind, data: spelled + data)
  }

  /// Data of a manufacturer, by its company identifier.
  ///
  /// - Throws: ``GATTError/oversized(count:limit:)`` above 252 bytes of data.
  public static func manufacturerData(
    _ company: UInt16, _ data: [UInt8]
  ) throws(GATTError) -> AdvertisingStructure {
    var writer = ByteWriter()
    writer.u16(company)
    writer.append(data)
    return try AdvertisingStructure(type: .manufacturerData, data: writer.bytes)
  }

  /// The transmission power in dBm.
  public static func txPower(_ power: Int8) -> AdvertisingStructure {
    AdvertisingStructure(.txPower, fitting: [UInt8(bitPattern: power)])
  }

  /// The device's appearance (Bluetooth SIG Assigned Numbers §2.6).
  public static func appearance(_ appearance: UInt16) -> AdvertisingStructure {
    var writer = ByteWriter()
    writer.u16(appearance)
    return AdvertisingStructure(.appearance, fitting: writer.bytes)
  }
}

// MARK: - Flags

/// The discoverability and radio support of a device.
///
/// Source: Core Specification Supplement, Part A §1.3.
public struct AdvertisingFlags: OptionSet, Hashable, Sendable {
  public let rawValue: UInt8

  public init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  /// Discoverable for a limited time.
  public static let limitedDiscoverable = AdvertisingFlags(rawValue: 1 << 0)
  /// Discoverable at any time.
  public static let generalDiscoverable = AdvertisingFlags(rawValue: 1 << 1)
  /// Low energy only: classic Bluetooth is not supported.
  public static let classicNotSupported = AdvertisingFlags(rawValue: 1 << 2)
}
