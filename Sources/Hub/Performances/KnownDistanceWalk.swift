import Care
import Measurement

/// A walk over a distance that the plan states, by a sensor worn anywhere.
struct KnownDistanceWalk: PerformedMeasurement {
  /// In metres.
  var distance: Double?

  func recordings(of performance: Performance) -> [ExerciseRecording]? {
    performance.own.placement == nil ? nil : [performance.own]
  }

  func measure(
    _ recordings: [ExerciseRecording], amid surroundings: Surroundings
  ) throws(PerformanceRefusal) -> [PerformedValue] {
    let samples = recordings.flatMap(\.samples)
    let distance = Int64(millimetres: distance ?? 0)
    let test = try PerformanceRefusal.orReason { () throws(WalkRefusal) in
      try TimedWalk.measure(samples, distance: distance)
    }
    let stepLength = test.stepLength.map {
      PerformedValue.figure("stepLength", $0.thousandths, .metre)
    }
    return [
      .result("speed", test.speed.thousandths, .walkingSpeed),
      .figure("duration", test.walk.duration.millionths, .second),
      .figure("distance", test.distance.thousandths, .metre), .count("steps", test.walk.steps),
      .figure("cadence", test.walk.cadence.thousandths, .perMinute),
    ] + [stepLength].compactMap(\.self) + [.confidence(test.quality)]
  }
}

extension Int64 {
  /// Metres in whole millimetres, held between 0 and 100 km.
  init(millimetres metres: Double) {
    self = Int64((Swift.min(Swift.max(metres, 0), 100_000) * 1_000).rounded())
  }
}
