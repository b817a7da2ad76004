import Care
import Foundation
import Motion

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
