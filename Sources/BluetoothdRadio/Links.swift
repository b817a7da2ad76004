import GATT
import Radio
import SystemBus

/// A link that a session asked for, from the request to its end.
struct DeviceLink: Sendable {
  /// How far it is.
  enum Phase: Hashable, Sendable {
    /// It is being brought up, or waits for its turn.
    case rising
    /// It is up.
    case up
    /// It is being taken down.
    case falling
  }

  /// Distinguishes it from an earlier link to the same device.
  let number: UInt64
  /// The session's address of the device; it stays, though a bond may reveal another one.
  let address: DeviceAddress
  /// The paths of the device and of its controller.
  let path: String
  let adapter: String
  /// Whether it has to be bonded before it is used.
  let wantsBond: Bool

  fileprivate(set) var phase = Phase.rising
  /// Whether the device hung up while the link was brought up.
  fileprivate(set) var hungUpEarly = false
  fileprivate(set) var hasReportedServices = false
  /// Whether discovery rests for its sake.
  fileprivate(set) var holdsDiscovery = false
  /// Whether the session has subscribed to the battery level.
  fileprivate(set) var wantsBattery = false
  fileprivate(set) var operations = LinkOperations()
  /// When the link is given up, while it waits for its services.
  fileprivate(set) var deadline: EventLoop.Watch?
}

/// The links that sessions asked for, by the paths of their devices.
struct Links: Sendable {
  private var links: [String: DeviceLink] = [:]
  private var lastNumber: UInt64 = 0

  /// The devices' paths, sorted.
  var paths: [String] { links.keys.sorted() }

  /// The paths of the devices that are linked over a controller.
  func paths(over adapter: String) -> [String] {
    links.values.filter { $0.adapter == adapter }.map(\.path).sorted()
  }

  subscript(path: String) -> DeviceLink? { links[path] }

  /// A link, if it is still the one with this number.
  subscript(path: String, number: UInt64) -> DeviceLink? {
    links[path].flatMap { $0.number == number ? $0 : nil }
  }

  /// The link that began with an address.
  func link(to address: DeviceAddress) -> DeviceLink? {
    links.values.first { $0.address == address }
  }

  /// A number for a turn on a controller.
  mutating func takeNumber() -> UInt64 {
    lastNumber += 1
    return lastNumber
  }

  /// Adds a link that is to be brought up.
  ///
  /// - Returns: The link; `nil` if the device has one already.
  mutating func begin(
    _ address: DeviceAddress, path: String, adapter: String, wantsBond: Bool
  ) -> DeviceLink? {
    guard links[path] == nil else { return nil }
    let link = DeviceLink(
      number: takeNumber(), address: address, path: path, adapter: adapter, wantsBond: wantsBond)
    links[path] = link
    return link
  }

  /// An attempt to connect begins.
  mutating func attempted(_ path: String) { links[path]?.hungUpEarly = false }

  /// The link is connected, and bonded if it has to be.
  mutating func rose(_ path: String) { links[path]?.phase = .up }

  /// The link is to be taken down.
  ///
  /// - Returns: The link; `nil` if it is being taken down already.
  mutating func fell(_ path: String) -> DeviceLink? {
    guard let link = links[path], link.phase != .falling else { return nil }
    links[path]?.phase = .falling
    return link
  }

  /// The device hung up.
  ///
  /// - Returns: The link that ends now; `nil` while it is being brought up, since the answer to that
  ///   call reports the end.
  mutating func hungUp(_ path: String) -> DeviceLink? {
    guard let link = links[path] else { return nil }
    guard link.phase == .rising else { return link }
    links[path]?.hungUpEarly = true
    return nil
  }

  /// The services of a link that is up were reported to its session.
  mutating func reportedServices(_ path: String) { links[path]?.hasReportedServices = true }

  /// Sets the deadline of a link that waits for its services.
  mutating func setDeadline(_ watch: EventLoop.Watch, of path: String) {
    links[path]?.deadline = watch
  }

  /// Discovery rests for the sake of a link, or no longer.
  ///
  /// - Returns: Whether that is a change.
  mutating func holdDiscovery(_ isHeld: Bool, for path: String) -> Bool {
    guard let link = links[path], link.holdsDiscovery != isHeld else { return false }
    links[path]?.holdsDiscovery = isHeld
    return true
  }

  /// The session has subscribed to the battery level.
  mutating func subscribeToBattery(_ path: String) { links[path]?.wantsBattery = true }

  /// Changes the operations of a link.
  mutating func operations<Result>(
    of path: String, _ change: (inout LinkOperations) -> Result
  ) -> Result? {
    guard var operations = links[path]?.operations else { return nil }
    defer { links[path]?.operations = operations }
    return change(&operations)
  }

  /// Removes a link.
  mutating func remove(_ path: String) { links[path] = nil }
}

/// What a session asks of a linked device.
enum LinkOperation: Hashable, Sendable {
  case subscribe(BluetoothUUID)
  case read(BluetoothUUID)
  case write(BluetoothUUID, data: [UInt8], withResponse: Bool)

  /// The characteristic.
  var characteristic: BluetoothUUID {
    switch self {
    case .subscribe(let uuid), .read(let uuid), .write(let uuid, _, _): uuid
    }
  }

  /// The operation as a fact of a failure.
  var kind: LinkError.Operation {
    switch self {
    case .subscribe: .subscribe
    case .read: .read
    case .write: .write
    }
  }
}

/// The operations of one link, one after another.
struct LinkOperations: Hashable, Sendable {
  /// How many operations may wait: a session asks for a few at a time.
  static let capacity = 256

  private var waiting: [LinkOperation] = []
  /// The number of the operation under way; `nil` if there is none.
  private(set) var current: UInt64?
  private var count: UInt64 = 0

  /// Adds an operation.
  ///
  /// - Returns: Whether there was room.
  mutating func add(_ operation: LinkOperation) -> Bool {
    guard waiting.count < Self.capacity else { return false }
    waiting.append(operation)
    return true
  }

  /// Begins the next operation; `nil` while another one is under way, or if none waits.
  mutating func begin() -> LinkOperation? {
    guard current == nil, !waiting.isEmpty else { return nil }
    count += 1
    current = count
    return waiting.removeFirst()
  }

  /// The operation under way has ended.
  mutating func end() { current = nil }
}
