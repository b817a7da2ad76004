package import Care
package import Measurement
import Motion

/// The tremor of a hand in one posture, by a sensor on the hand or the forearm.
package struct TremorAssessment: Assessment {
  package static let form = ActiveTaskForm(type: "tremor", optional: [.side])
  package static let title = "Tremor"
  package static let summary =
    "Looks for a tremor between 3 and 12 Hz: its frequency and strength."
  package static let instructions = """
    Wear the sensor on the hand or the forearm, at 50 samples a second or more. Make one recording \
    for each posture: at rest, arms held out, moving. Tested on synthetic data only.
    """
  package static let sensors = SensorRequirement(
    site: .segments([.hand, .forearm]), isInPlace: true)
  package static let course = MeasuringCourse(
    end: .time(15_000_000, fromMovement: false), figure: .time, beginsStill: false, mustWait: true)

  package static let figures: [Figure<Tremor>] = [
    .result(
      "acceleration", .tremorAcceleration,
      "root mean square of everything between 3 and 12 Hz, rhythmic or not"
    ) { acceleration(microG: $0.acceleration) },
    .optional(
      "frequency", .hertz,
      "of the rhythm that stands out, 3 to 12; absent if there is no such rhythm"
    ) { output in output.peak.map { Double(thousandths: $0.frequency) } },
    .optional(
      "amplitude", .millimetre,
      "of that rhythm, from the middle to one end, if the movement were a straight one"
    ) { output in
      // Nanometres.
      output.peak.map { Double(millionths: $0.displacement) }
    },
    .optional(
      "peakAcceleration", .metrePerSquareSecond,
      "root mean square of that rhythm: everything within 0.75 Hz of it"
    ) { output in output.peak.map { acceleration(microG: $0.acceleration) } },
    .optional(
      "peakShare", .one,
      "the share of the power between 3 and 12 Hz that lies within 0.75 Hz of that rhythm, 0 to 1"
    ) { output in output.peak.map { Double(thousandths: $0.share) } },
    .number(
      "bandShare", .one,
      "the share of the power between 1 and 20 Hz that lies between 3 and 12 Hz, 0 to 1"
    ) { Double(thousandths: $0.bandShare) },
  ]

  package init(_ task: ActiveTask) {}

  package static func quality(of output: Tremor) -> AssessmentQuality {
    AssessmentQuality(output.quality)
  }

  package func measure(_ input: AssessmentInput) throws(AssessmentRefusal) -> Tremor {
    do {
      return try Tremor.measure(input.samples)
    } catch {
      throw .tremor(error)
    }
  }

  /// An acceleration in m/s².
  private static func acceleration(microG: Int64) -> Double {
    Double(millionths: microG) * 9.80665
  }
}
