import Care
import DeviceCatalog
import Foundation
import Pages
import Radio
import Synchronization

/// A radio whose advertisements are counted on their way to the hub, for the page of devices.
final class WatchedRadio: Radio {
  private let radio: LiveRadio
  private let nearby: NearbyDevices

  init(radio: LiveRadio, nearby: NearbyDevices) {
    self.radio = radio
    self.nearby = nearby
  }

  func next(until deadline: Date?) async throws(RadioError) -> RadioStep {
    let step = try await radio.next(until: deadline)
    if case .event(let event) = step { nearby.add(event) }
    return step
  }

  var hasNext: Bool { radio.hasNext }

  func send(_ command: RadioCommand) async throws(RadioError) {
    try await radio.send(command)
  }
}

/// The devices that advertised lately.
final class NearbyDevices: Sendable {
  private let results = Mutex(ScanResults())

  /// How long a device counts as near after its last advertisement, in seconds.
  static let patience: TimeInterval = 120

  /// Counts an event; only advertisements matter.
  func add(_ event: TimedEvent) {
    results.withLock { $0.add(event) }
  }

  /// The devices that are near at `now`, recognised by `catalog`.
  func devices(at now: Date, by catalog: DeviceCatalog) -> [NearbyDevice] {
    let results = results.withLock { $0 }
    return results.sorted(by: catalog).compactMap { device, kind in
      guard now.timeIntervalSince(device.last) <= Self.patience else { return nil }
      return NearbyDevice(
        address: DeviceID(device.known.address.description),
        name: device.known.name?.printable, title: kind?.name, signal: device.rssi,
        lastHeard: device.last)
    }
  }
}

// MARK: - Results

/// The devices that advertise nearby.
struct ScanResults {
  /// A device, from its advertisements so far.
  struct Device {
    var known: AdvertisedDevice
    var addressType: AddressType
    var rssi: Int?
    /// The time of its first advertisement.
    var first: Date
    /// The time of its latest advertisement.
    var last: Date
    var advertisements = 0
  }

  private(set) var devices: [DeviceAddress: Device] = [:]

  /// How many devices are stored; a hostile neighbour may use a new address each time.
  static let most = 1024

  /// Adds an event; only advertisements count.
  mutating func add(_ event: TimedEvent) {
    guard case .advertisement(let advertisement) = event.event else { return }
    let address = advertisement.address
    if devices[address] == nil, devices.count >= Self.most, let oldest = leastRecent {
      devices[oldest] = nil
    }
    var device =
      devices[address]
      ?? Device(
        known: AdvertisedDevice(address: address), addressType: advertisement.addressType,
        first: event.time, last: event.time)
    device.known.merge(advertisement)
    device.rssi = advertisement.rssi ?? device.rssi
    device.last = event.time
    device.advertisements += 1
    devices[address] = device
  }

  /// The devices: first those that a definition matches, each group by signal strength.
  func sorted(by catalog: DeviceCatalog) -> [(device: Device, kind: DeviceDefinition?)] {
    devices.values.map { ($0, catalog.matches(for: $0.known).first?.definition) }
      .sorted { a, b in
        let (knownA, knownB) = (a.1 != nil ? 0 : 1, b.1 != nil ? 0 : 1)
        return (knownA, -(a.0.rssi ?? -128), a.0.known.address)
          < (knownB, -(b.0.rssi ?? -128), b.0.known.address)
      }
  }

  private var leastRecent: DeviceAddress? {
    devices.min { $0.value.last < $1.value.last }?.key
  }
}
