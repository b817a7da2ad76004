import GATT
import Radio
import SystemBus

/// bluetoothd's objects: controllers, devices, their services.
///
/// It is filled from the whole tree once and then from signals, and stores the interfaces and
/// properties that the radio uses. It is bounded, since an attacker in range can create objects by
/// advertising.
struct ObjectTree: Hashable, Sendable {
  /// An interface's properties by name.
  typealias Properties = [String: BusValue]

  /// How many objects are stored: some hundred devices with all their characteristics.
  static let maximumObjects = 16_384
  /// How large a property may be, in elements and bytes: an advertisement is shorter.
  static let maximumPropertySize = 8192

  private var objects: [String: [String: Properties]] = [:]

  /// How many objects are stored.
  var count: Int { objects.count }

  /// The properties of an object's interface; `nil` if it has none.
  subscript(path: String, interface: String) -> Properties? {
    objects[path]?[interface]
  }

  /// The objects with an interface at or below a path, sorted by path, which is the order of their
  /// handles.
  func paths(of interface: String, below prefix: String = "/") -> [String] {
    objects.filter { path, interfaces in
      interfaces[interface] != nil
        && (prefix == "/" || path == prefix || path.hasPrefix(prefix + "/"))
    }.keys.sorted()
  }

  /// Replaces everything with the reply to `GetManagedObjects`.
  mutating func replace(with managed: BusValue?) {
    objects = [:]
    for (path, interfaces) in managed?.entries ?? [:] {
      if let path = path.text { add(path, interfaces) }
    }
  }

  /// Adds the interfaces that an object has now.
  ///
  /// - Returns: The interfaces that are stored.
  @discardableResult
  mutating func add(_ path: String, _ interfaces: BusValue?) -> Set<String> {
    let known = objects[path] != nil
    guard known || objects.count < Self.maximumObjects else { return [] }
    var added: Set<String> = []
    for (name, properties) in interfaces?.entries ?? [:] {
      guard let name = name.text, BlueZInterface.stored.contains(name) else { continue }
      objects[path, default: [:]][name] = (properties.properties ?? [:]).filter(Self.isKept)
      added.insert(name)
    }
    return added
  }

  /// Removes interfaces of an object, and the object with its last one.
  mutating func remove(_ path: String, _ interfaces: [String]) {
    for interface in interfaces { objects[path]?[interface] = nil }
    if objects[path]?.isEmpty == true { objects[path] = nil }
  }

  /// Applies changed properties of a known interface.
  mutating func change(
    _ path: String, _ interface: String, changed: Properties, invalidated: [String]
  ) {
    guard objects[path]?[interface] != nil else { return }
    for (name, value) in changed where Self.isKept(name, value) {
      objects[path]?[interface]?[name] = value
    }
    for name in invalidated { objects[path]?[interface]?[name] = nil }
  }

  private static func isKept(_ name: String, _ value: BusValue) -> Bool {
    // A characteristic's value is an event, not state.
    name != "Value" && value.isSmaller(than: maximumPropertySize)
  }
}

/// The interfaces of bluetoothd that the radio uses.
enum BlueZInterface {
  static let adapter = "org.bluez.Adapter1"
  static let agent = "org.bluez.Agent1"
  static let agents = "org.bluez.AgentManager1"
  static let battery = "org.bluez.Battery1"
  static let characteristic = "org.bluez.GattCharacteristic1"
  static let device = "org.bluez.Device1"
  static let service = "org.bluez.GattService1"

  /// The interfaces whose properties are stored.
  static let stored: Set<String> = [adapter, battery, characteristic, device, service]
}

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

  /// The object of a device: if several controllers know it, the linked one, else the one with the
  /// strongest signal, else any.
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

  /// A device's first characteristic with a UUID.
  func characteristic(_ uuid: BluetoothUUID, of device: String) -> CharacteristicObject? {
    characteristics(of: device).first { $0.uuid == uuid }
  }

  /// Whether a characteristic's notifications can be acquired as a file.
  ///
  /// bluetoothd refuses it for characteristics that only indicate. If another characteristic of the
  /// same service is indicated, both have to arrive the same way; otherwise the end of a transfer
  /// would arrive before its records.
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

  /// The battery level in percent, which bluetoothd reads itself and does not forward.
  func batteryLevel(of device: String) -> UInt8? {
    self[device, BlueZInterface.battery]?["Percentage"]?.number.flatMap { UInt8(exactly: $0) }
  }

  /// A device's services, always with the battery service, which bluetoothd claims.
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

