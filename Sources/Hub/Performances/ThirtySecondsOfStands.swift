import Care
import Measurement
import Motion

/// The 30-second chair stand, by a sensor on a thigh.
struct ThirtySecondsOfStands: PerformedMeasurement {
  /// The side that the sensor must be on; `nil` for either.
  var side: Side?

  func recordings(of performance: Performance) -> [ExerciseRecording]? {
    performance.recording(on: [.thigh], side: side)
  }

  func measure(
    _ recordings: [ExerciseRecording], amid surroundings: Surroundings
  ) throws(PerformanceRefusal) -> [PerformedValue] {
    let samples = recordings.flatMap(\.samples)
    let test = try PerformanceRefusal.orReason { () throws(ChairStandRefusal) in
      try ThirtySecondChairStand.measure(samples)
    }
    return [
      .result("count", Double(test.count), .chairStandCount),
      PerformedValue(kind: "endsWithHalfStand", value: .boolean(test.endsWithHalfStand)),
      .confidence(test.quality),
    ]
  }
}
