import SystemBus

/// What bluetoothd tells of its objects: controllers, devices, their services.
///
/// It is filled from the whole tree once and then from the signals, keeps the interfaces and
/// properties that the radio works with, and is bounded, since a hostile neighbour can make objects
/// appear by advertising.
struct ObjectTree: Hashable, Sendable {
  /// An interface's properties by name.
  typealias Properties = [String: BusValue]

  /// How many objects are kept: some hundred devices with all their characteristics.
  static let maximumObjects = 16_384
  /// How large a property may be, in elements and bytes: an advertisement is shorter.
  static let maximumPropertySize = 8192

  private var objects: [String: [String: Properties]] = [:]

  /// How many objects are kept.
  var count: Int { objects.count }

  /// The properties of an object's interface; `nil` where it has none such.
  subscript(path: String, interface: String) -> Properties? {
    objects[path]?[interface]
  }

  /// The objects with an interface at or below a path, in the order of their paths, which is that
  /// of their handles.
  func paths(of interface: String, below prefix: String = "/") -> [String] {
    objects.filter { path, interfaces in
      interfaces[interface] != nil
        && (prefix == "/" || path == prefix || path.hasPrefix(prefix + "/"))
    }.keys.sorted()
  }

  /// Begins anew with the answer to `GetManagedObjects`.
  mutating func replace(with managed: BusValue?) {
    objects = [:]
    for (path, interfaces) in managed?.entries ?? [:] {
      if let path = path.text { add(path, interfaces) }
    }
  }

  /// Adds the interfaces that an object has now.
  ///
  /// - Returns: The interfaces that are kept.
  @discardableResult
  mutating func add(_ path: String, _ interfaces: BusValue?) -> Set<String> {
    let known = objects[path] != nil
    guard known || objects.count < Self.maximumObjects else { return [] }
    var added: Set<String> = []
    for (name, properties) in interfaces?.entries ?? [:] {
      guard let name = name.text, BlueZInterface.kept.contains(name) else { continue }
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

  /// Takes over changed properties of an interface that is known.
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
    // A characteristic's value is news, not state.
    name != "Value" && value.isSmaller(than: maximumPropertySize)
  }
}

/// The interfaces of bluetoothd that the radio works with.
enum BlueZInterface {
  static let adapter = "org.bluez.Adapter1"
  static let agent = "org.bluez.Agent1"
  static let agents = "org.bluez.AgentManager1"
  static let battery = "org.bluez.Battery1"
  static let characteristic = "org.bluez.GattCharacteristic1"
  static let device = "org.bluez.Device1"
  static let service = "org.bluez.GattService1"

  /// Those whose properties are kept.
  static let kept: Set<String> = [adapter, battery, characteristic, device, service]
}
