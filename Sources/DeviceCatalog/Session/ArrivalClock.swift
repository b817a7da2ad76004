/// Spaces the samples of a sensor that sends no time.
///
/// Notifications arrive in bunches, one connection interval apart, and their samples were not taken
/// so. The clock predicts each arrival from the last by the mean rate of the arrivals so far, which
/// begins as the nominal one, and follows an error by an eighth. A gap is not smoothed away: time
/// starts anew behind it. Everything is in whole microseconds.
struct ArrivalClock: Hashable, Sendable {
  private let nominal: Int64
  /// From sample to sample, as they came lately.
  private var period: Int64
  private var lastArrival: Int64?
  /// The last sample's time as it was given out.
  private var last: Int64?

  /// How far an arrival may be from its prediction before it counts as a gap.
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
    let span = period * Int64(count)
    let times: [Int64]
    if let last, let lastArrival, abs(arrival - last - span) <= max(4 * period, Self.leastGap) {
      times = evenly(count, from: last, to: last + span + (arrival - last - span) / 8)
      let observed = (arrival - lastArrival) / Int64(count)
      period = min(max(period + (observed - period) / 32, nominal / 8, 1), nominal * 8)
    } else {
      times = evenly(
        count, from: last.map { max($0, arrival - span) } ?? arrival - span, to: arrival)
    }
    lastArrival = arrival
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
