import GATT
import Radio
import SystemBus

/// A link that a session asked for, from the asking to its end.
struct DeviceLink {
  /// How far it is.
  enum Phase: Hashable, Sendable {
    /// It is being brought up, or waits for its turn.
    case rising
    /// It is up.
    case up
    /// It is being taken down.
    case falling
  }

  /// What a session asks of a device that is linked.
  enum Operation: Hashable, Sendable {
    case subscribe(BluetoothUUID)
    case read(BluetoothUUID)
    case write(BluetoothUUID, data: [UInt8], withResponse: Bool)
  }

  /// How the values of a characteristic arrive.
  struct Subscription {
    /// A value without its bytes: whose it is does not change, and some arrive 200 times a second.
    var blank: CharacteristicValue
    /// As signals, with the echoes of our own reading among them; else as packets of a file.
    var echo: ReadEcho?
    var file: BusFile?
    var watch: EventLoop.Watch?
  }

  /// How many operations may wait: a session asks for a few at a time.
  static let maximumOperations = 256

  /// Tells it from an earlier link with the same device.
  let number: UInt64
  /// What the session calls the device; it stays, though a bond may tell another address.
  let address: DeviceAddress
  /// Its object and its controller's.
  let path: String
  let adapter: String
  /// Whether it is to be bonded before it is used.
  let wantsBond: Bool

  var phase = Phase.rising
  /// Whether the device hung up while the link was brought up.
  var didDrop = false
  var hasToldServices = false
  /// Whether discovery rests on its account.
  var holdsDiscovery = false
  var subscriptions: [String: Subscription] = [:]
  var wantsBattery = false
  var operations: [Operation] = []
  var isOperating = false
  var operationCount: UInt64 = 0
  /// When it is given up, while it waits for its services.
  var deadline: EventLoop.Watch?
}
