import FixedPoint

/// The two turns of an excursion, from the gyroscope.
///
/// Turning is the angular rate about up. Smoothed over nearly a step it has two peaks; a turn lasts
/// while the rate is above two fifths of its peak (against video: start and end within 0.2 s).
struct TurnPair: Hashable, Sendable {
  /// Cells over which the rate is smoothed, so that the swing of the leg averages out: 0.4 s.
  static let width = 21
  /// The least angle in thousandths of a degree between a turn's ends, of the 180° that it should be.
  static let leastAngle: Int64 = 60_000

  /// The cells of the turn at the mark, and of the one before the chair.
  let first: Range<Int>
  let second: Range<Int>
  /// The fastest turning in either, in thousandths of a degree a second.
  let peak: Int64

  /// Finds the turns between standing and sitting; `nil` where there are not two.
  init?(of thigh: ThighCourse, in excursion: Excursion) {
    guard thigh.course.hasRates else { return nil }
    let offset = excursion.rise
    var turning = Self.turning(of: thigh, in: excursion)
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
  private static func turning(of thigh: ThighCourse, in excursion: Excursion) -> [Int64] {
    let rates = thigh.course.rates
    // What the gyroscope reads while the thigh rests is its bias.
    let still = rates[max(excursion.onset - Excursion.rest, 0)..<excursion.onset]
    let count = Int64(still.count)
    let bias = still.reduce(.zero, +).map { $0.roundedDivision(by: count) }
    let margin = max(excursion.rise - width, 0)
    let yaws = (margin..<min(excursion.settling + width, rates.count)).map { index in
      let rate = rates[index] - bias
      let up = WideVector(thigh.ups[index])
      return (rate.x * up.x + rate.y * up.y + rate.z * up.z).roundedShift(right: 30)
    }
    let smooth = yaws.smoothed(over: width)
    return smooth[(excursion.rise - margin)..<(excursion.settling - margin)].map { abs($0) }
  }

  /// The strongest turn, which is taken out of `turning`.
  private static func takeTurn(
    from turning: inout [Int64]
  ) -> (cells: Range<Int>, peak: Int64)? {
    guard let top = turning.indices.max(by: { turning[$0] < turning[$1] }) else { return nil }
    let peak = turning[top]
    let isTurning = { (rate: Int64) in rate * 5 > peak * 2 }
    let begin = turning[..<top].lastIndex { !isTurning($0) }.map { $0 + 1 } ?? 0
    let end = turning[top...].firstIndex { !isTurning($0) } ?? turning.count
    guard begin < end else { return nil }
    let angle = turning[begin..<end].reduce(0, +) * EvenCourse.cell / 1_000_000
    for index in begin..<end { turning[index] = 0 }
    return angle >= leastAngle ? (begin..<end, peak) : nil
  }
}
