import GATT
import Radio
import SystemBus

/// A session's link, from the request to its end.
struct DeviceLink: Sendable {
  /// The state of a link.
  enum Phase: Hashable, Sendable {
    /// It is being connected, or waits for its turn.
    case connecting
    /// It is up.
    case up
    /// It is being disconnected.
    case disconnecting
  }

  /// Distinguishes it from an earlier link to the same device.
  let number: UInt64
  /// The session's address of the device; unchanged if a bond reveals an identity address.
  let address: DeviceAddress
  /// The paths of the device and of its controller.
  let path: String
  let adapter: String
  /// Whether it has to be bonded before use.
  let wantsBond: Bool

  fileprivate(set) var phase = Phase.connecting
  /// Whether the device disconnected while the link was being connected.
  fileprivate(set) var disconnectedEarly = false
  fileprivate(set) var hasReportedServices = false
  /// Whether the device was not linked before, so that no other program uses the link.
  fileprivate(set) var isOwn = false
  /// Whether discovery is paused for it.
  fileprivate(set) var holdsDiscovery = false
  /// Whether the session has subscribed to the battery level.
  fileprivate(set) var wantsBattery = false
  fileprivate(set) var operations = LinkOperations()
  /// When a link that waits for its services is ended.
  fileprivate(set) var deadline: EventLoop.Watch?
}

/// The sessions' links, by the paths of their devices.
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

  /// A link, if its number is still the same.
  subscript(path: String, number: UInt64) -> DeviceLink? {
    links[path].flatMap { $0.number == number ? $0 : nil }
  }

  /// The link that started with an address.
  func link(to address: DeviceAddress) -> DeviceLink? {
    links.values.first { $0.address == address }
  }

  /// A number for a turn on a controller.
  mutating func takeNumber() -> UInt64 {
    lastNumber += 1
    return lastNumber
  }

  /// Adds a link that is to be connected.
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
  mutating func attempted(_ path: String, isOwn: Bool) {
    links[path]?.disconnectedEarly = false
    links[path]?.isOwn = isOwn
  }

  /// The link is connected, and bonded if it has to be.
  mutating func connected(_ path: String) { links[path]?.phase = .up }

  /// Marks a link as being disconnected.
  ///
  /// - Returns: The link; `nil` if it is being disconnected already.
  mutating func beginDisconnecting(_ path: String) -> DeviceLink? {
    guard let link = links[path], link.phase != .disconnecting else { return nil }
    links[path]?.phase = .disconnecting
    return link
  }

  /// The device disconnected.
  ///
  /// - Returns: The link that ends now; `nil` while it is being connected, since the reply to that
  ///   call
  ///   reports the end.
  mutating func peerDisconnected(_ path: String) -> DeviceLink? {
    guard let link = links[path] else { return nil }
    guard link.phase == .connecting else { return link }
    links[path]?.disconnectedEarly = true
    return nil
  }

  /// The services of a link that is up were reported to its session.
  mutating func reportedServices(_ path: String) { links[path]?.hasReportedServices = true }

  /// Sets the deadline of a link that waits for its services.
  mutating func setDeadline(_ watch: EventLoop.Watch, of path: String) {
    links[path]?.deadline = watch
  }

  /// Pauses discovery for a link, or ends the pause.
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

/// A session's request to a linked device.
enum LinkOperation: Hashable, Sendable {
  case subscribe(BluetoothUUID, isMotion: Bool = false)
  case read(BluetoothUUID)
  case write(BluetoothUUID, data: [UInt8], withResponse: Bool)

  /// The characteristic.
  var characteristic: BluetoothUUID {
    switch self {
    case .subscribe(let uuid, _), .read(let uuid), .write(let uuid, _, _): uuid
    }
  }

  /// The operation as it is named in a failure.
  var kind: LinkError.Operation {
    switch self {
    case .subscribe: .subscribe
    case .read: .read
    case .write: .write
    }
  }
}

/// The operations of one link, performed one at a time.
struct LinkOperations: Hashable, Sendable {
  /// How many operations may wait: a session requests a few at a time.
  static let capacity = 256

  private var waiting: [LinkOperation] = []
  /// The number of the current operation; `nil` if there is none.
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

  /// Begins the next operation; `nil` while another one is in progress, or if none waits.
  mutating func begin() -> LinkOperation? {
    guard current == nil, !waiting.isEmpty else { return nil }
    count += 1
    current = count
    return waiting.removeFirst()
  }

  /// The current operation has ended.
  mutating func end() { current = nil }
}
