public import GATT
public import Radio

/// The facts about a device: everything it has advertised, and the services found after connecting.
///
/// Names and UUIDs may follow the first advertisement, in scan responses or property by property
/// from bluetoothd, so each is added to the known ones. The number of entries is bounded.
public struct AdvertisedDevice: Hashable, Sendable {
  /// The device's address.
  public let address: DeviceAddress
  /// The longest name that was received.
  public private(set) var name: String?
  /// Advertised or discovered services.
  public private(set) var services: Set<BluetoothUUID> = []
  /// The latest service data of each UUID.
  public private(set) var serviceData: [BluetoothUUID: [UInt8]] = [:]
  /// Characteristics that were discovered after connecting.
  public private(set) var characteristics: Set<BluetoothUUID> = []
  /// The latest manufacturer data of each company.
  public private(set) var manufacturerData: [UInt16: [UInt8]] = [:]

  /// The maximum number of services and of data entries of each kind; a real device has a few.
  static let maximumEntries = 64
  /// The maximum number of characteristics.
  static let maximumCharacteristics = 256

  /// Makes a device without any facts.
  public init(address: DeviceAddress) {
    self.address = address
  }

  /// Makes a device from one advertisement.
  public init(_ advertisement: Advertisement) {
    self.init(address: advertisement.address)
    merge(advertisement)
  }

  /// Makes a device from an advertisement without an address.
  init(advertisement data: [UInt8], address: DeviceAddress = DeviceAddress(rawValue: 0)) {
    self.init(address: address)
    merge(data)
  }

  /// Adds an advertisement or scan response; for a malformed one, the readable part.
  public mutating func merge(_ advertisement: Advertisement) {
    merge(advertisement.data)
  }

  /// Adds the services that were discovered after connecting.
  public mutating func merge(services found: [GATTService]) {
    merge(name: nil, services: found.map(\.uuid), serviceData: [], manufacturerData: [])
    merge(characteristics: found.flatMap(\.characteristics).map(\.uuid))
  }

  mutating func merge(characteristics found: [BluetoothUUID]) {
    for uuid in found where characteristics.count < Self.maximumCharacteristics {
      characteristics.insert(uuid)
    }
  }

  private mutating func merge(_ data: [UInt8]) {
    let content = AdvertisingData.readable(in: data).data
    merge(
      name: content.localName, services: content.serviceUUIDs,
      serviceData: content.serviceData.map { ($0.uuid, $0.data) },
      manufacturerData: content.manufacturerData.map { ($0.company, $0.data) })
  }

  mutating func merge(
    name newName: String?, services newServices: [BluetoothUUID],
    serviceData newServiceData: [(BluetoothUUID, [UInt8])],
    manufacturerData newManufacturerData: [(UInt16, [UInt8])]
  ) {
    if let newName, newName.utf8.count >= name?.utf8.count ?? 0 { name = newName }
    for service in newServices where services.count < Self.maximumEntries {
      services.insert(service)
    }
    for (uuid, data) in newServiceData
    where serviceData[uuid] != nil || serviceData.count < Self.maximumEntries {
      serviceData[uuid] = data
    }
    for (company, data) in newManufacturerData
    where manufacturerData[company] != nil || manufacturerData.count < Self.maximumEntries {
      manufacturerData[company] = data
    }
  }
}
