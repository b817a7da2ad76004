import FixedPoint
import Motion

/// A vector in 64 bits: specific force in micro-g with 8 fractional bits, or a turn in Q28 radians.
///
/// Sums and products wrap without a check. Callers clamp their inputs so that every result fits 64
/// bits, and state the bound.
struct WideVector: Hashable, Sendable {
  var x: Int64
  var y: Int64
  var z: Int64

  init(x: Int64, y: Int64, z: Int64) {
    self.x = x
    self.y = y
    self.z = z
  }

  /// Makes a vector of a sample's components.
  init(_ vector: Vector3) {
    self.init(x: Int64(vector.x), y: Int64(vector.y), z: Int64(vector.z))
  }

  static let zero = Self(x: 0, y: 0, z: 0)

  static func + (a: Self, b: Self) -> Self { Self(x: a.x &+ b.x, y: a.y &+ b.y, z: a.z &+ b.z) }
  static func - (a: Self, b: Self) -> Self { Self(x: a.x &- b.x, y: a.y &- b.y, z: a.z &- b.z) }

  /// Applies `transform` to each component.
  func map(_ transform: (Int64) -> Int64) -> Self {
    Self(x: transform(x), y: transform(y), z: transform(z))
  }

  /// The scalar product.
  func dot(_ other: Self) -> Int64 { x &* other.x &+ y &* other.y &+ z &* other.z }

  /// `self` × `other`, shifted down to the units of one of them.
  func cross(_ other: Self, shift: Int) -> Self {
    Self(
      x: (y &* other.z &- z &* other.y).roundedShift(right: shift),
      y: (z &* other.x &- x &* other.z).roundedShift(right: shift),
      z: (x &* other.y &- y &* other.x).roundedShift(right: shift))
  }

  /// The length, rounded down, for components below 2^31.
  var length: UInt64 {
    (UInt64(x * x) + UInt64(y * y) + UInt64(z * z)).integerSquareRoot
  }

  /// The largest magnitude among the components.
  ///
  /// Without a branch on the sign, which is unpredictable for noise.
  var peak: Int64 {
    func magnitude(_ value: Int64) -> Int64 { (value ^ (value &>> 63)) &- (value &>> 63) }
    return max(magnitude(x), magnitude(y), magnitude(z))
  }

  /// The unit vector along this one in Q30, or `nil` for zero; components must be below 2^62.
  ///
  /// Error: at most one unit on each axis. Cost: one square root and one division in floating
  /// point; IEEE 754 defines their rounding, so every machine gives the same result.
  @inline(__always)
  var unit: Vector3? {
    let largest = peak
    guard largest > 0 else { return nil }
    // Use 30 bits of each component, so that squares fit and small vectors stay exact.
    let shift = Int64(largest.leadingZeroBitCount - 34)
    let scaled = shift >= 0 ? map { $0 &<< shift } : map { $0 &>> -shift }
    let squares = scaled.x &* scaled.x &+ scaled.y &* scaled.y &+ scaled.z &* scaled.z
    // The length is at least 2^29 and no component is longer: their products stay within 2^62.
    let inverse = Int64(0x1p62 / Double(squares).squareRoot())
    let unit = scaled.map { ($0 &* inverse).nearbyShift(right: 32) }
    return Vector3(
      x: Int32(truncatingIfNeeded: unit.x), y: Int32(truncatingIfNeeded: unit.y),
      z: Int32(truncatingIfNeeded: unit.z))
  }
}

extension Vector3 {
  /// The length, rounded down, exact for any components.
  var length: UInt64 {
    let squares =
      UInt64(x.magnitude) &* UInt64(x.magnitude)
      &+ UInt64(y.magnitude) &* UInt64(y.magnitude)
      &+ UInt64(z.magnitude) &* UInt64(z.magnitude)
    return squares.integerSquareRoot
  }

  /// The cosine of the angle between two unit vectors in Q30, in Q30.
  func cosine(to other: Self) -> Int64 {
    let sum = Int64(x) * Int64(other.x) + Int64(y) * Int64(other.y) + Int64(z) * Int64(other.z)
    return sum.roundedShift(right: 30)
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
