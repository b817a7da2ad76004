import Care
import Foundation
import Motion
import Radio
import Testing

@testable import DeviceCatalog

struct MotionBatchTests {
  @Test func `a recording keeps its times`() {
    let motion = RecordedMotion(
      sensor: "left-thigh",
      samples: [
        MotionSample(time: 0, acceleration: Vector3(x: 1, y: 2, z: 3)),
        MotionSample(
          time: 10_000, acceleration: Vector3(x: 4, y: 5, z: 6),
          angularRate: Vector3(x: 7, y: 8, z: 9)),
      ])
    let batch = MotionBatch(motion, at: Date(timeIntervalSince1970: 1000))
    #expect(batch.device == DeviceIdentity(address: "left-thigh"))
    #expect(batch.timeBase == .recording)
    #expect(batch.milliHertz == nil)
    #expect(
      batch.samples == [
        MotionSample(time: 1_000_000_000, acceleration: Vector3(x: 1, y: 2, z: 3)),
        MotionSample(
          time: 1_000_010_000, acceleration: Vector3(x: 4, y: 5, z: 6),
          angularRate: Vector3(x: 7, y: 8, z: 9)),
      ])
  }

  @Test func `a stream is spaced by its own rate`() throws {
    let data = "E95DCA4B-251D-470A-A062-FA1922DFA9A8"
    var bench = try SessionBench("microbit-accelerometer")
    var batches: [MotionBatch] = []
    for index in 0..<10 {
      batches += try bench.value(data, "00000000e803", at: Double(index) * 0.02).batches
    }
    #expect(batches.count == 10)
    #expect(batches.allSatisfy { $0.timeBase == .arrival && $0.milliHertz == 50_000 })
    let times = batches.flatMap(\.samples).map { $0.time - SessionBench.start.microseconds }
    #expect(times == (0..<10).map { $0 * 20_000 })
  }

  @Test func `a distant date is clamped`() throws {
    let data = "E95DCA4B-251D-470A-A062-FA1922DFA9A8"
    var bench = try SessionBench("microbit-accelerometer")
    var last = Int64.min
    for time in [Date.distantPast, .distantFuture, .distantPast] {
      #expect(bench.session.wakeAt == nil)
      let outputs = bench.session.handle(
        .value(
          CharacteristicValue(
            address: SessionBench.address, service: nil, characteristic: try uuid(data),
            data: [0, 0, 0, 0, 0xE8, 3])), at: EventTime(time))
      let sample = try #require(outputs.batches.first?.samples.first)
      #expect(sample.time > last)
      last = sample.time
    }
  }
}
