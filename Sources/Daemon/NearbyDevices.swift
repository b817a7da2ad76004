import Care
import DeviceCatalog
import Foundation
import Hub
import Localization
import Pages
import Radio
import Synchronization
import Terminal

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
  private let remarks = Mutex<[DeviceAddress: Remark]>([:])

  /// A device's word instead of a measurement.
  private struct Remark: Sendable {
    var text: LocalizedText
    var time: Date
  }

  /// How long a device counts as near after its last advertisement, in seconds.
  static let patience: TimeInterval = 120
  /// How long it is shown, in seconds, that a device could not measure; it has fallen silent then.
  static let remarkTime: TimeInterval = 900

  /// Counts an event; only advertisements matter.
  func add(_ event: TimedEvent) {
    results.withLock { $0.add(event) }
  }

  /// Notes that a device could not measure, until it has.
  func add(_ report: HubReport, at time: Date) {
    switch report {
    case .device(let note):
      guard case .frame(let frame) = note.kind, frame.isFailedMeasurement else { return }
      remarks.withLock { remarks in
        remarks = remarks.filter { time.timeIntervalSince($0.value.time) <= Self.remarkTime }
        remarks[note.address] = Remark(text: note.localized, time: time)
      }
    case .stored(let sample), .unassigned(let sample), .disowned(let sample):
      guard let address = DeviceAddress(sample.device.address.text) else { return }
      remarks.withLock { $0[address] = nil }
    default: break
    }
  }

  /// Moves the times by the seconds by which the wall clock was set forward.
  func clockWasSet(by jump: TimeInterval) {
    results.withLock { $0.clockWasSet(by: jump) }
  }

  /// The devices that are near at `now`, recognised by `catalog`.
  func devices(at now: Date, by catalog: DeviceCatalog) -> [NearbyDevice] {
    let results = results.withLock { $0 }
    let remarks = remarks.withLock { remarks in
      remarks.filter { now.timeIntervalSince($0.value.time) <= Self.remarkTime }
    }
    return results.sorted(by: catalog).compactMap { device, kind in
      let remark = remarks[device.known.address]?.text
      guard now.timeIntervalSince(device.last) <= Self.patience || remark != nil else { return nil }
      return NearbyDevice(
        address: DeviceID(device.known.address.description),
        name: device.known.name?.printable, title: kind?.name, signal: device.rssi,
        lastHeard: device.last, remark: remark)
    }
  }
}
