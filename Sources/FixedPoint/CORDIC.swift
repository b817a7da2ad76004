/// Angle and length of a plane vector with shifts and additions only.
///
/// Volder's rotation in vectoring mode: the vector is rotated onto the positive x axis by
/// decreasing angles whose tangents are powers of two. Inputs are first scaled to 60 bits, so small
/// vectors are as exact as large ones. Cost: 30 steps of two shifts and three additions.
///
/// Error against float64 over the range of Int32: angle at most 1 microdegree (half of it the
/// rounding of the result), length at most 2 parts in 10^9 or one half.
public enum CORDIC {
  /// The angle of (`x`, `y`) from the positive x axis in microdegrees.
  ///
  /// -180 000 000 exclusive to 180 000 000, counter-clockwise is positive; 0 for the origin.
  @inlinable
  public static func atan2(y: Int64, x: Int64) -> Int64 {
    polar(y: y, x: x).angle
  }

  /// The length of (`x`, `y`), rounded to nearest and saturated at `Int64.max`.
  @inlinable
  public static func magnitude(y: Int64, x: Int64) -> Int64 {
    polar(y: y, x: x).magnitude
  }

  /// Angle in microdegrees and length of (`x`, `y`), both as in `atan2` and `magnitude`.
  public static func polar(y: Int64, x: Int64) -> (angle: Int64, magnitude: Int64) {
    let largest = max(x.magnitude, y.magnitude)
    guard largest > 0 else { return (0, 0) }
    // Bring the larger component to 60 bits: the growth by 1.6468 · √2 then stays below 2^63.
    let shift = largest.leadingZeroBitCount - 4
    var u = scaled(x, by: shift)
    var v = scaled(y, by: shift)
    var angle: Int64 = 0
    if u < 0 {
      angle = v < 0 ? -halfTurn : halfTurn
      u = -u
      v = -v
    }
    for step in 0..<steps {
      let du = u >> Int64(step)
      let dv = v >> Int64(step)
      if v > 0 {
        u += dv
        v -= du
        angle += arctangents[step]
      } else {
        u -= dv
        v += du
        angle -= arctangents[step]
      }
    }
    return (rounded(angle), length(u, shift: shift))
  }

  /// `value` · 2^`shift`; a shift to the right rounds down.
  private static func scaled(_ value: Int64, by shift: Int) -> Int64 {
    shift >= 0 ? value << Int64(shift) : value >> Int64(-shift)
  }

  /// An angle in units of `halfTurn` / 180 degrees as microdegrees in (-180°, 180°].
  private static func rounded(_ angle: Int64) -> Int64 {
    let (quotient, remainder) = angle.quotientAndRemainder(dividingBy: unitsPerMicrodegree)
    let half = unitsPerMicrodegree / 2
    let nearest = quotient + (remainder >= half ? 1 : remainder < -half ? -1 : 0)
    return nearest <= -180_000_000 ? nearest + 360_000_000 : nearest
  }

  /// The length of a rotated vector, without the growth of the rotation and the scale.
  private static func length(_ grown: Int64, shift: Int) -> Int64 {
    let product = max(grown, 0).multipliedFullWidth(by: inverseGrowth).high
    // The high word of a Q62 factor has two bits too few: the value is product · 4.
    guard shift < 2 else { return product.roundedShift(right: shift - 2) }
    return product.multipliedReportingOverflow(by: 1 << Int64(2 - shift)).overflow
      ? .max : product << Int64(2 - shift)
  }

  private static let steps = arctangents.count
  private static let unitsPerMicrodegree: Int64 = 1_000_000
  private static let halfTurn: Int64 = 180_000_000 * unitsPerMicrodegree
  /// Π cos(atan 2^-k) over the steps, in Q62.
  private static let inverseGrowth: Int64 = 2_800_459_870_029_452_956
  /// atan 2^-k in 10^-12 degrees, for k from 0, rounded from 40 digits.
  private static let arctangents: [Int64] = [
    45_000_000_000_000, 26_565_051_177_078, 14_036_243_467_926, 7_125_016_348_902,
    3_576_334_374_997, 1_789_910_608_246, 895_173_710_211, 447_614_170_861, 223_810_500_369,
    111_905_677_066, 55_952_891_894, 27_976_452_617, 13_988_227_142, 6_994_113_675,
    3_497_056_851, 1_748_528_427, 874_264_214, 437_132_107, 218_566_053, 109_283_027,
    54_641_513, 27_320_757, 13_660_378, 6_830_189, 3_415_095, 1_707_547, 853_774, 426_887,
    213_443, 106_722,
  ]
}
