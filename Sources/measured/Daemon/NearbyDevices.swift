import Care
import DeviceCatalog
import Foundation
import Pages
import Radio
import Synchronization

/// A radio whose events are shared on their way to the hub: advertisements with the page of devices,
/// all of them with commands beside the daemon.
final class WatchedRadio: Radio {
  private let radio: LiveRadio
  private let nearby: NearbyDevices
  private let tap: RadioTap

  init(radio: LiveRadio, nearby: NearbyDevices, tap: RadioTap) {
    self.radio = radio
    self.nearby = nearby
    self.tap = tap
  }

  func next(until deadline: Date?) async throws(RadioError) -> RadioStep {
    let step = try await radio.next(until: deadline)
    if case .event(let event) = step {
      nearby.add(event)
      tap.add(event)
    } else if case .clockSet(let jump, _) = step {
      nearby.clockWasSet(by: jump)
    }
    return step
  }

  var hasNext: Bool { radio.hasNext }

  func send(_ command: RadioCommand) async throws(RadioError) {
    tap.hubSent(command)
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

  /// Moves the times by the seconds by which the wall clock was set forward.
  func clockWasSet(by jump: TimeInterval) {
    results.withLock { $0.clockWasSet(by: jump) }
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
