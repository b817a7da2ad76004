import Care
import Measurement

/// The six-minute walk, by a sensor worn anywhere and a heart-rate strap where there is one.
struct SixMinutesOfWalking: PerformedMeasurement {
  /// In metres; without it there are steps, but no distance.
  var stepLength: Double?

  func recordings(of performance: Performance) -> [ExerciseRecording]? {
    performance.own.placement == nil ? nil : [performance.own]
  }

  func measure(
    _ recordings: [ExerciseRecording], amid surroundings: Surroundings
  ) throws(PerformanceRefusal) -> [PerformedValue] {
    let samples = recordings.flatMap(\.samples)
    let basis = stepLength.map { WalkDistance.Basis.stepLength(Int64(millimetres: $0)) }
    let test = try PerformanceRefusal.orReason { () throws(WalkRefusal) in
      try SixMinuteWalk.measure(samples, heartRates: surroundings.heartRates, distance: basis)
    }
    let steps = PerformedValue.result("steps", Double(test.steps), .sixMinuteWalkSteps)
    let distance = test.distance.map { distance in
      [
        PerformedValue.result("distance", distance.millimetres.thousandths, .sixMinuteWalkDistance),
        PerformedValue(kind: "isEstimate", value: .boolean(distance.isEstimate)),
      ]
    }
    return (distance ?? []) + [steps]
      + test.stepsByMinute.map { .count("stepsOfMinute", $0) } + [.count("rests", test.rests)]
      + (test.heartRate.map(Self.values) ?? []) + [.confidence(test.quality)]
  }

  private static func values(_ heart: HeartRateSummary) -> [PerformedValue] {
    [
      ("heartRateFirst", heart.first), ("heartRateLast", heart.last),
      ("heartRateLowest", heart.lowest), ("heartRateHighest", heart.highest),
      ("heartRateMean", heart.mean),
    ].map { .figure($0, Double($1), .perMinute) }
  }
}
