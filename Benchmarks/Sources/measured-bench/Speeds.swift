import Foundation
import Measurement
import Motion

/// Prints nanoseconds a sample, beside a sum over the same samples for a measure of the machine.
///
/// `backs` are recordings at the lower back, for the speed of a walk.
func printSpeeds(
  _ recordings: [StepRecording], _ trials: [BroadTrial], backs: [[MotionSample]]
) {
  let walks = joined(recordings.map(\.samples))
  let fused = joined(trials.map(\.samples))
  print("\nspeed, ns a sample")
  report("plain sum", walks) { samples in
    samples.reduce(0) { $0 &+ Int($1.acceleration.x) &+ Int($1.acceleration.y) }
  }
  for source in Set(recordings.map(\.source)).sorted() {
    let own = recordings.filter { $0.source == source }
    let samples = joined(own.map(\.samples))
    report("StepCounter, \(source)", samples) { samples in
      var counter = StepCounter(on: own.first?.segment)
      var steps = 0
      // In blocks, as a sensor's packets and a file's pages come.
      for start in stride(from: 0, to: samples.count, by: 256) {
        let block = samples[start..<min(start + 256, samples.count)]
        steps += counter.add(contentsOf: block).count
      }
      return steps
    }
  }
  report("WalkingSpeedMeter", joined(backs)) { samples in
    var meter = WalkingSpeedMeter()
    for start in stride(from: 0, to: samples.count, by: 256) {
      for sample in samples[start..<min(start + 256, samples.count)] { meter.add(sample) }
      meter.forget(before: samples[start].time)
    }
    return samples.count
  }
  for usesGyroscope in [true, false] {
    report("InclinationFilter, \(usesGyroscope ? "gyroscope" : "acc only")", fused) { samples in
      var filter = InclinationFilter(usesGyroscope: usesGyroscope)
      return samples.reduce(0) { $0 &+ Int(filter.add($1).up.x) }
    }
  }
}

/// Recordings one after another in time, with a gap between them.
private func joined(_ recordings: [[MotionSample]]) -> [MotionSample] {
  var end: Int64 = 0
  return recordings.flatMap { samples -> [MotionSample] in
    let offset = end + 10_000_000
    end = offset + (samples.last?.time ?? 0)
    return samples.map {
      MotionSample(
        time: $0.time + offset, acceleration: $0.acceleration, angularRate: $0.angularRate)
    }
  }
}

/// The least processor time of five runs, which the machine's other work disturbs least.
private func report(_ name: String, _ samples: [MotionSample], _ work: ([MotionSample]) -> Int) {
  var best = Double.infinity
  // The checksum is printed, so that no work is optimised away.
  var checksum = 0
  for _ in 0..<5 {
    let before = processorTime(RUSAGE_SELF)
    checksum &+= work(samples)
    best = min(best, processorTime(RUSAGE_SELF) - before)
  }
  print(
    column(name, width: 32), column(best * 1e9 / Double(samples.count), digits: 1),
    "  checksum \(checksum)")
}
