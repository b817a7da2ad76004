package import DeviceCatalog
package import Foundation
package import Radio

/// The devices that advertise nearby.
package struct ScanResults {
  /// A device, from its advertisements so far.
  package struct Device {
    package var known: AdvertisedDevice
    package var addressType: AddressType
    package var rssi: Int?
    /// The time of its latest advertisement.
    package var last: EventTime
    package var advertisements = 0
  }

  private(set) var devices: [DeviceAddress: Device] = [:]

  package init() {}

  /// How many devices are stored; a hostile neighbour may use a new address each time.
  package static let most = 1024

  /// Adds an event; only advertisements count.
  ///
  /// - Parameters:
  ///   - event: The event.
  ///   - clockSetting: By how many seconds the wall clock was set forward since the first event.
  package mutating func add(_ event: TimedEvent, clockSetting: TimeInterval = 0) {
    guard case .advertisement(let advertisement) = event.event else { return }
    let time = EventTime(event.time, setting: clockSetting)
    let address = advertisement.address
    if devices[address] == nil, devices.count >= Self.most, let oldest = leastRecent {
      devices[oldest] = nil
    }
    var device =
      devices[address]
      ?? Device(
        known: AdvertisedDevice(address: address), addressType: advertisement.addressType,
        last: time)
    device.known.merge(advertisement)
    device.rssi = advertisement.rssi ?? device.rssi
    device.last = time
    device.advertisements += 1
    devices[address] = device
  }

  /// The devices: first those that a definition matches, each group by signal strength.
  package func sorted(by catalog: DeviceCatalog) -> [(device: Device, kind: DeviceDefinition?)] {
    devices.values.map { ($0, catalog.matches(for: $0.known).first?.definition) }
      .sorted { a, b in
        let (knownA, knownB) = (a.1 != nil ? 0 : 1, b.1 != nil ? 0 : 1)
        return (knownA, -(a.0.rssi ?? -128), a.0.known.address)
          < (knownB, -(b.0.rssi ?? -128), b.0.known.address)
      }
  }

  private var leastRecent: DeviceAddress? {
    devices.min { $0.value.last.steady < $1.value.last.steady }?.key
  }
}
