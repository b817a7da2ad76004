import Care
import Measurement
import Motion

/// The five-times sit-to-stand, by a sensor on a thigh.
struct FiveStands: PerformedMeasurement {
  /// The side that the sensor must be on; `nil` for either.
  var side: Side?

  func recordings(of performance: Performance) -> [ExerciseRecording]? {
    performance.recording(on: [.thigh], side: side)
  }

  /// The total is until seated again; until the fifth stand, where that was not seen.
  func measure(
    _ recordings: [ExerciseRecording], amid surroundings: Surroundings
  ) throws(PerformanceRefusal) -> [PerformedValue] {
    let samples = recordings.flatMap(\.samples)
    let test = try PerformanceRefusal.orReason { () throws(ChairStandRefusal) in
      try FiveTimesSitToStand.measure(samples)
    }
    let total = (test.untilSeated ?? test.untilStanding).millionths
    return [
      .result("total", total, .fiveTimesSitToStand),
      .figure("untilStanding", test.untilStanding.millionths, .second),
    ] + test.repetitionTimes.map { .figure("repetition", $0.millionths, .second) }
      + [.confidence(test.quality)]
  }
}
