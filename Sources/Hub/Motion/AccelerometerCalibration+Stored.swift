import Care
import Measurement

extension AccelerometerCalibration {
  /// The calibration that was stored.
  init(_ stored: SensorCalibration) {
    self.init(
      offset: Vector3(x: stored.offset.x, y: stored.offset.y, z: stored.offset.z),
      scale: Vector3(x: stored.scale.x, y: stored.scale.y, z: stored.scale.z))
  }
}
