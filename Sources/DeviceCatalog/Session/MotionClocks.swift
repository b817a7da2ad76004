import Care
import Foundation
import Motion

// MARK: - By arrival

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

// MARK: - By the sensor's clock

/// Spaces the samples of a sensor that sends the time of the last sample of each frame.
///
/// Samples are spread between the last one of the frame before and the last one of this, since the
/// nominal rate of a sensor is not its real one. The sensor's clock tells only differences: it is
/// set against the arrival of the first frame, and anew when the two come apart by more than two
/// seconds.
struct StreamClock: Hashable, Sendable {
  /// Microseconds from sample to sample by the nominal rate.
  private let nominal: Int64
  /// The last sample's time by the sensor, in microseconds.
  private var lastDevice: Int64?
  /// The last sample's time as it was given out, in microseconds since 1970.
  private var last: Int64?
  /// What is added to the sensor's time.
  private var offset: Int64 = 0

  /// How far the sensor's clock and the arrival may come apart, in microseconds.
  static let tolerance: Int64 = 2_000_000

  /// Makes a clock for a stream of `milliHertz` thousandths of a sample a second.
  init(milliHertz: Int) {
    nominal = max(1, 1_000_000_000 / Int64(max(1, milliHertz)))
  }

  /// The times of `count` samples in microseconds since 1970, rising.
  mutating func times(count: Int, lastNanoseconds: UInt64, arrival: Int64) -> [Int64] {
    guard count > 0 else { return [] }
    let device = Int64(lastNanoseconds / 1000)
    let length = nominal * Int64(count)
    if lastDevice == nil || abs(arrival - (device + offset)) > Self.tolerance {
      offset = arrival - device
    }
    let end = device + offset
    // After a gap the samples belong to its end, not all over it.
    let follows = lastDevice.map { device > $0 && device - $0 <= 2 * length } ?? false
    let start = last.map { follows ? $0 : max($0, end - length) } ?? end - length
    let times = evenly(count, from: start, to: end)
    lastDevice = device
    last = times.last
    return times
  }
}

// MARK: - Timeline

/// Gives the motion samples of one source their times.
struct MotionTimeline: Sendable {
  private let milliHertz: Int
  private var arrivals: ArrivalClock
  private var stream: StreamClock

  /// Any time within a few thousand years of 1970, so that sums of times stay far from `Int64`'s
  /// ends.
  private static let sane = -100_000_000_000_000_000...Int64(100_000_000_000_000_000)

  /// Makes the timeline of a stream at a nominal rate.
  init(milliHertz: Int) {
    self.milliHertz = milliHertz
    arrivals = ArrivalClock(milliHertz: milliHertz)
    stream = StreamClock(milliHertz: milliHertz)
  }

  /// The batch that `frame` is, having arrived at `arrival`.
  mutating func batch(_ frame: MotionFrame, device: DeviceIdentity, arrival: Date) -> MotionBatch {
    let now = min(max(arrival.microseconds, Self.sane.lowerBound), Self.sane.upperBound)
    let times: [Int64]
    if let nanoseconds = frame.lastSampleNanoseconds {
      times = stream.times(
        count: frame.samples.count, lastNanoseconds: nanoseconds, arrival: now)
    } else {
      times = arrivals.times(count: frame.samples.count, arrival: now)
    }
    return MotionBatch(
      device: device, timeBase: frame.lastSampleNanoseconds == nil ? .arrival : .device,
      milliHertz: milliHertz,
      samples: zip(times, frame.samples).map { time, sample in sample.at(time) })
  }
}
