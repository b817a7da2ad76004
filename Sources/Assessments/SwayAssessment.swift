package import Care
package import Measurement
import Motion

/// The sway of a person who stands still, by a sensor on the lower back.
package struct SwayAssessment: Assessment {
  package static let form = ActiveTaskForm(type: "sway", optional: [.axis])
  package static let title = "Sway"
  package static let summary = "Measures how a person sways while standing still for half a minute."
  package static let instructions = """
    Wear the sensor on the lower back. The axis is the sensor axis that points forward or \
    backward. Tested on synthetic data only.
    """
  package static let sensors = SensorRequirement(
    site: .segments([.pelvis, .trunk]), isInPlace: true)
  package static let course = MeasuringCourse(
    end: .time(Sway.longest, fromMovement: false), figure: .time, mustWait: true)

  package static let figures: [Figure<Sway>] =
    [rms("Anteroposterior", \.anteroposterior), rms("Mediolateral", \.mediolateral)]
    + direction("Anteroposterior", \.anteroposterior) + direction("Mediolateral", \.mediolateral)
    + [
      .number(
        "ellipseArea", .squaredAcceleration,
        "of the ellipse in which 95 % of the accelerations lie"
      ) { Double(millionths: $0.ellipseArea) },
      .number("jerk", .squaredJerk, "how unsmooth the sway is; grows with the duration") {
        Double(millionths: $0.jerk)
      },
      .number("duration", .second, "measured time, 25 to 30") {
        Double(millionths: $0.duration)
      },
    ]

  private typealias Direction = @Sendable (Sway) -> Sway.Direction

  private static func rms(_ name: String, _ direction: @escaping Direction) -> Figure<Sway> {
    .result(
      "rms" + name, .swayAcceleration, "root mean square of the acceleration about its mean"
    ) { Double(millionths: direction($0).rms) }
  }

  private static func direction(_ name: String, _ direction: @escaping Direction) -> [Figure<Sway>]
  {
    [
      .number("range" + name, .metrePerSquareSecond, "the largest acceleration less the smallest") {
        Double(millionths: direction($0).range)
      },
      .number(
        "path" + name, .metrePerSquareSecond,
        "the way that the acceleration covers, up and down; grows with the duration"
      ) { Double(millionths: direction($0).path) },
      .number(
        "meanVelocity" + name, .metrePerSecond,
        "the mean speed, from the integral of the acceleration less its best straight line"
      ) { Double(millionths: direction($0).meanVelocity) },
      .number("meanFrequency" + name, .hertz, "how often it goes to and fro") {
        Double(thousandths: direction($0).meanFrequency)
      },
    ]
  }

  /// The sensor's axis to the front or the back; z unless the plan names one.
  private let axis: Axis

  package init(_ task: ActiveTask) {
    axis = task.axis ?? .z
  }

  package static func quality(of output: Sway) -> AssessmentQuality {
    AssessmentQuality(output.quality)
  }

  package func measure(_ input: AssessmentInput) throws(AssessmentRefusal) -> Sway {
    do {
      return try Sway.measure(input.samples, axis: axis)
    } catch {
      throw .sway(error)
    }
  }
}
