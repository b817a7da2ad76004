import DeviceCatalog
import GATT
import Radio

/// A device that was heard: what is known of it, and its session once something recognises it.
struct HeardDevice: Sendable {
  /// What it told of itself so far.
  private(set) var known: AdvertisedDevice
  /// Its session; `nil` for a stranger.
  var session: DeviceSession?
  /// When it was heard last, counted in events of the whole table.
  var lastHeard = 0

  init(address: DeviceAddress) {
    known = AdvertisedDevice(address: address)
  }

  /// Learns from an event what the device is.
  ///
  /// - Returns: Whether that is more than was known, so that it may be recognised better.
  mutating func learn(from event: RadioEvent) -> Bool {
    let before = features
    switch event {
    case .advertisement(let advertisement): known.merge(advertisement)
    case .services(_, let services): known.merge(services: services)
    case .value(let value):
      guard session == nil, let service = value.service else { return false }
      known.merge(services: [GATTService(uuid: service, characteristics: [])])
    default: return false
    }
    return features != before
  }

  /// What tells a device from others, besides the bytes that it measures with.
  private var features: Features {
    Features(
      name: known.name, services: known.services, serviceData: Set(known.serviceData.keys),
      manufacturerData: Set(known.manufacturerData.keys))
  }

  private struct Features: Equatable {
    var name: String?
    var services: Set<BluetoothUUID>
    var serviceData: Set<BluetoothUUID>
    var manufacturerData: Set<UInt16>
  }
}
