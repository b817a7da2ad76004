import Foundation
import GATT
import PrivateFiles
import Radio

/// The file of the attributes of linked devices, so that a device need not be asked for them again
/// after a restart.
///
/// It only saves time: devices are asked if it is missing or cannot be read.
struct AttributeFile: Sendable {
  /// How many devices are kept, the last used: more than a home has.
  static let mostDevices = 64
  /// The services and characteristics of a device that is kept: a sensor has a few dozen.
  private static let mostEntries = 128
  /// The limit of the file's length: the most devices with the most entries take half of it.
  private static let mostBytes = 2 << 20

  private var file: PrivateFile

  /// Makes the file at `path`; the folder has to exist.
  init(path: String) {
    file = PrivateFile(path: path)
    // A file that a power failure cuts is not read.
    file.calls.synchronize = { _ in 0 }
  }

  /// The attributes by device, the last used at last; none without a file that can be read.
  func read() -> KnownDevices<CachedAttributes> {
    var devices = KnownDevices<CachedAttributes>()
    guard let bytes = try? file.read(limit: Self.mostBytes),
      let stored = try? JSONDecoder().decode(StoredAttributes.self, from: Data(bytes)),
      stored.version == StoredAttributes.currentVersion
    else { return devices }
    for device in stored.devices.suffix(Self.mostDevices) {
      guard let address = DeviceAddress(device.address), let attributes = device.attributes else {
        continue
      }
      devices.remember(address, attributes)
    }
    return devices
  }

  /// Replaces the file; a disk without room keeps the old one.
  func write(_ devices: KnownDevices<CachedAttributes>) {
    let stored = StoredAttributes(
      devices: devices.byUse
        .filter { $0.memory.table.count <= Self.mostEntries }.suffix(Self.mostDevices)
        .map { StoredAttributes.Device($0.address, $0.memory) })
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    guard let data = try? encoder.encode(stored) else { return }
    try? file.replace(with: Array(data))
  }
}

/// The contents of the file, in JSON.
private struct StoredAttributes: Codable {
  static let currentVersion = 1

  struct Device: Codable {
    var address: String
    /// The database hash.
    var hash: [UInt8]?
    var services: [Service]
    var characteristics: [Characteristic]
    /// Handles of values, and of their configuration.
    var configurations: [[UInt16]]
  }

  struct Service: Codable {
    var first: UInt16
    var last: UInt16
    var uuid: String
  }

  struct Characteristic: Codable {
    var declaration: UInt16
    var value: UInt16
    var properties: UInt8
    var uuid: String
  }

  var version = currentVersion
  var devices: [Device]
}

extension StoredAttributes.Device {
  init(_ address: DeviceAddress, _ attributes: CachedAttributes) {
    self.address = address.description
    hash = attributes.databaseHash
    services = attributes.table.services.map {
      .init(
        first: $0.handles.lowerBound, last: $0.handles.upperBound, uuid: $0.uuid.description)
    }
    characteristics = attributes.table.characteristics.map {
      .init(
        declaration: $0.declaration, value: $0.value,
        properties: CharacteristicProperty.bits(of: $0.properties), uuid: $0.uuid.description)
    }
    configurations = attributes.configurations.sorted { $0.key < $1.key }.map { [$0, $1] }
  }

  /// The attributes; `nil` if they are none that a device can have.
  var attributes: CachedAttributes? {
    guard services.count + characteristics.count <= AttributeTable.mostEntries else { return nil }
    var table = AttributeTable()
    for service in services {
      guard let uuid = BluetoothUUID(service.uuid), service.first > 0,
        service.first <= service.last
      else { return nil }
      table.learn(ServiceEntry(handles: service.first...service.last, uuid: uuid))
    }
    for item in characteristics {
      guard let uuid = BluetoothUUID(item.uuid), item.declaration > 0,
        item.value > item.declaration
      else { return nil }
      table.learn(
        CharacteristicEntry(
          declaration: item.declaration, value: item.value,
          properties: CharacteristicProperty.set(bits: item.properties), uuid: uuid))
    }
    var attributes = CachedAttributes(table: table)
    for pair in configurations {
      guard pair.count == 2, table.characteristic(ofValue: pair[0]) != nil, pair[0] < pair[1] else {
        return nil
      }
      attributes.configurations[pair[0]] = pair[1]
    }
    guard hash?.count ?? 16 == 16 else { return nil }
    attributes.databaseHash = hash
    return attributes
  }
}
