import Motion
import Testing

@testable import Measurement
@testable import TestSupport

struct StreamMonitorTests {
  private func quality(_ times: [Int64]) -> SignalQuality {
    var monitor = StreamMonitor()
    for time in times {
      _ = monitor.judge(MotionSample(time: time, acceleration: .g(0, 0, 1)))
    }
    return monitor.quality
  }

  @Test
  func `times are sorted into first, next and out of order`() {
    var monitor = StreamMonitor()
    let arrivals = [5, 5, 4, 10, 1_000_010, 2_000_011, 2_000_012].map { time in
      monitor.judge(MotionSample(time: time, acceleration: .g(0, 0, 1)))
    }
    #expect(
      arrivals == [
        .first, .outOfOrder, .outOfOrder, .next(interval: 5), .next(interval: 1_000_000), .first,
        .next(interval: 1),
      ])
    #expect(monitor.quality.samples == 5)
    #expect(monitor.quality.repeated == 1)
    #expect(monitor.quality.outOfOrder == 1)
    #expect(monitor.quality.gaps == 1)
    #expect(monitor.quality.duration == 1_000_006)
  }

  @Test
  func `the ends of time are a gap`() {
    #expect(quality([.min, .max, 0]).gaps == 1)
    #expect(quality([.min, .max, 0]).outOfOrder == 1)
  }

  @Test
  func `the rate leaves gaps out`() {
    let times =
      (0..<100).map { Int64($0) * 40_000 } + (0..<100).map { 90_000_000 + Int64($0) * 40_000 }
    #expect(quality(times).rate == 25_000)
    #expect(quality([0]).rate == nil)
  }

  static let verdicts: [([Int64], SignalQuality.Verdict)] = [
    ([], .refused(.noSamples)),
    ([0], .refused(.noSamples)),
    ((0..<500).map { $0 * 100_000 }, .good),
    ((0..<500).map { $0 * 125_000 }, .refused(.rateTooLow)),
    ((0..<500).map { $0 * 200_000 }, .refused(.rateTooLow)),
    // 12.5 Hz with every fifth sample lost is not a slow sensor.
    ((0..<500).filter { $0 % 5 != 0 }.map { $0 * 80_000 }, .good),
    ((0..<50).map { $0 * 40_000 } + [1, 2], .low),
    // Batches of three samples with one time.
    ((0..<150).map { $0 / 3 * 40_000 }, .good),
    // 50 Hz with holes of half a second: of 20 s in all 1 s is missing, then 1.5 s.
    ((0..<1000).filter { $0 % 500 >= 25 }.map { $0 * 20_000 }, .good),
    ((0..<1000).filter { $0 % 333 >= 25 }.map { $0 * 20_000 }, .low),
    // A gap of 4 s in 40.
    ((0..<1000).filter { !(400..<500).contains($0) }.map { $0 * 40_000 }, .low),
    ([.min, .max], .refused(.noSamples)),
    ([.min, .max - 1, .max], .low),
  ]

  @Test(arguments: verdicts)
  func `the verdict follows the intervals`(times: [Int64], verdict: SignalQuality.Verdict) {
    #expect(quality(times).verdict == verdict)
  }

  @Test
  func `a sensor without gravity measures nothing reliable`() {
    var monitor = StreamMonitor()
    for index in 0..<100 {
      let acceleration: Vector3 = index % 5 < 3 ? .g(0.2, -0.29, 0) : .g(0, 0.3, 1)
      _ = monitor.judge(MotionSample(time: Int64(index) * 10_000, acceleration: acceleration))
    }
    #expect(monitor.quality.weightless == 60)
    #expect(monitor.quality.verdict == .low)
  }

  @Test
  func `a component stuck beyond any resting value is saturated`() {
    var monitor = StreamMonitor()
    for index in 0..<10 {
      let x: Int32 = (3...6).contains(index) ? 2_000_000 : Int32(index)
      _ = monitor.judge(
        MotionSample(time: Int64(index), acceleration: Vector3(x: x, y: 1_000_000, z: 0)))
    }
    #expect(monitor.quality.saturated == 2)
  }
}
