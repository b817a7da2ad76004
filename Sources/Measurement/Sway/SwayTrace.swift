import FixedPoint
import Motion

/// The level part of the lower back's acceleration, to the front and to the side.
struct SwayTrace: Hashable, Sendable {
  /// Micro-hertz above which acceleration is no sway: Mancini's low-pass, 3.5 Hz.
  static let cutoff: Int64 = 3_500_000
  /// cos 30° in Q30: an axis nearer to the vertical does not tell front from side.
  static let steepest: Int64 = 929_887_697

  /// Anteroposterior acceleration in micrometres per square second, 50 a second, mean 0.
  let anteroposterior: [Int64]
  /// Mediolateral acceleration likewise.
  let mediolateral: [Int64]

  /// Resolves forces (micro-g, 50 a second) along level directions (Moe-Nilssen 1998).
  ///
  /// Up is the mean force; the front is what of `axis` is level. `nil` where that is too little.
  init?(_ forces: [WideVector], axis: Axis) {
    let sum = forces.reduce(WideVector.zero, +)
    guard let up = sum.unit.map(WideVector.init) else { return nil }
    let along = Self.dot(up, axis.direction, shift: 30)
    guard abs(along) <= Self.steepest,
      let front = (axis.direction - up.map { ($0 * along).roundedShift(right: 30) }).unit
        .map(WideVector.init),
      let side = up.cross(front, shift: 30).unit.map(WideVector.init)
    else { return nil }
    anteroposterior = Self.course(forces, along: front)
    mediolateral = Self.course(forces, along: side)
  }

  /// The smoothed acceleration along a direction, less its mean.
  private static func course(_ forces: [WideVector], along direction: WideVector) -> [Int64] {
    // Micro-g with 6 fractional bits, so that the filter rounds below the noise of any sensor.
    let smooth = zeroPhase(forces.map { Int32(clamping: dot($0, direction, shift: 24)) })
    // 9.80665 µm/s² a micro-g.
    let accelerations = smooth.map { (Int64($0) * 980_665).roundedDivision(by: 6_400_000) }
    let count = Int64(max(accelerations.count, 1))
    let mean = accelerations.reduce(0, +).roundedDivision(by: count)
    return accelerations.map { $0 - mean }
  }

  /// A second-order Butterworth forwards and backwards: fourth order, no lag.
  private static func zeroPhase(_ values: [Int32]) -> [Int32] {
    let rate = 1_000_000_000_000 / UniformForce.cell
    guard let design = BiquadCoefficients.lowPass(cutoff: cutoff, rate: rate) else { return values }
    func filtered(_ values: some Sequence<Int32>) -> [Int32] {
      var filter = Biquad(design)
      var isSettled = false
      return values.map { value in
        if !isSettled { filter.settle(at: value) }
        isSettled = true
        return filter.filter(value)
      }
    }
    return filtered(filtered(values).reversed()).reversed()
  }

  private static func dot(_ a: WideVector, _ b: WideVector, shift: Int) -> Int64 {
    (a.x * b.x + a.y * b.y + a.z * b.z).roundedShift(right: shift)
  }
}
