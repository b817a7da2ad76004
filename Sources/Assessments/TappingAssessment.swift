package import Care
package import Measurement
import Motion

/// The two-finger tapping test, on a screen.
package struct TappingAssessment: Assessment {
  package static let form = ActiveTaskForm(type: "tapping", optional: [.side, .duration])
  package static let title = "Tapping"
  package static let summary = "Counts how often two fingers tap two buttons in turn."
  package static let instructions = """
    On the event's page: lay the device on a table and tap the two buttons in turn with two fingers \
    of one hand, as fast as you can. The clock starts with the first tap. The screen's latency is \
    the same for each tap, and so hardly changes the time between two.
    """
  package static let sensors = SensorRequirement.screen
  package static let course = MeasuringCourse.onScreen

  package static let figures: [Figure<Tapping>] =
    [
      .result("taps", .tapCount, "taps on the buttons, of both hands if both were tested") {
        Double($0.taps)
      }
    ] + hand("Left", .left) + hand("Right", .right)

  private static func hand(_ name: String, _ hand: Hand) -> [Figure<Tapping>] {
    let whose = "with the \(hand.rawValue) hand"
    return [
      .optional("taps" + name, .one, "taps on the buttons " + whose) { output in
        output[hand].map { Double($0.taps) }
      },
      .optional("outside" + name, .one, "taps beside the buttons " + whose) { output in
        output[hand].map { Double($0.outside) }
      },
      .optional(
        "duration" + name, .second, "from the first tap on a button to the last " + whose
      ) { output in output[hand].map { Double(millionths: $0.duration) } },
      .optional(
        "interval" + name, .millisecond, "the mean time between two taps on the buttons " + whose
      ) { output in output[hand].map { Double(thousandths: $0.meanInterval) } },
      .optional(
        "intervalDeviation" + name, .millisecond, "the standard deviation of that time"
      ) { output in output[hand].map { Double(thousandths: $0.deviation) } },
    ]
  }

  /// The hand; `nil` for both.
  package let hand: Hand?
  /// The names of the hands that are tested.
  package var handNames: [String] { (hand.map { [$0] } ?? [.right, .left]).map(\.rawValue) }
  /// How long a trial takes, in seconds.
  package let seconds: Int

  package init(_ task: ActiveTask) {
    hand = task.side.map { $0 == .left ? .left : .right }
    seconds = task.duration ?? Int(Tapping.usualDuration / 1_000_000)
  }

  package static func quality(of output: Tapping) -> AssessmentQuality { .ofScreen }

  package func measure(_ input: AssessmentInput) throws(AssessmentRefusal) -> Tapping {
    do {
      return try Tapping.measure(
        input.performance.trials, duration: Int64(seconds) * 1_000_000, hand: hand)
    } catch {
      throw .screen(error)
    }
  }
}
