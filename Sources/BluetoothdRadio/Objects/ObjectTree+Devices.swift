import GATT
import Radio
import SystemBus

extension ObjectTree {
  var adapters: [AdapterObject] {
    paths(of: BlueZInterface.adapter).compactMap(adapter)
  }

  func adapter(_ path: String) -> AdapterObject? {
    self[path, BlueZInterface.adapter].map { AdapterObject(path: path, properties: $0) }
  }

  var devices: [DeviceObject] {
    paths(of: BlueZInterface.device).compactMap(device)
  }

  func device(_ path: String) -> DeviceObject? {
    self[path, BlueZInterface.device].map { DeviceObject(path: path, properties: $0) }
  }

  /// The object to reach a device by: of several controllers that know it the one that is linked
  /// with it, else the one that hears it best, else any.
  func device(at address: DeviceAddress) -> DeviceObject? {
    devices.filter { $0.address == address }.max { a, b in
      if a.isConnected != b.isConnected { return b.isConnected }
      return (a.rssi ?? -128) < (b.rssi ?? -128)
    }
  }

  func characteristic(_ path: String) -> CharacteristicObject? {
    self[path, BlueZInterface.characteristic].map {
      CharacteristicObject(path: path, properties: $0)
    }
  }

  func characteristics(of device: String) -> [CharacteristicObject] {
    paths(of: BlueZInterface.characteristic, below: device).compactMap(characteristic)
  }

  /// The first characteristic of a device that has a UUID.
  func characteristic(_ uuid: BluetoothUUID, of device: String) -> CharacteristicObject? {
    characteristics(of: device).first { $0.uuid == uuid }
  }

  /// Whether a characteristic's notifications are to be had as a file of their own.
  ///
  /// bluetoothd refuses that for what can only be indicated. And where something of the same service
  /// is indicated, both have to come the same way, or the end of a transfer would overtake its
  /// records.
  func canBeAcquired(_ characteristic: CharacteristicObject, of device: String) -> Bool {
    characteristic.allowed.contains(.notify) && characteristic.properties["NotifyAcquired"] != nil
      && !characteristics(of: device).contains {
        $0.service == characteristic.service && $0.isIndicatedOnly
      }
  }

  /// A service's UUID.
  func service(_ path: String) -> BluetoothUUID? {
    self[path, BlueZInterface.service]?["UUID"]?.text.flatMap { BluetoothUUID($0) }
  }

  /// The battery's level in percent, which bluetoothd reads itself and keeps to itself.
  func batteryLevel(of device: String) -> UInt8? {
    self[device, BlueZInterface.battery]?["Percentage"]?.number.flatMap { UInt8(exactly: $0) }
  }

  /// A device's services; the battery's, which bluetoothd claims, is among them in any case.
  func services(of device: String) -> [GATTService] {
    let byService = Dictionary(grouping: characteristics(of: device)) { $0.service ?? "" }
    var services = paths(of: BlueZInterface.service, below: device).compactMap { path in
      service(path).map { uuid in
        GATTService(
          uuid: uuid,
          characteristics: (byService[path] ?? []).compactMap { characteristic in
            characteristic.uuid.map {
              GATTCharacteristic(uuid: $0, properties: characteristic.allowed)
            }
          })
      }
    }
    if self[device, BlueZInterface.battery] != nil,
      !services.contains(where: { $0.uuid == .batteryService })
    {
      let level = GATTCharacteristic(uuid: BatteryLevel.uuid, properties: [.read, .notify])
      services.append(GATTService(uuid: .batteryService, characteristics: [level]))
    }
    return services
  }
}
