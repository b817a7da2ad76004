package import Care
package import Measurement
import Motion

/// The timed up and go, by a sensor on a thigh.
package struct TimedUpAndGoAssessment: Assessment {
  package static let form = ActiveTaskForm(type: "timedUpAndGo", optional: [.side])
  package static let title = "Timed up and go"
  package static let summary = "Finds a timed up and go and times its parts."
  package static let instructions = """
    Wear the sensor on a thigh, any way round; the recording begins and ends seated and still. \
    Turns need a gyroscope.
    """
  package static let sensors = SensorRequirement(site: .segments([.thigh]), isInPlace: false)
  package static let course = MeasuringCourse(end: .rest(3_000_000), figure: .time)

  package static let figures: [Figure<TimedUpAndGo>] = [
    .result("total", .timedUpAndGo, "from the first movement to stand up to seated and still again")
    { $0.total },
    .number("stand", .second, "from the start to standing upright") { $0.stand },
    .optional("walkOut", .second, "from standing to the first turn") { $0.walkOut },
    .optional("turn1", .second, "the turn at the mark") { $0.turn1 },
    .optional("walkBack", .second, "from the first turn to the second") { $0.walkBack },
    .optional("turn2", .second, "the turn before the chair") { $0.turn2 },
    .number(
      "sit", .second,
      "from the second turn (without a gyroscope: from where the thigh begins to sink) to the end"
    ) { $0.sit },
    .optional(
      "peakTurnRate", .degreePerSecond, "the fastest turning, averaged over about 0.4 s"
    ) { $0.peakTurnRate },
  ]

  package init(_ task: ActiveTask) {}

  package static func quality(of output: TimedUpAndGo) -> AssessmentQuality {
    AssessmentQuality(output.quality)
  }

  package func measure(_ input: AssessmentInput) throws(AssessmentRefusal) -> TimedUpAndGo {
    do {
      return try TimedUpAndGo.measure(input.samples)
    } catch {
      throw .timedUpAndGo(error)
    }
  }
}
