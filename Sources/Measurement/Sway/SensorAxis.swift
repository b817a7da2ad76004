/// One of a sensor's own axes, for a measurement that must know which way the body faces.
public enum SensorAxis: String, Hashable, Sendable, CaseIterable {
  /// The sensor's x axis.
  case x
  /// The sensor's y axis.
  case y
  /// The sensor's z axis, which most stand upright on the surface that is worn on the body.
  case z

  /// The unit vector along the axis, in Q30.
  var direction: WideVector {
    let one: Int64 = 1 << 30
    return switch self {
    case .x: WideVector(x: one, y: 0, z: 0)
    case .y: WideVector(x: 0, y: one, z: 0)
    case .z: WideVector(x: 0, y: 0, z: one)
    }
  }
}
