import GATT
import Radio

/// The recently received devices: by which controller, signal strength and name.
///
/// Bounded: the least recently received devices are removed.
struct ReceivedDevices: Sendable {
  /// How many are stored: enough for a busy street, where phones change their addresses.
  static let capacity = 1024
  /// A controller that missed this many advertisements of a device in a row is no longer used for
  /// it.
  static let memory = 8

  /// The pause before a name is requested again; it doubles, up to an hour.
  static let firstPause = Duration.seconds(60)

  /// A received device.
  struct Device: Hashable, Sendable {
    /// The type of its address.
    var type: AddressType
    /// Its name, if advertised.
    var name: String?
    /// How often its name was requested.
    fileprivate var requests = 0
    /// The last data without a name, so that the same data are not read again.
    fileprivate var nameless: [UInt8]?
    /// When its name may be requested again; `nil` before the first request.
    fileprivate var askAt: ContinuousClock.Instant?
    /// How many of its advertisements were received.
    fileprivate var count: UInt64 = 0
    /// By controller: the last advertisement, and its strength.
    fileprivate var receptions: [UInt16: Reception] = [:]
    /// When it was last received, in advertisements of all devices.
    fileprivate var ordinal: UInt64 = 0
  }

  fileprivate struct Reception: Hashable {
    var count: UInt64
    var rssi: Int
  }

  private var devices: [DeviceAddress: Device] = [:]
  private var ordinal: UInt64 = 0

  subscript(address: DeviceAddress) -> Device? { devices[address] }

  /// Processes an advertisement.
  ///
  /// - Parameters:
  ///   - found: The advertisement.
  ///   - controller: The controller that received it.
  ///   - isAnswered: Whether the controller requests names at this time.
  ///   - now: The current time.
  /// - Returns: Whether the device's name is unknown and should be requested: the answer to an earlier
  ///   request may have been lost, or the device was asleep.
  mutating func receive(
    _ found: FoundDevice, by controller: UInt16, isAnswered: Bool, at now: ContinuousClock.Instant
  ) -> Bool {
    makeRoom(for: found.peer.address)
    ordinal &+= 1
    var device = devices[found.peer.address] ?? Device(type: found.peer.type)
    device.type = found.peer.type
    device.ordinal = ordinal
    device.count &+= 1
    device.receptions[controller] = Reception(count: device.count, rssi: found.rssi ?? -127)
    if device.name == nil, device.nameless != found.data {
      device.name = AdvertisingData.readable(in: found.data).data.localName
      device.nameless = device.name == nil ? found.data : nil
    }
    let isDue = device.askAt.map { $0 <= now } ?? true
    if isAnswered, isDue {
      device.askAt = now + Self.firstPause * (1 << min(device.requests, 6))
      device.requests += 1
    }
    devices[found.peer.address] = device
    return device.name == nil && isDue && !isAnswered && found.isConnectable
  }

  /// The controller to reach a device through: of those that received it recently, the one with the
  /// strongest signal.
  func controller(for address: DeviceAddress, among controllers: Set<UInt16>) -> UInt16? {
    guard let device = devices[address] else { return nil }
    return device.receptions
      .filter { controllers.contains($0.key) && device.count - $0.value.count < Self.memory }
      .max { ($0.value.rssi, $1.key) < ($1.value.rssi, $0.key) }?.key
  }

  /// Removes the receptions of a removed controller.
  mutating func forget(controller: UInt16) {
    for address in devices.keys { devices[address]?.receptions[controller] = nil }
  }

  private mutating func makeRoom(for address: DeviceAddress) {
    guard devices.count >= Self.capacity, devices[address] == nil else { return }
    // A quarter at a time, so that a flood of new addresses does not cost a sort each.
    let oldest = devices.sorted { $0.value.ordinal < $1.value.ordinal }.prefix(Self.capacity / 4)
    for (address, _) in oldest { devices[address] = nil }
  }
}
