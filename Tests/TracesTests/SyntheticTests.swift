import Care
import Foundation
import Measurement
import Motion
import Radio
import TestSupport
import Testing
import Traces

/// The synthetic sensors must match their documentation, or tests with them prove nothing.
@Suite struct SyntheticTests {
  @Test(arguments: [(90, 50), (108, 100), (125, 25)])
  func `walks at its cadence`(cadence: Int, rate: Int) {
    let samples = GaitModel(cadence: cadence, rate: rate).samples(seconds: 240)
    #expect(samples.count == 250 * rate)
    var counter = StepCounter()
    let steps = counter.add(contentsOf: samples).count + counter.finish().count
    #expect(abs(steps - 4 * cadence) <= 4 * cadence * 3 / 100)
  }

  @Test func `stands still around the walk`() {
    let samples = GaitModel(rate: 50, margin: 10).samples(seconds: 20)
    for sample in samples.prefix(500) + samples.suffix(500) {
      #expect(abs(sample.acceleration.y - 1_000_000) <= 10_000)
    }
  }

  @Test(arguments: [30_000, 78_000, 104_000, 140_000])
  func `bends by its range`(millidegrees: Int) throws {
    let samples = BendModel(range: millidegrees, repetitions: 2, rate: 100).samples
    let measured = try RangeOfMotion.measure(samples)
    #expect(abs(Int(measured.rangeMillidegrees) - millidegrees) < 500)
  }

  @Test func `gives the same events in order every time`() throws {
    let zone = try #require(TimeZone(identifier: "Europe/Berlin"))
    let sensors = SyntheticSensors(timeZone: zone)
    let start = try #require(Date(rfc3339: "2026-11-02T07:05:00+01:00"))
    let uses = [
      sensors.weighIn(at: start, steps5g: 16_430, impedance: 500),
      sensors.walk(at: start, seconds: 20, cadence: 108, heartRate: 96),
      sensors.kneeBends(at: start, range: 90_000, repetitions: 1),
    ]
    for events in uses {
      #expect(events.map(\.time) == events.map(\.time).sorted() && events[0].time == start)
    }
    #expect(uses[1] == sensors.walk(at: start, seconds: 20, cadence: 108, heartRate: 96))
  }

  @Test func `makes every part`() throws {
    let event = TimedEvent(
      time: Date(timeIntervalSince1970: 0), event: .connected(DeviceAddress(rawValue: 1)))
    var trace = SyntheticTrace([{ [event] }, { [] }, { [event, event] }])
    var count = 0
    while try trace.next() != nil { count += 1 }
    #expect(count == 3)
  }
}
