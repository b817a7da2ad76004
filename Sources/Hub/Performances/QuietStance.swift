import Care
import Measurement
import Motion

/// The sway of somebody who stands still, by a sensor on the lower back.
struct QuietStance: PerformedMeasurement {
  /// The sensor's axis to the front or the back; z where the plan names none.
  var axis: Axis?

  func recordings(of performance: Performance) -> [ExerciseRecording]? {
    performance.own.isWalk ? nil : performance.recording(on: [.pelvis, .trunk], side: nil)
  }

  func measure(
    _ recordings: [ExerciseRecording], amid surroundings: Surroundings
  ) throws(PerformanceRefusal) -> [PerformedValue] {
    let samples = recordings.flatMap(\.samples)
    let sway = try PerformanceRefusal.orReason { () throws(SwayRefusal) in
      try Sway.measure(samples, axis: axis ?? .z)
    }
    let (front, side) = (sway.anteroposterior, sway.mediolateral)
    return [
      .result("rmsAnteroposterior", front.rms.millionths, .swayAcceleration),
      .result("rmsMediolateral", side.rms.millionths, .swayAcceleration),
    ] + Self.figures(front, "Anteroposterior") + Self.figures(side, "Mediolateral") + [
      .figure("ellipseArea", sway.ellipseArea.millionths, .squaredAcceleration),
      .figure("jerk", sway.jerk.millionths, .squaredJerk),
      .figure("duration", sway.duration.millionths, .second), .confidence(sway.quality),
    ]
  }

  private static func figures(_ sway: Sway.Direction, _ name: String) -> [PerformedValue] {
    [
      .figure("range" + name, sway.range.millionths, .metrePerSquareSecond),
      .figure("path" + name, sway.path.millionths, .metrePerSquareSecond),
      .figure("meanVelocity" + name, sway.meanVelocity.millionths, .metrePerSecond),
      .figure("meanFrequency" + name, sway.meanFrequency.thousandths, .hertz),
    ]
  }
}
