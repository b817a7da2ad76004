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
    sensors.keys.sorted().flatMap { sensors[$0]?.wake(at: time) ?? [] }
  }

  /// A sensor's link is down.
  mutating func disconnected(_ address: String, at time: Date) -> [Finding] {
    sensors[address]?.endStretch(at: time) ?? []
  }

  /// Nothing will follow.
  mutating func end(at time: Date) -> [Finding] {
    defer { sensors = [:] }
    return sensors.keys.sorted().flatMap { sensors[$0]?.end(at: time) ?? [] }
  }
}
