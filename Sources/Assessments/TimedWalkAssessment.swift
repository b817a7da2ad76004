package import Care
package import Measurement

/// A walk over a stated distance, by a sensor worn anywhere.
package struct TimedWalkAssessment: Assessment {
  package static let form = ActiveTaskForm(type: "timedWalk", required: [.distance])
  package static let title = "Timed walk"
  package static let summary = "Times a walk over a known distance."
  package static let instructions = """
    Wear the sensor anywhere. A sensor on the body cannot measure a distance: the distance is \
    the one that you state.
    """
  package static let sensors = SensorRequirement(site: .anywhere, isInPlace: false)
  package static let course = MeasuringCourse(
    end: .stillness(3_000_000), figure: .steps, beginsStill: false)

  package static let figures: [Figure<TimedWalk>] = [
    .result("speed", .walkingSpeed, "distance over duration") { Double(thousandths: $0.speed) },
    .number(
      "duration", .second, "from half a step before the first step to half a step after the last"
    ) { Double(millionths: $0.walk.duration) },
    .number("distance", .metre, "as stated") { Double(thousandths: $0.distance) },
    .count("steps", "both feet counted") { $0.walk.steps },
    .number("cadence", .perMinute, "steps over duration") {
      Double(thousandths: $0.walk.cadence)
    },
    .optional("stepLength", .metre, "distance over steps") { output in
      output.stepLength.map { Double(thousandths: $0) }
    },
    .optional(
      "walkingSpeed", .metrePerSecond,
      "by the sensor's own movement at the lower back or on a foot, turns left out; else absent"
    ) { output in output.own.map { Double(thousandths: $0.speed) } },
    .optional("strideLength", .metre, "two steps, likewise") { output in
      output.own.map { Double(thousandths: $0.strideLength) }
    },
    .optionalTruth("assumesHeight", "whether 1.70 m stands in for the person's height") {
      $0.own?.assumesHeight
    },
  ]

  /// In millimetres.
  private let distance: Int64

  package init(_ task: ActiveTask) {
    distance = Int64(millimetres: task.distance ?? 0)
  }

  package static func quality(of output: TimedWalk) -> AssessmentQuality {
    AssessmentQuality(output.quality)
  }

  package func measure(_ input: AssessmentInput) throws(AssessmentRefusal) -> TimedWalk {
    do {
      return try TimedWalk.measure(
        input.samples, on: input.segment, distance: distance,
        height: input.height.map { Int64(millimetres: $0) })
    } catch {
      throw .walk(error)
    }
  }
}

extension Int64 {
  /// Metres in whole millimetres, clamped to 0…100 km.
  package init(millimetres metres: Double) {
    self = Int64(saturating: (Swift.min(Swift.max(metres, 0), 100_000) * 1_000).rounded())
  }
}
