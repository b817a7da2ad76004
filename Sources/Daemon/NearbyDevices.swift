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
      nearby.follow(clockSetBy: jump)
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
  private let state = Mutex(State())

  private struct State: Sendable {
    var results = ScanResults()
    var remarks: [DeviceAddress: Remark] = [:]
    /// By how many seconds the wall clock was set forward since the start.
    var clockSetting: TimeInterval = 0

    /// The remarks that are still shown at `now`.
    func remarks(at now: SteadyTime) -> [DeviceAddress: Remark] {
      remarks.filter { now - $0.value.time <= NearbyDevices.remarkTime }
    }
  }

  /// A device's word instead of a measurement.
  private struct Remark: Sendable {
    var text: LocalizedText
    var time: SteadyTime
  }

  /// How long a device counts as near after its last advertisement, in seconds.
  static let patience: TimeInterval = 120
  /// How long it is shown, in seconds, that a device could not measure; it has fallen silent then.
  static let remarkTime: TimeInterval = 900

  /// Counts an event; only advertisements matter.
  func add(_ event: TimedEvent) {
    state.withLock { $0.results.add(event, clockSetting: $0.clockSetting) }
  }

  /// Notes that a device could not measure, until it has.
  func add(_ report: HubReport, at time: Date) {
    switch report {
    case .device(let note):
      guard case .frame(let frame) = note.kind, frame.isFailedMeasurement else { return }
      state.withLock { state in
        let now = EventTime(time, setting: state.clockSetting).steady
        state.remarks = state.remarks(at: now)
        state.remarks[note.address] = Remark(text: note.localized, time: now)
      }
    case .stored(let sample), .unassigned(let sample), .disowned(let sample):
      guard let address = DeviceAddress(sample.device.address.text) else { return }
      state.withLock { $0.remarks[address] = nil }
    default: break
    }
  }

  /// Goes on by a wall clock that was set forward by `jump` seconds.
  func follow(clockSetBy jump: TimeInterval) {
    state.withLock { $0.clockSetting += jump }
  }

  /// The devices that are near at `now`, recognised by `catalog`.
  func devices(at now: Date, by catalog: DeviceCatalog) -> [NearbyDevice] {
    let state = state.withLock { $0 }
    let time = EventTime(now, setting: state.clockSetting)
    let remarks = state.remarks(at: time.steady)
    return state.results.sorted(by: catalog).compactMap { device, kind in
      let remark = remarks[device.known.address]?.text
      let last = device.last.steady
      guard time.steady - last <= Self.patience || remark != nil else { return nil }
      return NearbyDevice(
        address: DeviceID(device.known.address.description),
        name: device.known.name?.printable, title: kind?.name, signal: device.rssi,
        lastHeard: time.at(last).date, remark: remark)
    }
  }
}
