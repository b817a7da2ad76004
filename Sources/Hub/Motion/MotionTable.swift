import Care
import DeviceCatalog
import Foundation

/// The sensors whose motion is being measured, by address or name.
///
/// Bounded: of more sensors than ``most``, those that come later are left out until one falls silent.
struct MotionTable: Sendable {
  /// How many sensors are measured at the same time.
  static let most = 32

  private var sensors: [String: SensorMotion] = [:]
  private var bindings: [DeviceBinding] = []

  /// Takes over a plan's devices: which two are worn on either side of a joint.
  mutating func bind(_ bindings: [DeviceBinding]) {
    self.bindings = bindings
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
    return sensors[key]?.add(batch.samples, at: arrival) ?? []
  }

  /// Does what is due at `time`.
  mutating func wake(at time: Date) -> [Finding] {
    forEachSensor { $0.wake(at: time) }
  }

  /// A sensor's link is down.
  mutating func disconnected(_ address: String, at time: Date) -> [Finding] {
    joined(sensors[address]?.endStretch(at: time) ?? [])
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

  /// Gives a performance what the sensors across a joint, which are heard still, saw of it.
  ///
  /// They need not fall silent: by now they have sent what belongs to it, and are not measured by
  /// themselves at that joint any more.
  private mutating func joined(_ findings: [Finding]) -> [Finding] {
    findings.map { finding in
      guard case .performance(var performance) = finding else { return finding }
      let own = performance.own.device.address
      for key in sensors.keys.sorted() where key != own {
        let joints = bindings.joints(between: own, and: key)
        guard !joints.isEmpty,
          let part = sensors[key]?.share(with: performance.own, at: joints)
        else { continue }
        performance.partners.append(part)
      }
      return .performance(performance)
    }
  }
}
