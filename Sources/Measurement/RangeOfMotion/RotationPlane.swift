import FixedPoint
import Motion

/// The plane in which "up" rotates while a limb turns about a joint's axis.
///
/// The axis is the direction in which "up" varies least. About a level axis "up" stays in a plane
/// through the origin; about a tilted one in a parallel plane, which is used if it fits the
/// movement clearly better.
struct RotationPlane: Hashable, Sendable {
  /// The joint's axis in the sensor's frame, Q30.
  let axis: Vector3
  /// The directions in the plane with an elevation of 0° and 90°, Q30.
  private let level: Vector3
  private let upright: Vector3

  /// Whether the axis was within 30° of the vertical, where "up" hardly moves.
  let isUpright: Bool

  /// Fits the plane to a series of unit vectors (Q30); `nil` if none fits.
  init?(_ ups: [Vector3]) {
    let through = Scatter(ups, isCentred: false)
    let beside = Scatter(ups, isCentred: true)
    guard let plain = through.leastAxis, let tilted = beside.leastAxis else { return nil }
    let misfit = through.spread(along: plain)
    let tiltedMisfit = beside.spread(along: tilted)
    // 0.7° out of the plane is more than noise; a third of the deviation is a ninth of the square.
    let isTilted = misfit > Self.noticeable && tiltedMisfit < misfit / 9
    guard (isTilted ? tiltedMisfit : misfit) < Self.tolerated else { return nil }
    let axis = Self.oriented(isTilted ? tilted : plain)
    self.init(axis: axis, isUpright: ups.contains { abs($0.cosine(to: axis)) > Self.steepest })
  }

  private init?(axis: Vector3, isUpright: Bool) {
    guard let zero = Self.reference(axis),
      let quarter = WideVector(zero).cross(WideVector(axis), shift: 30).unit
    else { return nil }
    self.axis = axis
    self.isUpright = isUpright
    level = zero
    upright = quarter
  }

  /// The same plane with its axis in the half space of another's.
  func pointing(along other: Self) -> Self? {
    guard axis.cosine(to: other.axis) < 0 else { return self }
    return Self(axis: Vector3(x: -axis.x, y: -axis.y, z: -axis.z), isUpright: isUpright)
  }

  /// 90° less the elevation of the sensor's long side in the rotation about the axis, in
  /// microdegrees.
  func angle(of up: Vector3) -> Int64 {
    90_000_000 - CORDIC.atan2(y: up.cosine(to: upright), x: up.cosine(to: level))
  }

  /// sin² 0.7° and sin² 8° in Q30: the least deviation from the plane above noise, and the largest
  /// of a hinge joint.
  private static let noticeable: Int64 = 160_261
  private static let tolerated: Int64 = 20_797_000
  /// cos 30° in Q30.
  private static let steepest: Int64 = 929_887_697

  /// Of the axis's two directions the one whose largest component is positive, so that the sign of
  /// a movement does not depend on its first direction.
  private static func oriented(_ axis: Vector3) -> Vector3 {
    let wide = WideVector(axis)
    let largest = [wide.x, wide.y, wide.z].max { abs($0) < abs($1) } ?? 0
    return largest < 0 ? Vector3(x: -axis.x, y: -axis.y, z: -axis.z) : axis
  }

  /// The direction in the plane that is up when the sensor lies on its back: its z axis, or its y
  /// axis where the joint's axis is near z.
  private static func reference(_ axis: Vector3) -> Vector3? {
    let one: Int64 = 1 << 30
    let isNearZ = abs(Int64(axis.z)) > 759_250_125
    let side = isNearZ ? WideVector(x: 0, y: one, z: 0) : WideVector(x: 0, y: 0, z: one)
    let along = isNearZ ? Int64(axis.y) : Int64(axis.z)
    let shadow = WideVector(axis).map { ($0 * along).roundedShift(right: 30) }
    return (side - shadow).unit
  }
}

/// The scatter of unit vectors: the mean products of their components, a symmetric matrix in Q30.
private struct Scatter: Hashable, Sendable {
  private var xx: Int64 = 0
  private var xy: Int64 = 0
  private var xz: Int64 = 0
  private var yy: Int64 = 0
  private var yz: Int64 = 0
  private var zz: Int64 = 0
  private let count: Int64

  /// Sums up vectors in Q30, about their mean where `isCentred`, else about the origin.
  init(_ vectors: [Vector3], isCentred: Bool) {
    count = Int64(vectors.count)
    let mean = isCentred ? Self.mean(of: vectors) : .zero
    for vector in vectors {
      let v = WideVector(vector) - mean
      xx += (v.x * v.x) >> 30
      xy += (v.x * v.y) >> 30
      xz += (v.x * v.z) >> 30
      yy += (v.y * v.y) >> 30
      yz += (v.y * v.z) >> 30
      zz += (v.z * v.z) >> 30
    }
    for part in [\Self.xx, \.xy, \.xz, \.yy, \.yz, \.zz] {
      self[keyPath: part] = self[keyPath: part].roundedDivision(by: count)
    }
  }

  private static func mean(of vectors: [Vector3]) -> WideVector {
    let sum = vectors.reduce(WideVector.zero) { $0 + WideVector($1) }
    return sum.map { $0.roundedDivision(by: Int64(vectors.count)) }
  }

  /// The mean square along a unit vector (Q30), in Q30.
  func spread(along axis: Vector3) -> Int64 {
    let a = WideVector(axis)
    let row = apply(to: a)
    return (row.x * a.x + row.y * a.y + row.z * a.z).roundedShift(right: 30)
  }

  /// The unit vector (Q30) along which the vectors scatter least; `nil` without vectors.
  ///
  /// Power iteration on trace - matrix, whose strongest direction is the least one of the matrix:
  /// sixteen squarings give its 65 536th power.
  var leastAxis: Vector3? {
    guard count > 0 else { return nil }
    let trace = xx + yy + zz
    var power = self
    power.xx = trace - xx
    power.yy = trace - yy
    power.zz = trace - zz
    power.xy = -xy
    power.xz = -xz
    power.yz = -yz
    for _ in 0..<16 { power = power.normalised.squared }
    let columns = [
      WideVector(x: power.xx, y: power.xy, z: power.xz),
      WideVector(x: power.xy, y: power.yy, z: power.yz),
      WideVector(x: power.xz, y: power.yz, z: power.zz),
    ]
    return columns.max { $0.peak < $1.peak }?.unit
  }

  private func apply(to v: WideVector) -> WideVector {
    WideVector(
      x: (xx * v.x + xy * v.y + xz * v.z).roundedShift(right: 30),
      y: (xy * v.x + yy * v.y + yz * v.z).roundedShift(right: 30),
      z: (xz * v.x + yz * v.y + zz * v.z).roundedShift(right: 30))
  }

  /// The matrix scaled so that its largest entry, which is on its diagonal, is near one.
  private var normalised: Self {
    let largest = max(xx, yy, zz, 1)
    var result = self
    for part in [\Self.xx, \.xy, \.xz, \.yy, \.yz, \.zz] {
      result[keyPath: part] = self[keyPath: part].scaled(by: 1 << 30, over: largest)
    }
    return result
  }

  private var squared: Self {
    let x = apply(to: WideVector(x: xx, y: xy, z: xz))
    let y = apply(to: WideVector(x: xy, y: yy, z: yz))
    let z = apply(to: WideVector(x: xz, y: yz, z: zz))
    var result = self
    result.xx = x.x
    result.xy = x.y
    result.xz = x.z
    result.yy = y.y
    result.yz = y.z
    result.zz = z.z
    return result
  }
}
