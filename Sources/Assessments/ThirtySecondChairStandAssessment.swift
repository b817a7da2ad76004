package import Care
package import Measurement
import Motion

/// The 30-second chair stand, by a sensor on a thigh.
package struct ThirtySecondChairStandAssessment: Assessment {
  package static let form = ActiveTaskForm(type: "thirtySecondChairStand", optional: [.side])
  package static let title = "30-second chair stand"
  package static let summary = "Counts the stands from a chair in thirty seconds."
  package static let instructions =
    "Wear the sensor on a thigh, any way round; begin seated and still. "
    + "Tested on synthetic data only."
  package static let sensors = SensorRequirement(site: .segments([.thigh]), isInPlace: false)
  package static let course = MeasuringCourse(
    end: .time(ThirtySecondChairStand.duration, fromMovement: true), figure: .repetitions)

  package static let figures: [Figure<ThirtySecondChairStand>] = [
    .result("count", .chairStandCount, "stands in 30 s, the half one at the end included") {
      Double($0.count)
    },
    .truth(
      "endsWithHalfStand", "whether the last one was under way and more than half way up at the end"
    ) { $0.endsWithHalfStand },
  ]

  package init(_ task: ActiveTask) {}

  package static func quality(of output: ThirtySecondChairStand) -> AssessmentQuality {
    AssessmentQuality(output.quality)
  }

  package func measure(
    _ input: AssessmentInput
  ) throws(AssessmentRefusal) -> ThirtySecondChairStand {
    if let segment = input.segment, segment != .thigh { throw .chairStand(.place(segment)) }
    do {
      return try ThirtySecondChairStand.measure(input.samples)
    } catch {
      throw .chairStand(error)
    }
  }
}
