public import Foundation
public import GATT
public import Motion

/// An event of a radio with its time.
///
/// A radio produces one ordered sequence of these.
public struct TimedEvent: Hashable, Sendable {
  /// When it was received; never earlier than the event before, unless
  /// ``RadioStep/clockSet(by:at:)`` came between.
  public var time: Date
  /// The event.
  public var event: RadioEvent

  /// Makes a timed event.
  public init(time: Date, event: RadioEvent) {
    self.time = time
    self.event = event
  }
}

/// An event that a radio reports.
public enum RadioEvent: Hashable, Sendable {
  /// A device advertised.
  case advertisement(Advertisement)
  /// A link is up.
  case connected(DeviceAddress)
  /// A linked device's services are known.
  case services(DeviceAddress, [GATTService])
  /// A characteristic's value arrived: a notification, an indication, or the answer to a read.
  case value(CharacteristicValue)
  /// A write was acknowledged.
  case written(DeviceAddress, characteristic: BluetoothUUID)
  /// A command to a device failed.
  case failed(DeviceAddress, LinkError)
  /// The number of a device's values dropped since the last such event because it sends faster than
  /// they can be stored.
  case lost(DeviceAddress, count: Int)
  /// A link is down.
  case disconnected(DeviceAddress)
  /// The user has paired a device, or deleted its bond.
  case bondChanged(DeviceAddress)
  /// Motion of a sensor that was recorded without its radio.
  case motion(RecordedMotion)
}

extension RadioEvent {
  /// The device; `nil` for recorded motion, whose sensor has a name only.
  public var address: DeviceAddress? {
    switch self {
    case .advertisement(let advertisement): advertisement.address
    case .connected(let address), .services(let address, _), .written(let address, _),
      .failed(let address, _), .lost(let address, _), .disconnected(let address),
      .bondChanged(let address):
      address
    case .value(let value): value.address
    case .motion: nil
    }
  }
}

/// One advertisement, or its scan response.
public struct Advertisement: Hashable, Sendable {
  /// The advertiser.
  public var address: DeviceAddress
  /// The type of the address.
  public var addressType: AddressType
  /// Received signal strength in dBm; `nil` if it was not measured.
  public var rssi: Int?
  /// The AD structures as received.
  public var data: [UInt8]
  /// Whether the advertiser accepts connections; `true` if the radio does not know.
  public var isConnectable: Bool

  /// Makes an advertisement.
  public init(
    address: DeviceAddress, addressType: AddressType, rssi: Int?, data: [UInt8],
    isConnectable: Bool = true
  ) {
    self.isConnectable = isConnectable
    self.address = address
    self.addressType = addressType
    self.rssi = rssi
    self.data = data
  }
}

/// A characteristic's value as received.
public struct CharacteristicValue: Hashable, Sendable {
  /// The device.
  public var address: DeviceAddress
  /// The service, if known.
  public var service: BluetoothUUID?
  /// The characteristic.
  public var characteristic: BluetoothUUID
  /// The bytes.
  public var data: [UInt8]
  /// The argument of ``RadioCommand/confirm(_:)`` once the value is durable; `nil` if no
  /// confirmation is due.
  public var confirmation: Confirmation?

  /// Makes a value.
  public init(
    address: DeviceAddress, service: BluetoothUUID?, characteristic: BluetoothUUID, data: [UInt8],
    confirmation: Confirmation? = nil
  ) {
    self.address = address
    self.service = service
    self.characteristic = characteristic
    self.data = data
    self.confirmation = confirmation
  }
}

/// An indication that waits for its confirmation.
public struct Confirmation: Hashable, Sendable {
  /// The device that waits.
  public var address: DeviceAddress
  /// Which indication of that link, counted by the radio.
  public var number: UInt64

  /// Makes a confirmation.
  public init(address: DeviceAddress, number: UInt64) {
    self.address = address
    self.number = number
  }
}

/// Motion samples of a sensor that is known by name only.
public struct RecordedMotion: Hashable, Sendable {
  /// The sensor's name: `left-thigh`.
  public var sensor: String
  /// The samples, oldest first; their times are microseconds from the event's time.
  public var samples: [MotionSample]

  /// Makes a batch.
  public init(sensor: String, samples: [MotionSample]) {
    self.sensor = sensor
    self.samples = samples
  }
}
