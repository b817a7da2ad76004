// Each field is what the structures of its type say; one whose data is too short says nothing.
extension AdvertisingData {
  /// How the device can be discovered.
  public var flags: AdvertisingFlags? {
    first(.flags).flatMap(\.data.first).map(AdvertisingFlags.init)
  }

  /// The device's name; the whole one where both are sent.
  public var localName: String? {
    completeLocalName ?? shortenedLocalName
  }

  /// The device's whole name.
  public var completeLocalName: String? {
    first(.completeLocalName).map(\.text)
  }

  /// The beginning of the device's name.
  public var shortenedLocalName: String? {
    first(.shortenedLocalName).map(\.text)
  }

  /// The transmission power in dBm.
  public var txPower: Int8? {
    first(.txPower).flatMap(\.data.first).map(Int8.init(bitPattern:))
  }

  /// What the device looks like (Bluetooth SIG Assigned Numbers §2.6).
  public var appearance: UInt16? {
    guard let structure = first(.appearance) else { return nil }
    var reader = ByteReader(structure.data)
    return try? reader.u16("appearance")
  }

  /// The services that are listed, in the order in which they were sent.
  public var serviceUUIDs: [BluetoothUUID] {
    structures.flatMap(\.listedUUIDs)
  }

  /// The data of services, in the order in which they were sent.
  public var serviceData: [ServiceData] {
    structures.compactMap { structure in
      guard let width = structure.type.serviceDataUUIDWidth else { return nil }
      var reader = ByteReader(structure.data)
      guard let uuid = try? reader.uuid("service UUID", width: width) else { return nil }
      return ServiceData(uuid: uuid, data: reader.remainder())
    }
  }

  /// The first data of a service, however its UUID was spelled.
  public func serviceData(for uuid: BluetoothUUID) -> [UInt8]? {
    serviceData.first { $0.uuid == uuid }?.data
  }

  /// The data of manufacturers, in the order in which they were sent.
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

  /// What a service tells in an advertisement.
  public struct ServiceData: Hashable, Sendable {
    /// The service.
    public var uuid: BluetoothUUID
    /// What follows the UUID, possibly nothing.
    public var data: [UInt8]
  }

  /// What a manufacturer tells in an advertisement.
  public struct ManufacturerData: Hashable, Sendable {
    /// The company identifier (Bluetooth SIG Assigned Numbers §7).
    public var company: UInt16
    /// What follows the company identifier, possibly nothing.
    public var data: [UInt8]
  }
}

extension AdvertisingStructure {
  /// The data as UTF-8, up to a NUL: some devices send a name in a field of fixed size.
  fileprivate var text: String {
    String(decoding: data.prefix { $0 != 0 }, as: UTF8.self)
  }

  /// The UUIDs of a list of services; a rest that is too short for one is left out.
  fileprivate var listedUUIDs: [BluetoothUUID] {
    guard let width = type.listedUUIDWidth else { return [] }
    var reader = ByteReader(data)
    var uuids: [BluetoothUUID] = []
    while let uuid = try? reader.uuid("service UUID", width: width) { uuids.append(uuid) }
    return uuids
  }
}

extension AdvertisingStructure.Kind {
  /// How many bytes each UUID takes in a list of services.
  fileprivate var listedUUIDWidth: Int? {
    switch self {
    case .incompleteServices16, .completeServices16: 2
    case .incompleteServices32, .completeServices32: 4
    case .incompleteServices128, .completeServices128: 16
    default: nil
    }
  }

  /// How many bytes the UUID before a service's data takes.
  fileprivate var serviceDataUUIDWidth: Int? {
    switch self {
    case .serviceData16: 2
    case .serviceData32: 4
    case .serviceData128: 16
    default: nil
    }
  }
}
