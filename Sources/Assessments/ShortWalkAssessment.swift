package import Care
package import Measurement

/// The short walk by steps per leg, by a sensor worn anywhere.
package struct ShortWalkAssessment: Assessment {
  package static let form = ActiveTaskForm(
    type: "shortWalk", required: [.stepsPerLeg], optional: [.rest])
  package static let title = "Short walk"
  package static let summary = "Measures a short walk: so many steps out, as many back, and a rest."
  package static let instructions = """
    Wear the sensor anywhere; with a gyroscope on the trunk, hip or thigh the turn is seen. Walk \
    straight on for the given number of steps, turn round, walk back, and stand still. A way takes \
    1.5 s a step at most.
    """
  package static let sensors = SensorRequirement(site: .anywhere, isInPlace: false)
  package static let course = MeasuringCourse(end: .stillness(4_000_000), figure: .steps)

  package static let figures: [Figure<ShortWalk>] = [
    .result("cadence", .cadence, "steps over duration, both ways, without the rest") {
      Double(thousandths: $0.cadence)
    },
    .count("stepsOut", "the steps of the way out, both feet counted") { $0.out.walk.steps },
    .count("stepsBack", "the steps of the way back") { $0.back.walk.steps },
    .number(
      "durationOut", .second, "from half a step before the first step to the middle of the turn"
    ) { Double(millionths: $0.out.walk.duration) },
    .number("durationBack", .second, "from the turn to half a step after the last step") {
      Double(millionths: $0.back.walk.duration)
    },
    .optional("turn", .second, "how long the turn took; absent if it was not seen") { output in
      output.turn.map { Double(millionths: $0) }
    },
    .truth("reachedLimit", "whether a way ended with its time limit of 1.5 s a step") {
      $0.out.reachedLimit || $0.back.reachedLimit
    },
    .optional(
      "restSway", .metrePerSquareSecond,
      "root mean square of the acceleration about its mean in the rest; absent without one"
    ) { output in output.rest.map { Double(millionths: $0.sway) * 9.80665 } },
  ]

  private let stepsPerLeg: Int
  /// In microseconds; `nil` for none.
  private let rest: Int64?

  package init(_ task: ActiveTask) {
    stepsPerLeg = task.stepsPerLeg ?? 10
    rest = task.rest.map { Int64($0) * 1_000_000 }
  }

  /// It ends after the rest.
  package var course: MeasuringCourse {
    var course = Self.course
    if let rest { course.end = .stillness(rest + 3_000_000) }
    return course
  }

  package static func quality(of output: ShortWalk) -> AssessmentQuality {
    AssessmentQuality(
      isGood: output.quality.verdict == .good && !output.lacksRest, signal: output.quality)
  }

  package func measure(_ input: AssessmentInput) throws(AssessmentRefusal) -> ShortWalk {
    do {
      return try ShortWalk.measure(
        input.samples, on: input.segment, stepsPerLeg: stepsPerLeg, rest: rest)
    } catch {
      throw .walk(error)
    }
  }
}
