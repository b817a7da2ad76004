import GATT
import Radio
import SystemBus

extension Advertisement {
  /// Encodes the advertisement fields that bluetoothd reports as AD structures.
  ///
  /// Service and manufacturer data are reported with each advertisement that carries them
  /// (duplicates are requested), so data outside `reported` are old. They are omitted, since they
  /// would count as a new measurement. Descriptive fields do not change and are always encoded.
  ///
  /// `nil` if no field in `reported` comes from an advertisement: the device is only stored or
  /// linked.
  init?(_ device: DeviceObject, reported: Set<String>) {
    guard let address = device.address, !reported.isDisjoint(with: Self.received) else {
      return nil
    }
    let isReceived =
      reported.contains("RSSI") ? device.rssi != nil : !reported.isDisjoint(with: Self.data)
    guard isReceived else { return nil }
    self.init(
      address: address, addressType: device.addressType, rssi: device.rssi,
      data: Self.bytes(of: device) { reported.contains($0) })
  }

  /// Describes a device that is linked already and therefore does not advertise.
  init?(linked device: DeviceObject) {
    guard let address = device.address else { return nil }
    self.init(
      address: address, addressType: device.addressType, rssi: nil,
      data: Self.bytes(of: device) { _ in false })
  }

  private static let data: Set<String> = ["ManufacturerData", "ServiceData"]
  private static let received: Set<String> = data.union(["RSSI"])

  private static func bytes(
    of device: DeviceObject, where isFresh: (String) -> Bool
  ) -> [UInt8] {
    let properties = device.properties
    var structures: [AdvertisingStructure] = []
    if let flags = properties["AdvertisingFlags"]?.data?.first {
      structures.append(.flags(AdvertisingFlags(rawValue: flags)))
    }
    let uuids = (properties["UUIDs"]?.texts ?? []).compactMap { BluetoothUUID($0) }
    structures += AdvertisingStructure.serviceUUIDs(uuids)
    if isFresh("ManufacturerData") {
      for (company, data) in fields(properties["ManufacturerData"], { $0.number }) {
        guard let company = UInt16(exactly: company) else { continue }
        append(&structures) { () throws(GATTError) in try .manufacturerData(company, data) }
      }
    }
    if isFresh("ServiceData") {
      for (text, data) in fields(properties["ServiceData"], { $0.text }) {
        guard let uuid = BluetoothUUID(text) else { continue }
        append(&structures) { () throws(GATTError) in try .serviceData(uuid, data) }
      }
    }
    if let power = properties["TxPower"]?.number.flatMap({ Int8(exactly: $0) }) {
      structures.append(.txPower(power))
    }
    if let appearance = properties["Appearance"]?.number.flatMap({ UInt16(exactly: $0) }) {
      structures.append(.appearance(appearance))
    }
    if let name = device.name {
      append(&structures) { () throws(GATTError) in try .localName(name) }
    }
    // No advertisement is longer: the excess was not received in one.
    while structures.reduce(0, { $0 + $1.data.count + 2 }) > AdvertisingData.maximumLength {
      structures.removeLast()
    }
    return (try? AdvertisingData(structures: structures))?.encoded ?? []
  }

  /// The entries of a dictionary of bytes, sorted by key.
  private static func fields<Key: Comparable>(
    _ value: BusValue?, _ key: (BusValue) -> Key?
  ) -> [(Key, [UInt8])] {
    (value?.entries ?? [:]).compactMap { entry in
      guard let name = key(entry.key), let data = entry.value.data else { return nil }
      return (name, data)
    }.sorted { $0.0 < $1.0 }
  }

  /// Appends a structure if it fits.
  private static func append(
    _ structures: inout [AdvertisingStructure],
    _ make: () throws(GATTError) -> AdvertisingStructure
  ) {
    if let structure = try? make() { structures.append(structure) }
  }
}
