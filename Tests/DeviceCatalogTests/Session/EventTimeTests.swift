import Care
import Foundation
import Motion
import Testing
import TestSupport

@testable import DeviceCatalog

/// Two clocks, of which one is set.
@Suite struct EventTimeTests {
  @Test func `a deadline that is fired at its date is due, however the clock was set`() {
    var random = SeededGenerator(seed: 9)
    for _ in 0..<1000 {
      let setting = Double.random(in: -1e9...1e9, using: &random)
      let date = SessionBench.start + Double.random(in: -1e9...1e9, using: &random)
      let due = EventTime(date, setting: setting).steady + Double.random(in: 0...99, using: &random)
      #expect(EventTime(due.date(setting: setting), setting: setting).steady == due)
    }
  }

  @Test func `the steady time goes on while the clock is set`() {
    let before = EventTime(SessionBench.start)
    let after = EventTime(SessionBench.start + 5 - 86_400, setting: -86_400)
    #expect(after.steady - before.steady == 5)
    #expect(after.date(of: before) == SessionBench.start - 86_400)
    #expect(before.date(of: before) == SessionBench.start)
  }

  @Test(arguments: [-Double.infinity, -1e300, -1e15, 0, .nan, 1e15, 1e300, .infinity])
  func `no number ends the program`(seconds: Double) {
    let time = EventTime(Date(timeIntervalSinceReferenceDate: seconds), setting: -seconds)
    #expect(time.at(time.steady + seconds).steady <= .distantFuture)
    #expect((time.steady - (time.steady + seconds)).isFinite)
  }

  /// A strap of 50 samples a second, one a notification.
  @Test(arguments: [-86_400.0, 0.7, 86_400])
  func `the times of motion go on evenly`(jump: Double) {
    var timeline = MotionTimeline(milliHertz: 50_000)
    let frame = MotionFrame(
      samples: [MotionSample(time: 0, acceleration: Vector3(x: 0, y: 0, z: 1_000_000))])
    let times = (0..<100).flatMap { index in
      let setting = index < 50 ? 0 : jump
      let arrival = EventTime(SessionBench.start + Double(index) / 50 + setting, setting: setting)
      return timeline.batch(frame, device: DeviceIdentity(address: "strap"), arrival: arrival)
        .samples.map { $0.time - setting.wholeMicroseconds }
    }
    #expect(zip(times, times.dropFirst()).allSatisfy { $1 - $0 == 20_000 })
  }
}
