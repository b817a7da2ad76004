import Care
import Measurement
import Motion

/// The timed up and go, by a sensor on a thigh.
struct UpAndGo: PerformedMeasurement {
  /// The side that the sensor must be on; `nil` for either.
  var side: Side?

  func recordings(of performance: Performance) -> [ExerciseRecording]? {
    performance.recording(on: [.thigh], side: side)
  }

  func measure(
    _ recordings: [ExerciseRecording], amid surroundings: Surroundings
  ) throws(PerformanceRefusal) -> [PerformedValue] {
    let samples = recordings.flatMap(\.samples)
    let test = try PerformanceRefusal.orReason { () throws(TimedUpAndGoRefusal) in
      try TimedUpAndGo.measure(samples)
    }
    let parts = [
      ("stand", test.stand), ("walkOut", test.walkOut), ("turn1", test.turn1),
      ("walkBack", test.walkBack), ("turn2", test.turn2), ("sit", test.sit),
    ].compactMap { kind, time in time.map { PerformedValue.figure(kind, $0, .second) } }
    let turning = test.peakTurnRate.map {
      PerformedValue.figure("peakTurnRate", $0, .degreePerSecond)
    }
    return [.result("total", test.total, .timedUpAndGo)] + parts + [turning].compactMap(\.self)
      + [.confidence(test.quality)]
  }
}
