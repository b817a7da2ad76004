/// Spaces the samples of a sensor that sends no time.
///
/// Notifications arrive in bunches, one connection interval apart, and their samples were not taken
/// so. The clock predicts each arrival from the last with the rate it has seen, follows a small
/// error slowly (an alpha-beta filter in microseconds, gains 1/8 and 1/64), and starts anew after a
/// gap, so that a lost link is not smoothed away.
struct ArrivalClock: Hashable, Sendable {
  private let nominal: Int64
  /// Microseconds from sample to sample as they came lately.
  private var period: Int64
  private var last: Int64?

  /// How far an arrival may be from its prediction before it counts as a gap, in microseconds.
  static let leastGap: Int64 = 150_000

  /// Makes a clock for a stream of `milliHertz` thousandths of a sample a second.
  init(milliHertz: Int) {
    nominal = max(1, 1_000_000_000 / Int64(max(1, milliHertz)))
    period = nominal
  }

  /// The times of `count` samples of which the last has just arrived, in microseconds since 1970,
  /// rising.
  mutating func times(count: Int, arrival: Int64) -> [Int64] {
    guard count > 0 else { return [] }
    let samples = Int64(count)
    let predicted = last.map { $0 + period * samples } ?? arrival
    let error = arrival - predicted
    let times: [Int64]
    if let last, abs(error) <= max(4 * period, Self.leastGap) {
      times = evenly(count, from: last, to: predicted + error / 8)
      let followed = period + error / (64 * samples)
      period = min(max(followed, nominal / 8, 1), nominal * 8)
    } else {
      period = nominal
      let start = arrival - period * samples
      times = evenly(count, from: last.map { max($0, start) } ?? start, to: arrival)
    }
    last = times.last
    return times
  }
}

/// `count` rising times, evenly spread from `start` (without it) to `end`; one microsecond apart
/// where the span is too short or runs backwards.
func evenly(_ count: Int, from start: Int64, to end: Int64) -> [Int64] {
  guard count > 0 else { return [] }
  let parts = Int64(count)
  let (whole, rest) = max(end - start, parts).quotientAndRemainder(dividingBy: parts)
  return (1...parts).map { start + whole * $0 + rest * $0 / parts }
}
