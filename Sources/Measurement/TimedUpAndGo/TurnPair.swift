import FixedPoint

/// The two turns of a trial, from the gyroscope.
///
/// The angular rate about up, smoothed over nearly a step, has two peaks; a turn lasts while the
/// rate is above two fifths of its peak (against video: start and end within 0.2 s).
struct TurnPair: Hashable, Sendable {
  /// Cells over which the rate is smoothed, so that the swing of the leg averages out: 0.4 s.
  static let width = 21
  /// The least angle of a turn in thousandths of a degree; a full one is 180°.
  private static let leastAngle: Int64 = 60_000

  /// The cells of the turn at the mark, and of the one before the chair.
  let first: Range<Int>
  let second: Range<Int>
  /// The fastest turning in either, in thousandths of a degree a second.
  let peak: Int64

  /// Finds the turns between standing and sitting; `nil` if there are not two.
  init?(of thigh: ThighSignals, in trial: UpAndGoTrial) {
    guard thigh.motion.hasRates else { return nil }
    let offset = trial.rise
    var turning = Self.turning(of: thigh, in: trial)
    guard let one = Self.takeTurn(from: &turning), let other = Self.takeTurn(from: &turning) else {
      return nil
    }
    peak = max(one.peak, other.peak)
    let isInOrder = one.cells.lowerBound < other.cells.lowerBound
    let (early, late) = isInOrder ? (one.cells, other.cells) : (other.cells, one.cells)
    first = early.lowerBound + offset..<early.upperBound + offset
    second = late.lowerBound + offset..<late.upperBound + offset
  }

  /// The speed of turning in thousandths of a degree a second, from the rise to the settling.
  private static func turning(of thigh: ThighSignals, in trial: UpAndGoTrial) -> [Int64] {
    let rates = thigh.motion.rates
    // The gyroscope's mean at rest is its bias.
    let still = rates[max(trial.onset - UpAndGoTrial.rest, 0)..<trial.onset]
    let count = Int64(still.count)
    let bias = still.reduce(.zero, +).map { $0.roundedDivision(by: count) }
    let margin = max(trial.rise - width, 0)
    let yaws = (margin..<min(trial.settling + width, rates.count)).map { index in
      let rate = rates[index] - bias
      let up = WideVector(thigh.ups[index])
      return (rate.x * up.x + rate.y * up.y + rate.z * up.z).roundedShift(right: 30)
    }
    let smooth = yaws.smoothed(over: width)
    return smooth[(trial.rise - margin)..<(trial.settling - margin)].map { abs($0) }
  }

  /// The strongest turn; its rates are set to zero in `turning`.
  private static func takeTurn(
    from turning: inout [Int64]
  ) -> (cells: Range<Int>, peak: Int64)? {
    guard let top = turning.indices.max(by: { turning[$0] < turning[$1] }) else { return nil }
    let peak = turning[top]
    let isTurning = { (rate: Int64) in rate * 5 > peak * 2 }
    let begin = turning[..<top].lastIndex { !isTurning($0) }.map { $0 + 1 } ?? 0
    let end = turning[top...].firstIndex { !isTurning($0) } ?? turning.count
    guard begin < end else { return nil }
    let angle = turning[begin..<end].reduce(0, +) * ResampledMotion.cell / 1_000_000
    for index in begin..<end { turning[index] = 0 }
    return angle >= leastAngle ? (begin..<end, peak) : nil
  }
}
