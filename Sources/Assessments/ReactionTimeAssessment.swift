package import Care
package import Measurement

/// The simple reaction time, on a screen.
package struct ReactionTimeAssessment: Assessment {
  package static let form = ActiveTaskForm(type: "reactionTime", optional: [.attempts])
  package static let title = "Reaction time"
  package static let summary = "Measures how fast a person reacts to a signal on a screen."
  package static let instructions = """
    On the event's page: press as soon as the field changes, 2 to 5 s after the beginning of each \
    attempt. The latency of the screen, and of the mouse or touch, is part of the figure: compare \
    only what was measured on the same machine.
    """
  package static let sensors = SensorRequirement.screen
  package static let course = MeasuringCourse.onScreen

  package static let figures: [Figure<ReactionTime>] = [
    .result("median", .reactionTime, "of the attempts that succeeded") {
      Double(thousandths: $0.median)
    },
    .number("best", .millisecond, "the shortest") { Double(thousandths: $0.best) },
    .number("worst", .millisecond, "the longest") { Double(thousandths: $0.worst) },
    .repeated("reaction", .millisecond, "each of them") {
      $0.reactions.map { Double(thousandths: $0) }
    },
    .count(
      "failed", "attempts pressed before the signal or within 100 ms of it, or not within 3 s"
    ) { $0.failed },
  ]

  /// How many attempts have to succeed.
  package let attempts: Int

  package init(_ task: ActiveTask) {
    attempts = task.attempts ?? ReactionTime.usualCount
  }

  package static func quality(of output: ReactionTime) -> AssessmentQuality { .ofScreen }

  package func measure(_ input: AssessmentInput) throws(AssessmentRefusal) -> ReactionTime {
    do {
      return try ReactionTime.measure(input.performance.attempts, count: attempts)
    } catch {
      throw .screen(error)
    }
  }
}
