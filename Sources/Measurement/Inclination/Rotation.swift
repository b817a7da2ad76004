import FixedPoint

/// A small turn of the sensor, and what it does to a direction that stays put in the room.
struct Rotation: Hashable, Sendable {
  /// The rotation vector in Q28 radians, no component beyond half a radian, and how often it is to
  /// be applied.
  let step: WideVector
  let repetitions: Int

  /// Thousandths of a degree a second that count as the most: twice what the fastest gyroscopes read.
  static let fastest: Int64 = 4_000_000
  /// The longest interval in microseconds that a turn is followed over.
  static let longestInterval: Int64 = 250_000

  /// The turn at `rate` (thousandths of a degree a second, at most `fastest`) over `interval`
  /// microseconds, at most `longestInterval`.
  init(rate: WideVector, interval: Int64) {
    // π / 180 · 10^-9 in Q28 is 314 411 / 2^26 to a millionth; the product stays below 2^59.
    let whole = rate.map {
      ($0.clamped(to: Self.fastest) * interval * 314_411).roundedShift(right: 26)
    }
    repetitions = 1 + Int(whole.peak >> 27)
    let parts = Int64(repetitions)
    step = whole.map { $0.roundedDivision(by: parts) }
  }

  /// Where a direction fixed in the room points for the sensor after the turn.
  ///
  /// Rodrigues' formula for -θ with sin θ / θ and (1 - cos θ) / θ² as series in θ², whose rest is
  /// below 10^-6 over the step's length. Components must be below 2^33.
  func carry(_ vector: WideVector) -> WideVector {
    let square =
      (step.x * step.x + step.y * step.y + step.z * step.z).roundedShift(right: 28)
    let fourth = (square * square) >> 28
    let sixth = (fourth * square) >> 28
    let one: Int64 = 1 << 28
    let sine = one - square / 6 + fourth / 120 - sixth / 5_040
    let cosine = one / 2 - square / 24 + fourth / 720 - sixth / 40_320
    var result = vector
    for _ in 0..<repetitions {
      let first = step.cross(result, shift: 28)
      let second = step.cross(first, shift: 28)
      result =
        result - first.map { ($0 * sine).roundedShift(right: 28) }
        + second.map { ($0 * cosine).roundedShift(right: 28) }
    }
    return result
  }
}
