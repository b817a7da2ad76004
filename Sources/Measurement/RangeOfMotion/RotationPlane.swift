import FixedPoint
import Motion

/// The plane in which "up" goes round while a limb turns about a joint's axis.
///
/// The axis is the direction in which "up" varies least. About a level axis "up" keeps to a plane
/// through the origin; about a tilted one to a plane beside it, which is taken where it fits the
/// movement clearly better.
struct RotationPlane: Hashable, Sendable {
  /// The joint's axis in the sensor's frame, Q30.
  let axis: Vector3
  /// Where in the plane the elevation is 0° and 90°, Q30.
  private let level: Vector3
  private let upright: Vector3

  /// Whether the axis came within 30° of the vertical: "up" then hardly moves, whatever the limb does.
  let isUpright: Bool

  /// Finds the plane of a course of unit vectors (Q30); `nil` where they keep to none.
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
    self.init(axis: axis, isUpright: ups.contains { abs(Self.dot($0, axis)) > Self.steepest })
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

  /// The same plane with its axis turned round where it points away from another's.
  func pointing(along other: Self) -> Self? {
    guard Self.dot(axis, other.axis) < 0 else { return self }
    return Self(axis: Vector3(x: -axis.x, y: -axis.y, z: -axis.z), isUpright: isUpright)
  }

  /// 90° less how far the turn about the axis has lifted the sensor's long side, in microdegrees.
  func angle(of up: Vector3) -> Int64 {
    90_000_000 - CORDIC.atan2(y: Self.dot(up, upright), x: Self.dot(up, level))
  }

  /// sin² 0.7° and sin² 8° in Q30: a deviation from the plane that is not noise, and one that no hinge
  /// has.
  private static let noticeable: Int64 = 160_261
  private static let tolerated: Int64 = 20_797_000
  /// cos 30° in Q30.
  private static let steepest: Int64 = 929_887_697

  /// `a` · `b` in Q30.
  private static func dot(_ a: Vector3, _ b: Vector3) -> Int64 {
    let sum = Int64(a.x) * Int64(b.x) + Int64(a.y) * Int64(b.y) + Int64(a.z) * Int64(b.z)
    return sum.roundedShift(right: 30)
  }

  /// Of the axis's two directions the one whose largest component is positive, so that the same
  /// movement has the same sign whichever way it went first.
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
