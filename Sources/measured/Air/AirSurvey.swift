import DeviceCatalog
import Foundation
import Radio

/// What is on the air: every device that was heard, who it is, how strong and when last.
struct AirSurvey {
  /// A device that was heard.
  struct Device {
    var known: AdvertisedDevice
    var addressType: AddressType
    var rssi: Int?
    var firstHeard: Date
    var lastHeard: Date
    var advertisements = 0
  }

  private(set) var devices: [DeviceAddress: Device] = [:]

  /// How many devices are remembered; a hostile neighbour makes up an address each time.
  static let most = 1024

  /// Takes an event; whatever is no advertisement changes nothing.
  mutating func take(_ event: TimedEvent) {
    guard case .advertisement(let advertisement) = event.event else { return }
    let address = advertisement.address
    if devices[address] == nil, devices.count >= Self.most, let oldest = leastRecent {
      devices[oldest] = nil
    }
    var device =
      devices[address]
      ?? Device(
        known: AdvertisedDevice(address: address), addressType: advertisement.addressType,
        firstHeard: event.time, lastHeard: event.time)
    device.known.merge(advertisement)
    device.rssi = advertisement.rssi ?? device.rssi
    device.lastHeard = event.time
    device.advertisements += 1
    devices[address] = device
  }

  /// The devices that a definition describes first, then the strongest.
  func sorted(by catalog: DeviceCatalog) -> [(device: Device, kind: DeviceDefinition?)] {
    devices.values.map { ($0, catalog.matches(for: $0.known).first?.definition) }
      .sorted { a, b in
        let (knownA, knownB) = (a.1 != nil ? 0 : 1, b.1 != nil ? 0 : 1)
        return (knownA, -(a.0.rssi ?? -128), a.0.known.address)
          < (knownB, -(b.0.rssi ?? -128), b.0.known.address)
      }
  }

  private var leastRecent: DeviceAddress? {
    devices.min { $0.value.lastHeard < $1.value.lastHeard }?.key
  }
}
