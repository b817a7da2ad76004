import Care
import Measurement
import Motion

/// The tremor of a hand in one posture, by a sensor on the hand or the forearm.
struct TremblingHand: PerformedMeasurement {
  /// The side that the sensor must be on; `nil` for either.
  var side: Side?

  func recordings(of performance: Performance) -> [ExerciseRecording]? {
    performance.own.isWalk ? nil : performance.recording(on: [.hand, .forearm], side: side)
  }

  /// Without a rhythm that stands out there is no frequency, amplitude or share.
  func measure(
    _ recordings: [ExerciseRecording], amid surroundings: Surroundings
  ) throws(PerformanceRefusal) -> [PerformedValue] {
    let samples = recordings.flatMap(\.samples)
    let tremor = try PerformanceRefusal.orReason { () throws(TremorRefusal) in
      try Tremor.measure(samples)
    }
    let peak = tremor.peak.map { peak in
      [
        PerformedValue.figure("frequency", peak.frequency.thousandths, .hertz),
        // Nanometres.
        .figure("amplitude", peak.displacement.millionths, .millimetre),
        .figure("peakAcceleration", Self.acceleration(peak.acceleration), .metrePerSquareSecond),
        .figure("peakShare", Double(peak.share) / 1_000, .one),
      ]
    }
    return [.result("acceleration", Self.acceleration(tremor.acceleration), .tremorAcceleration)]
      + (peak ?? [])
      + [.figure("bandShare", Double(tremor.bandShare) / 1_000, .one), .confidence(tremor.quality)]
  }

  /// Micro-g in m/s².
  private static func acceleration(_ microG: Int64) -> Double { microG.millionths * 9.80665 }
}
