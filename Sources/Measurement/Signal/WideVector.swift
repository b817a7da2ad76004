import FixedPoint
import Motion

/// A vector in 64 bits: specific force in micro-g with 8 fractional bits, or a turn in Q28 radians.
///
/// Sums and products are those without a check: whoever makes one keeps it within 64 bits, by limits
/// on what comes from outside, and says how.
struct WideVector: Hashable, Sendable {
  var x: Int64
  var y: Int64
  var z: Int64

  init(x: Int64, y: Int64, z: Int64) {
    self.x = x
    self.y = y
    self.z = z
  }

  /// Takes over the components of a sample's vector.
  init(_ vector: Vector3) {
    self.init(x: Int64(vector.x), y: Int64(vector.y), z: Int64(vector.z))
  }

  static let zero = Self(x: 0, y: 0, z: 0)

  static func + (a: Self, b: Self) -> Self { Self(x: a.x &+ b.x, y: a.y &+ b.y, z: a.z &+ b.z) }
  static func - (a: Self, b: Self) -> Self { Self(x: a.x &- b.x, y: a.y &- b.y, z: a.z &- b.z) }

  /// Each component put through `transform`.
  func map(_ transform: (Int64) -> Int64) -> Self {
    Self(x: transform(x), y: transform(y), z: transform(z))
  }

  /// `self` × `other`, shifted down to the units of one of them.
  func cross(_ other: Self, shift: Int) -> Self {
    Self(
      x: (y &* other.z &- z &* other.y).roundedShift(right: shift),
      y: (z &* other.x &- x &* other.z).roundedShift(right: shift),
      z: (x &* other.y &- y &* other.x).roundedShift(right: shift))
  }

  /// The largest magnitude among the components.
  ///
  /// Without a branch on a sign: that of noise nothing can foretell.
  var peak: Int64 {
    func magnitude(_ value: Int64) -> Int64 { (value ^ (value &>> 63)) &- (value &>> 63) }
    return max(magnitude(x), magnitude(y), magnitude(z))
  }

  /// The unit vector along this one in Q30, or `nil` for none; components must be below 2^62.
  ///
  /// Off by at most a unit on each axis. Cost: one square root and one division, the processor's own
  /// of floats: IEEE 754 says how both round to the last bit, so every machine gives the same.
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
