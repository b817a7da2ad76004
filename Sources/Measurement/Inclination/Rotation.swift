import FixedPoint

/// A small rotation of the sensor, applied to directions that are fixed in the room.
///
/// Stored as a matrix, which rotates each vector of a filter in nine multiplications.
struct Rotation: Hashable, Sendable {
  /// The clamp in thousandths of a degree a second: twice the range of the fastest gyroscopes.
  static let fastest: Int64 = 4_000_000
  /// The longest interval in microseconds over which a rotation is integrated.
  static let longestInterval: Int64 = 250_000
  /// The fractional bits of the rate in `init`, which preserve a small bias.
  static let rateBits = 4

  /// The rows of the matrix in Q28.
  private let rows: Rows
  /// How often it is applied: once, unless the rotation is too large for the series.
  private let repetitions: Int

  private struct Rows: Hashable, Sendable {
    let x: WideVector
    let y: WideVector
    let z: WideVector
  }

  /// The rotation at `rate` (sixteenths of a thousandth of a degree a second, at most `fastest`)
  /// over `interval` microseconds, at most 400 000.
  @inline(__always)
  init(rate: WideVector, interval: Int64) {
    let limit = Self.fastest << Int64(Self.rateBits)
    // π / 180 · 10^-9 in Q28 is 314 411 / 2^26 to a millionth; the product stays below 2^63.
    let scale = interval &* 314_411
    let whole = rate.map { ($0.clamped(to: limit) &* scale).nearbyShift(right: 26 + Self.rateBits) }
    // No component beyond half a radian.
    let parts = 1 &+ whole.peak &>> 27
    repetitions = Int(parts)
    rows = Self.matrix(parts == 1 ? whole : whole.map { $0.roundedDivision(by: parts) })
  }

  /// Rodrigues' formula for -θ: 1 - (sin θ / θ)·[θ]× + ((1 - cos θ) / θ²)·[θ]×².
  ///
  /// Both factors are series in θ². Their remainders are below 10^-6 at half a radian on each axis,
  /// and below 10^-11 for a limb at 100 samples a second.
  @inline(__always)
  private static func matrix(_ turn: WideVector) -> Rows {
    let one: Int64 = 1 << 28
    let xx = (turn.x &* turn.x).nearbyShift(right: 28)
    let yy = (turn.y &* turn.y).nearbyShift(right: 28)
    let zz = (turn.z &* turn.z).nearbyShift(right: 28)
    let square = xx &+ yy &+ zz
    // 1/6, 1/120 and 1/5 040, then 1/2, 1/24, 1/720 and 1/40 320, in Q28.
    let sine =
      one &- scaled(square, 44_739_243 &- scaled(square, 2_236_962 &- scaled(square, 53_261)))
    let cosine =
      one / 2
      &- scaled(square, 11_184_811 &- scaled(square, 372_827 &- scaled(square, 6_658)))
    let s = turn.map { ($0 &* sine).nearbyShift(right: 28) }
    let c = turn.map { ($0 &* cosine).nearbyShift(right: 28) }
    let xy = (c.x &* turn.y).nearbyShift(right: 28)
    let xz = (c.x &* turn.z).nearbyShift(right: 28)
    let yz = (c.y &* turn.z).nearbyShift(right: 28)
    func diagonal(_ other: Int64) -> Int64 { one &- (cosine &* other).nearbyShift(right: 28) }
    return Rows(
      x: WideVector(x: diagonal(yy &+ zz), y: xy &+ s.z, z: xz &- s.y),
      y: WideVector(x: xy &- s.z, y: diagonal(xx &+ zz), z: yz &+ s.x),
      z: WideVector(x: xz &+ s.y, y: yz &- s.x, z: diagonal(xx &+ yy)))
  }

  private static func scaled(_ a: Int64, _ b: Int64) -> Int64 { (a &* b) &>> 28 }

  /// A direction that is fixed in the room, in the sensor's frame after the rotation.
  ///
  /// Components must be below 2^33: three products of them with Q28 stay below 2^63.
  @inline(__always)
  func carry(_ vector: WideVector) -> WideVector {
    var result = apply(to: vector)
    var rest = repetitions &- 1
    while rest > 0 {
      result = apply(to: result)
      rest &-= 1
    }
    return result
  }

  @inline(__always)
  private func apply(to v: WideVector) -> WideVector {
    WideVector(
      x: (rows.x.x &* v.x &+ rows.x.y &* v.y &+ rows.x.z &* v.z).nearbyShift(right: 28),
      y: (rows.y.x &* v.x &+ rows.y.y &* v.y &+ rows.y.z &* v.z).nearbyShift(right: 28),
      z: (rows.z.x &* v.x &+ rows.z.y &* v.y &+ rows.z.z &* v.z).nearbyShift(right: 28))
  }
}
