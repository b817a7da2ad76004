public import GATT
public import Radio

/// What is known of a device so far: everything that it ever advertised, and the services that were
/// found after connecting.
///
/// Names and UUIDs may come later than the first advertisement, in scan responses or piece by piece
/// from bluetoothd, so each piece is added to what was known. What a device can make this remember
/// is bounded.
public struct AdvertisedDevice: Hashable, Sendable {
  /// Who it is.
  public let address: DeviceAddress
  /// The name it goes by, the longest that was heard.
  public private(set) var name: String?
  /// Advertised or found services.
  public private(set) var services: Set<BluetoothUUID> = []
  /// The latest service data of each UUID.
  public private(set) var serviceData: [BluetoothUUID: [UInt8]] = [:]
  /// The latest manufacturer data of each company.
  public private(set) var manufacturerData: [UInt16: [UInt8]] = [:]

  /// How many different things of each kind are remembered.
  static let most = 64

  /// Starts with nothing known.
  public init(address: DeviceAddress) {
    self.address = address
  }

  /// Starts with what one advertisement says.
  public init(_ advertisement: Advertisement) {
    self.init(address: advertisement.address)
    merge(advertisement)
  }

  /// What an advertisement of nobody in particular says.
  init(advertisement data: [UInt8]) {
    self.init(address: DeviceAddress(rawValue: 0))
    merge(data)
  }

  /// Adds what an advertisement, or its scan response, says; of a broken one, what can be read.
  public mutating func merge(_ advertisement: Advertisement) {
    merge(advertisement.data)
  }

  /// Adds the services that were found after connecting.
  public mutating func merge(services found: [GATTService]) {
    merge(name: nil, services: found.map(\.uuid), serviceData: [], manufacturerData: [])
  }

  private mutating func merge(_ data: [UInt8]) {
    let content = AdvertisingData.readable(in: data).data
    merge(
      name: content.localName, services: content.serviceUUIDs,
      serviceData: content.serviceData.map { ($0.uuid, $0.data) },
      manufacturerData: content.manufacturerData.map { ($0.company, $0.data) })
  }

  mutating func merge(
    name heard: String?, services heardServices: [BluetoothUUID],
    serviceData heardData: [(BluetoothUUID, [UInt8])],
    manufacturerData heardManufacturers: [(UInt16, [UInt8])]
  ) {
    if let heard, heard.utf8.count >= name?.utf8.count ?? 0 { name = heard }
    for service in heardServices where services.count < Self.most { services.insert(service) }
    for (uuid, data) in heardData where serviceData[uuid] != nil || serviceData.count < Self.most {
      serviceData[uuid] = data
    }
    for (company, data) in heardManufacturers
    where manufacturerData[company] != nil || manufacturerData.count < Self.most {
      manufacturerData[company] = data
    }
  }
}
