package import Care
package import Measurement
import Motion

/// The five-times sit-to-stand, by a sensor on a thigh.
package struct FiveTimesSitToStandAssessment: Assessment {
  package static let form = ActiveTaskForm(type: "fiveTimesSitToStand", optional: [.side])
  package static let title = "Five-times sit-to-stand"
  package static let summary = "Times five stands from a chair."
  package static let instructions =
    "Wear the sensor on a thigh, any way round; begin seated and still. "
    + "Tested on synthetic data only."
  package static let sensors = SensorRequirement(site: .segments([.thigh]), isInPlace: false)
  package static let course = MeasuringCourse(end: .rest(4_000_000), figure: .repetitions)

  package static let figures: [Figure<FiveTimesSitToStand>] = [
    .result(
      "total", .fiveTimesSitToStand,
      "from the first movement until seated after the fifth stand; until standing, if the recording "
        + "ends before"
    ) { Double(millionths: $0.untilSeated ?? $0.untilStanding) },
    .number("untilStanding", .second, "from the first movement until the fifth stand") {
      Double(millionths: $0.untilStanding)
    },
    .repeated(
      "repetition", .second,
      "from the beginning of each stand to that of the next; the fifth until seated"
    ) { $0.repetitionTimes.map { Double(millionths: $0) } },
  ]

  package init(_ task: ActiveTask) {}

  package static func quality(of output: FiveTimesSitToStand) -> AssessmentQuality {
    AssessmentQuality(output.quality)
  }

  package func measure(_ input: AssessmentInput) throws(AssessmentRefusal) -> FiveTimesSitToStand {
    if let segment = input.segment, segment != .thigh { throw .chairStand(.place(segment)) }
    do {
      return try FiveTimesSitToStand.measure(input.samples)
    } catch {
      throw .chairStand(error)
    }
  }
}
