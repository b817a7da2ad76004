import Care
import DeviceCatalog
import Foundation
import Measurement
import Motion

/// The sensors whose motion is being measured, by address or name.
///
/// Bounded: of more sensors than ``most``, those that come later are left out until one falls silent.
struct MotionTable: Sendable {
  /// How many sensors are measured at the same time.
  static let most = 32

  private var sensors: [DeviceID: SensorMotion] = [:]
  private var bindings: [DeviceBinding] = []
  private var calibrations: [DeviceID: AccelerometerCalibration] = [:]

  /// Takes over a plan's devices, of which two may be worn on either side of a joint, and what each
  /// reads wrong, for the samples that come from now on.
  mutating func bind(_ bindings: [DeviceBinding], calibrations: [SensorCalibration]) {
    self.bindings = bindings
    self.calibrations = Dictionary(
      calibrations.map { ($0.address, $0.calibration) },
      uniquingKeysWith: { _, last in last })
  }

  /// How many sensors there are.
  var sensorCount: Int { sensors.count }

  /// When something is due.
  var wakeAt: Date? { sensors.values.compactMap(\.wakeAt).min() }

  /// Takes the samples of a notification.
  mutating func add(_ batch: MotionBatch, at arrival: Date) -> [Finding] {
    let key = batch.device.address
    if sensors[key] == nil {
      if sensors.count >= Self.most { sensors = sensors.filter { $0.value.wakeAt != nil } }
      guard sensors.count < Self.most else { return [] }
      sensors[key] = SensorMotion(device: batch.device)
    }
    let samples = calibrated(batch)
    return sensors[key]?.add(samples, at: arrival) ?? []
  }

  private func calibrated(_ batch: MotionBatch) -> [MotionSample] {
    guard let calibration = calibrations[batch.device.address] else {
      return batch.samples
    }
    return batch.samples.map { calibration.apply($0) }
  }

  /// Does what is due at `time`.
  mutating func wake(at time: Date) -> [Finding] {
    forEachSensor { $0.wake(at: time) }
  }

  /// A sensor's link is down.
  mutating func disconnected(_ sensor: DeviceID, at time: Date) -> [Finding] {
    joined(sensors[sensor]?.endStretch(at: time) ?? [])
  }

  /// Nothing will follow.
  mutating func end(at time: Date) -> [Finding] {
    defer { sensors = [:] }
    return forEachSensor { $0.end(at: time) }
  }

  private mutating func forEachSensor(_ body: (inout SensorMotion) -> [Finding]) -> [Finding] {
    var findings: [Finding] = []
    for key in sensors.keys.sorted() {
      guard var sensor = sensors[key] else { continue }
      let found = body(&sensor)
      sensors[key] = sensor
      findings += joined(found)
    }
    return findings
  }

  /// Adds to a recording those of the sensors across a joint that still send.
  ///
  /// They need not fall silent: by now they have sent the samples of that time, and are not measured
  /// by themselves at that joint any more.
  private mutating func joined(_ findings: [Finding]) -> [Finding] {
    findings.map { finding in
      guard case .recording(var recording) = finding else { return finding }
      let own = recording.own.device.address
      for key in sensors.keys.sorted() where key != own {
        let joints = bindings.joints(between: own, and: key)
        guard !joints.isEmpty,
          let part = sensors[key]?.share(with: recording.own, at: joints)
        else { continue }
        recording.partners.append(part)
      }
      return .recording(recording)
    }
  }
}