/// bluetoothd's properties of a device (org.bluez.Device1).
struct DeviceObject: Hashable, Sendable {
  /// The object: `/org/bluez/hci0/dev_5C_CA_D3_70_D4_A2`.
  var path: String
  var properties: ObjectTree.Properties

  /// Its address; the identity address once it is bonded.
  var address: DeviceAddress? { properties["Address"]?.text.flatMap(DeviceAddress.init) }

  var addressType: AddressType {
    properties["AddressType"]?.text.flatMap(AddressType.init) ?? .public
  }

  /// The controller that receives it.
  var adapter: String? { properties["Adapter"]?.text }

  /// Its own name; bluetoothd's substitute is another property (`Alias`).
  var name: String? { properties["Name"]?.text }

  var isConnected: Bool { properties["Connected"]?.flag ?? false }
  var hasServices: Bool { properties["ServicesResolved"]?.flag ?? false }
  var isTrusted: Bool { properties["Trusted"]?.flag ?? false }

  /// Whether its keys are stored; a device may be paired for the duration of a link only.
  var isBonded: Bool { (properties["Bonded"] ?? properties["Paired"])?.flag ?? false }

  /// Whether it has one of the services for which bluetoothd links a device by itself, is bonded,
  /// and is away.
  var isAwaited: Bool {
    isBonded && !isConnected
      && (properties["UUIDs"]?.texts ?? []).lazy.compactMap { BluetoothUUID($0) }
        .contains(where: Self.linkedByBluetoothd.contains)
  }

  /// HID over GATT, published audio capabilities (LE Audio), MIDI over Bluetooth LE 1.0.
  private static let linkedByBluetoothd: Set<BluetoothUUID> = [
    BluetoothUUID(0x1812), BluetoothUUID(0x1850),
    BluetoothUUID(high: 0x03B8_0E5A_EDE8_4B33, low: 0xA751_6CE3_4EC4_C700),
  ]

  /// Signal strength in dBm; 127 means not available (as in HCI).
  var rssi: Int? { properties["RSSI"]?.number.flatMap { (-127...20).contains($0) ? $0 : nil } }
}

/// bluetoothd's properties of a controller (org.bluez.Adapter1).
struct AdapterObject: Hashable, Sendable {
  /// The object: `/org/bluez/hci0`.
  var path: String
  var properties: ObjectTree.Properties

  /// The kernel's name: `hci0`.
  var name: String { path.split(separator: "/").last.map(String.init) ?? path }
  var address: DeviceAddress? { properties["Address"]?.text.flatMap(DeviceAddress.init) }
  var isPowered: Bool { properties["Powered"]?.flag ?? false }
}

/// bluetoothd's properties of a characteristic (org.bluez.GattCharacteristic1).
struct CharacteristicObject: Hashable, Sendable {
  var path: String
  var properties: ObjectTree.Properties

  var uuid: BluetoothUUID? { properties["UUID"]?.text.flatMap { BluetoothUUID($0) } }
  var service: String? { properties["Service"]?.text }

  /// The allowed operations; BlueZ's other flags concern encryption and are ignored.
  var allowed: Set<CharacteristicProperty> {
    Set((properties["Flags"]?.texts ?? []).compactMap(CharacteristicProperty.init))
  }

  /// Whether bluetoothd has subscribed to it, for any program.
  var isNotifying: Bool { properties["Notifying"]?.flag ?? false }

  /// Whether a signalled value is one that the device has sent, and not the echo of a read.
  ///
  /// bluetoothd restores a subscription when the device returns. It signals `Notifying` after the
  /// device's response; a scale may indicate its record before that.
  var isSentByDevice: Bool { isNotifying || !allowed.contains(.read) }

  /// Whether it only offers indications.
  var isIndicatedOnly: Bool { allowed.contains(.indicate) && !allowed.contains(.notify) }
}
