import FixedPoint
import Motion

/// How unit vectors scatter: the mean products of their components, as a symmetric matrix in Q30.
struct Scatter: Hashable, Sendable {
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

  /// The unit vector (Q30) along which the vectors scatter least; `nil` where there are none.
  ///
  /// The matrix is turned upside down (trace - matrix), so that the least direction becomes the
  /// strongest, and squared until only that is left: sixteen squarings are its 65 536th power.
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
