import Care
import Foundation
import Motion

// MARK: - By arrival

/// Assigns times to the samples of a sensor that sends no time.
///
/// Notifications arrive in bursts, one connection interval apart; the samples were taken at even
/// intervals. The clock predicts each arrival from the last by the mean rate of the arrivals, which
/// begins at the nominal one, and corrects an error by an eighth. After a gap it starts again from
/// the arrival. All times are integers in microseconds.
struct ArrivalClock: Hashable, Sendable {
  private let nominal: Int64
  /// The recent interval between samples.
  private var period: Int64
  private var lastArrival: Int64?
  /// The assigned time of the last sample.
  private var last: Int64?

  /// The smallest error of a prediction that counts as a gap.
  static let leastGap: Int64 = 150_000

  /// Makes a clock for a stream of `milliHertz` thousandths of a sample a second.
  init(milliHertz: Int) {
    nominal = max(1, 1_000_000_000 / Int64(max(1, milliHertz)))
    period = nominal
  }

  /// The times of `count` samples, the last of which has just arrived, in microseconds since 1970,
  /// ascending.
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

/// `count` ascending times, evenly distributed from `start` (exclusive) to `end`; one microsecond
/// apart if the span is too short or negative.
func evenly(_ count: Int, from start: Int64, to end: Int64) -> [Int64] {
  guard count > 0 else { return [] }
  let parts = Int64(count)
  let (whole, rest) = max(end - start, parts).quotientAndRemainder(dividingBy: parts)
  return (1...parts).map { start + whole * $0 + rest * $0 / parts }
}

// MARK: - By the sensor's clock

/// Assigns times to the samples of a sensor that sends the time of the last sample of each frame.
///
/// Samples are distributed between the last ones of two frames, because the actual rate of a sensor
/// differs from the nominal one. The sensor's clock gives only differences: it is set to the
/// arrival of the first frame, and set again when the two differ by more than two seconds.
struct StreamClock: Hashable, Sendable {
  /// The nominal interval between samples in microseconds.
  private let nominal: Int64
  /// The sensor's time of the last sample in microseconds.
  private var lastDevice: Int64?
  /// The assigned time of the last sample in microseconds since 1970.
  private var last: Int64?
  /// The offset of the sensor's time.
  private var offset: Int64 = 0

  /// The maximum difference between the sensor's clock and the arrival, in microseconds.
  static let tolerance: Int64 = 2_000_000

  /// Makes a clock for a stream of `milliHertz` thousandths of a sample a second.
  init(milliHertz: Int) {
    nominal = max(1, 1_000_000_000 / Int64(max(1, milliHertz)))
  }

  /// The times of `count` samples in microseconds since 1970, ascending.
  mutating func times(count: Int, lastNanoseconds: UInt64, arrival: Int64) -> [Int64] {
    guard count > 0 else { return [] }
    let device = Int64(lastNanoseconds / 1000)
    let length = nominal * Int64(count)
    if lastDevice == nil || abs(arrival - (device + offset)) > Self.tolerance {
      offset = arrival - device
    }
    let end = device + offset
    // After a gap the samples belong to its end and are not distributed over it.
    let follows = lastDevice.map { device > $0 && device - $0 <= 2 * length } ?? false
    let start = last.map { follows ? $0 : max($0, end - length) } ?? end - length
    let times = evenly(count, from: start, to: end)
    lastDevice = device
    last = times.last
    return times
  }
}

// MARK: - Timeline

/// Assigns times to the motion samples of one source.
struct MotionTimeline: Sendable {
  private let milliHertz: Int
  private var arrivals: ArrivalClock
  private var stream: StreamClock

  /// Times within a few thousand years of 1970, so that sums of times cannot overflow `Int64`.
  private static let plausible = -100_000_000_000_000_000...Int64(100_000_000_000_000_000)

  /// Makes the timeline of a stream at a nominal rate.
  init(milliHertz: Int) {
    self.milliHertz = milliHertz
    arrivals = ArrivalClock(milliHertz: milliHertz)
    stream = StreamClock(milliHertz: milliHertz)
  }

  private static func bounded(_ microseconds: Int64) -> Int64 {
    min(max(microseconds, plausible.lowerBound), plausible.upperBound)
  }

  /// The batch of a frame that was received at `arrival`.
  mutating func batch(_ frame: MotionFrame, device: DeviceIdentity, arrival: EventTime)
    -> MotionBatch
  {
    // Steady times are counted, so that the times go on evenly when the wall clock is set.
    let setting = Self.bounded(arrival.setting.wholeMicroseconds)
    let now = Self.bounded(arrival.date.microseconds) - setting
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
      samples: zip(times, frame.samples).map { time, sample in sample.at(time + setting) })
  }
}
