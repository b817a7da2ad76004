import FixedPoint

/// A vector in 64 bits: specific force in micro-g with 8 fractional bits, or a turn in Q28 radians.
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

  static func + (a: Self, b: Self) -> Self { Self(x: a.x + b.x, y: a.y + b.y, z: a.z + b.z) }
  static func - (a: Self, b: Self) -> Self { Self(x: a.x - b.x, y: a.y - b.y, z: a.z - b.z) }

  /// Each component put through `transform`.
  func map(_ transform: (Int64) -> Int64) -> Self {
    Self(x: transform(x), y: transform(y), z: transform(z))
  }

  /// `self` × `other`, shifted down to the units of one of them.
  func cross(_ other: Self, shift: Int) -> Self {
    Self(
      x: (y * other.z - z * other.y).roundedShift(right: shift),
      y: (z * other.x - x * other.z).roundedShift(right: shift),
      z: (x * other.y - y * other.x).roundedShift(right: shift))
  }

  /// The largest magnitude among the components.
  var peak: Int64 { max(abs(x), abs(y), abs(z)) }

  /// The unit vector along this one in Q30, or `nil` for none; components must be below 2^62.
  var unit: Vector3? {
    guard peak > 0 else { return nil }
    // Use 31 bits of each component, so that squares fit and small vectors stay exact.
    let shift = peak.leadingZeroBitCount - 33
    let scaled = map { shift >= 0 ? $0 << Int64(shift) : $0 >> Int64(-shift) }
    let squares = scaled.x * scaled.x + scaled.y * scaled.y
    let length = Int64((UInt64(squares) + UInt64(scaled.z * scaled.z)).integerSquareRoot)
    let unit = scaled.map { ($0 << 30).roundedDivision(by: length) }
    return Vector3(
      x: Int32(clamping: unit.x), y: Int32(clamping: unit.y), z: Int32(clamping: unit.z))
  }
}
