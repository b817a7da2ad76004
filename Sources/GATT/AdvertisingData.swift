/// The AD structures of one advertisement or scan response.
///
/// Devices also send malformed data, so there are two decoders: ``init(_:)`` refuses a malformed
/// advertisement, ``readable(in:)`` gives the structures before the defect.
/// Source: Core Specification, Vol 3 Part C §11.
public struct AdvertisingData: Hashable, Sendable {
  /// The longest advertisement in bytes, which extended advertising allows (Vol 4 Part E §7.8.54).
  public static let maximumLength = 1650

  /// The structures in transmission order.
  public let structures: [AdvertisingStructure]

  /// Makes an advertisement.
  ///
  /// - Throws: ``GATTError/oversized(count:limit:)`` above 1650 bytes.
  public init(structures: [AdvertisingStructure]) throws(GATTError) {
    let count = structures.reduce(0) { $0 + $1.encodedCount }
    guard count <= Self.maximumLength else {
      throw .oversized(count: count, limit: Self.maximumLength)
    }
    self.structures = structures
  }

  /// Reads an advertisement.
  ///
  /// A zero length ends it early; the rest is padding. Cost: O(bytes).
  /// - Throws: ``GATTError`` if a structure is longer than the remaining bytes, or above 1650 bytes
  ///   in total.
  public init(_ bytes: some Collection<UInt8>) throws(GATTError) {
    let (data, defect) = Self.readable(in: bytes)
    if let defect { throw defect }
    self = data
  }

  /// Reads the structures up to the first defect, and gives the defect.
  public static func readable(
    in bytes: some Collection<UInt8>
  ) -> (data: AdvertisingData, defect: GATTError?) {
    guard bytes.count <= maximumLength else {
      return (
        AdvertisingData(read: []), .oversized(count: bytes.count, limit: maximumLength)
      )
    }
    var reader = ByteReader(bytes)
    var structures: [AdvertisingStructure] = []
    do throws(GATTError) {
      while !reader.isAtEnd {
        let length = Int(try reader.u8("length"))
        if length == 0 { break }
        try reader.require(length, "AD structure")
        let type = AdvertisingStructure.Kind(rawValue: try reader.u8("AD type"))
        structures.append(
          AdvertisingStructure(type, fitting: try reader.bytes(length - 1, "AD data")))
      }
      return (AdvertisingData(read: structures), nil)
    } catch {
      return (AdvertisingData(read: structures), error)
    }
  }

  private init(read structures: [AdvertisingStructure]) {
    self.structures = structures
  }

  /// The encoded advertisement, at most 1650 bytes.
  public var encoded: [UInt8] {
    var writer = ByteWriter()
    for structure in structures { structure.encode(into: &writer) }
    return writer.bytes
  }
}

// MARK: - Fields

// Each field comes from the structures of its type; a structure whose data is too short is ignored.
extension AdvertisingData {
  /// How the device can be discovered.
  public var flags: AdvertisingFlags? {
    first(.flags).flatMap(\.data.first).map(AdvertisingFlags.init)
  }

  /// The device's name; the complete one if both are sent.
  public var localName: String? {
    completeLocalName ?? shortenedLocalName
  }

  /// The device's complete name.
  public var completeLocalName: String? {
    first(.completeLocalName).map(\.text)
  }

  /// The shortened device name.
  public var shortenedLocalName: String? {
    first(.shortenedLocalName).map(\.text)
  }

  /// The transmission power in dBm.
  public var txPower: Int8? {
    first(.txPower).flatMap(\.data.first).map(Int8.init(bitPattern:))
  }

  /// The device's appearance (Bluetooth SIG Assigned Numbers §2.6).
  public var appearance: UInt16? {
    guard let structure = first(.appearance) else { return nil }
    var reader = ByteReader(structure.data)
    return try? reader.u16("appearance")
  }

  /// The listed services in transmission order.
  public var serviceUUIDs: [BluetoothUUID] {
    structures.flatMap(\.listedUUIDs)
  }

  /// The service data in transmission order.
  public var serviceData: [ServiceData] {
    structures.compactMap { structure in
      guard let width = structure.type.serviceDataUUIDWidth else { return nil }
      var reader = ByteReader(structure.data)
      guard let uuid = try? reader.uuid("service UUID", width: width) else { return nil }
      return ServiceData(uuid: uuid, data: reader.remainder())
    }
  }

  /// The first data of a service, for any length of its UUID.
  public func serviceData(for uuid: BluetoothUUID) -> [UInt8]? {
    serviceData.first { $0.uuid == uuid }?.data
  }

  /// The manufacturer data in transmission order.
  public var manufacturerData: [ManufacturerData] {
    structures.compactMap { structure in
      guard structure.type == .manufacturerData else { return nil }
      var reader = ByteReader(structure.data)
      guard let company = try? reader.u16("company identifier") else { return nil }
      return ManufacturerData(company: company, data: reader.remainder())
    }
  }

  /// The first data of a manufacturer, by its company identifier.
  public func manufacturerData(for company: UInt16) -> [UInt8]? {
    manufacturerData.first { $0.company == company }?.data
  }

  private func first(_ type: AdvertisingStructure.Kind) -> AdvertisingStructure? {
    structures.first { $0.type == type }
  }

  /// The data of a service in an advertisement.
  public struct ServiceData: Hashable, Sendable {
    /// The service.
    public var uuid: BluetoothUUID
    /// The bytes after the UUID, possibly none.
    public var data: [UInt8]
  }

  /// The data of a manufacturer in an advertisement.
  public struct ManufacturerData: Hashable, Sendable {
    /// The company identifier (Bluetooth SIG Assigned Numbers §7).
    public var company: UInt16
    /// The bytes after the company identifier, possibly none.
    public var data: [UInt8]
  }
}

extension AdvertisingStructure {
  /// The data as UTF-8, up to a NUL: some devices pad a name to a fixed size.
  fileprivate var text: String {
    String(decoding: data.prefix { $0 != 0 }, as: UTF8.self)
  }

  /// The UUIDs of a list of services; an incomplete last one is left out.
  fileprivate var listedUUIDs: [BluetoothUUID] {
    guard let width = type.listedUUIDWidth else { return [] }
    var reader = ByteReader(data)
    var uuids: [BluetoothUUID] = []
    while let uuid = try? reader.uuid("service UUID", width: width) { uuids.append(uuid) }
    return uuids
  }
}

extension AdvertisingStructure.Kind {
  /// The length of each UUID in a list of services, in bytes.
  fileprivate var listedUUIDWidth: Int? {
    switch self {
    case .incompleteServices16, .completeServices16: 2
    case .incompleteServices32, .completeServices32: 4
    case .incompleteServices128, .completeServices128: 16
    default: nil
    }
  }

  /// The length of the UUID before a service's data, in bytes.
  fileprivate var serviceDataUUIDWidth: Int? {
    switch self {
    case .serviceData16: 2
    case .serviceData32: 4
    case .serviceData128: 16
    default: nil
    }
  }
}
