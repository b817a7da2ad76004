import Care
import DeviceCatalog
import Foundation
import Measurement
import Motion

/// The sensors whose motion is measured, by address or name.
///
/// Bounded: beyond ``most`` sensors, a further one is ignored until another falls silent.
struct MotionTable: Sendable {
  /// The most sensors that are measured at the same time.
  static let most = 32

  /// By the spelling of the address or name, as samples are: two spellings are two streams.
  private var sensors: [String: SensorMotion] = [:]
  private var bindings: [DeviceBinding] = []
  private var calibrations: [DeviceID: AccelerometerCalibration] = [:]
  private var newSensors: [DeviceIdentity] = []

  /// Applies a plan's devices and the calibrations to all following samples.
  mutating func bind(_ bindings: [DeviceBinding], calibrations: [SensorCalibration]) {
    self.bindings = bindings
    self.calibrations = Dictionary(
      calibrations.map { ($0.address, $0.calibration) },
      uniquingKeysWith: { _, last in last })
  }

  /// The number of sensors.
  var sensorCount: Int { sensors.count }

  /// The earliest deadline of a sensor.
  var wakeAt: Date? { sensors.values.compactMap(\.wakeAt).min() }

  /// The sensors that were switched on since the last call.
  mutating func takeNewSensors() -> [DeviceIdentity] {
    defer { newSensors = [] }
    return newSensors
  }

  /// Adds the samples of a notification, which the sessions of `desk` see, too.
  mutating func add(
    _ batch: MotionBatch, at arrival: EventTime, desk: MeasuringDesk? = nil
  ) -> [Finding] {
    let key = batch.device.address.text
    if sensors.index(forKey: key) == nil {
      if sensors.count >= Self.most { sensors = sensors.filter { $0.value.wakeAt != nil } }
      guard sensors.count < Self.most else { return [] }
      sensors[key] = SensorMotion(device: batch.device)
    }
    let samples = calibrated(batch)
    let isSupervised =
      desk?.receive(samples, of: batch.device, bindings: bindings) ?? false
    let placement = bindings.placement(of: batch.device.address)
    let added = change(key) { sensor in
      let wasOpen = sensor.isOpen
      let findings = sensor.add(
        samples, at: arrival, placement: placement, countsSteps: batch.countsSteps,
        isRecorded: batch.timeBase == .recording, isSupervised: isSupervised)
      return (findings: findings, isNew: !wasOpen && sensor.isNew)
    }
    guard let added else { return [] }
    if added.isNew, desk != nil { newSensors.append(batch.device) }
    return added.findings
  }

  /// Changes a sensor in place: a copy would copy its recording, at each of its notifications.
  private mutating func change<Value>(
    _ key: String, _ body: (inout SensorMotion) -> Value
  ) -> Value? {
    guard let index = sensors.index(forKey: key) else { return nil }
    return body(&sensors.values[index])
  }

  private func calibrated(_ batch: MotionBatch) -> [MotionSample] {
    guard let calibration = calibrations[batch.device.address] else {
      return batch.samples
    }
    return batch.samples.map { calibration.apply($0) }
  }

  /// Processes the deadlines up to `time`.
  mutating func wake(at time: Date) -> [Finding] {
    forEachSensor { $0.wake(at: time) }
  }

  /// Ends the stretch of a sensor whose link is down.
  mutating func disconnected(_ sensor: DeviceID, at time: Date) -> [Finding] {
    joined(sensors[sensor.text]?.disconnect(at: time) ?? [])
  }

  /// Ends every stretch, since the wall clock was set; the sensors go on.
  mutating func restart(at time: Date) -> [Finding] {
    forEachSensor { $0.restart(at: time) }
  }

  /// Ends every stretch; no event follows.
  mutating func end(at time: Date) -> [Finding] {
    defer { sensors = [:] }
    return forEachSensor { $0.end(at: time) }
  }

  private mutating func forEachSensor(_ body: (inout SensorMotion) -> [Finding]) -> [Finding] {
    var findings: [Finding] = []
    for key in sensors.keys.sorted() {
      findings += joined(change(key, body) ?? [])
    }
    return findings
  }

  /// Adds to a recording those of the sensors across a joint that still send.
  ///
  /// They have sent the samples of that time already, and are then not measured alone at that joint.
  private mutating func joined(_ findings: [Finding]) -> [Finding] {
    findings.map { finding in
      guard case .recording(var recording) = finding else { return finding }
      let own = recording.own.device.address
      for key in sensors.keys.sorted() where key != own.text {
        let joints = bindings.joints(between: own, and: DeviceID(key))
        guard !joints.isEmpty,
          let part = sensors[key]?.share(with: recording.own, at: joints)
        else { continue }
        recording.partners.append(part)
      }
      return .recording(recording)
    }
  }
}
