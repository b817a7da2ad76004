import GATT
import Radio
import SystemBus

/// What bluetoothd says of a device (org.bluez.Device1).
struct DeviceObject: Hashable, Sendable {
  /// The object: `/org/bluez/hci0/dev_5C_CA_D3_70_D4_A2`.
  var path: String
  var properties: ObjectTree.Properties

  /// Its address; the identity, once it is bonded.
  var address: DeviceAddress? { properties["Address"]?.text.flatMap(DeviceAddress.init) }

  var addressType: AddressType {
    properties["AddressType"]?.text.flatMap(AddressType.init) ?? .public
  }

  /// The controller that hears it.
  var adapter: String? { properties["Adapter"]?.text }

  /// What it calls itself; bluetoothd's own stand-in for a name is another property.
  var name: String? { properties["Name"]?.text }

  var isConnected: Bool { properties["Connected"]?.flag ?? false }
  var hasServices: Bool { properties["ServicesResolved"]?.flag ?? false }
  var isTrusted: Bool { properties["Trusted"]?.flag ?? false }

  /// Whether keys are kept for it; paired alone may be for the time of a link only.
  var isBonded: Bool { (properties["Bonded"] ?? properties["Paired"])?.flag ?? false }

  /// Signal strength in dBm; 127 is BlueZ's way of saying none (as in HCI).
  var rssi: Int? { properties["RSSI"]?.number.flatMap { (-127...20).contains($0) ? $0 : nil } }
}

/// What bluetoothd says of a controller (org.bluez.Adapter1).
struct AdapterObject: Hashable, Sendable {
  /// The object: `/org/bluez/hci0`.
  var path: String
  var properties: ObjectTree.Properties

  /// The kernel's name: `hci0`.
  var name: String { path.split(separator: "/").last.map(String.init) ?? path }
  var address: DeviceAddress? { properties["Address"]?.text.flatMap(DeviceAddress.init) }
  var isPowered: Bool { properties["Powered"]?.flag ?? false }
}

/// What bluetoothd says of a characteristic (org.bluez.GattCharacteristic1).
struct CharacteristicObject: Hashable, Sendable {
  var path: String
  var properties: ObjectTree.Properties

  var uuid: BluetoothUUID? { properties["UUID"]?.text.flatMap { BluetoothUUID($0) } }
  var service: String? { properties["Service"]?.text }

  /// What it allows; what BlueZ calls otherwise is about encryption and left out.
  var allowed: Set<CharacteristicProperty> {
    Set((properties["Flags"]?.texts ?? []).compactMap(CharacteristicProperty.init))
  }

  /// Whether bluetoothd has subscribed to it, for whomever.
  var isNotifying: Bool { properties["Notifying"]?.flag ?? false }

  /// Whether it can only be indicated.
  var isIndicatedOnly: Bool { allowed.contains(.indicate) && !allowed.contains(.notify) }
}
