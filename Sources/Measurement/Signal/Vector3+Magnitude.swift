import FixedPoint
import Motion

extension Vector3 {
  /// The length, rounded down, exact for any components.
  var length: UInt64 {
    let squares =
      UInt64(x.magnitude) &* UInt64(x.magnitude)
      &+ UInt64(y.magnitude) &* UInt64(y.magnitude)
      &+ UInt64(z.magnitude) &* UInt64(z.magnitude)
    return squares.integerSquareRoot
  }
}

extension Axis {
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
