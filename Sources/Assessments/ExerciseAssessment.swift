package import Care
package import Measurement
import Motion

/// An exercise with sets and repetitions, by a sensor on one of a joint's segments or on both.
package struct ExerciseAssessment: Assessment {
  package static let form = ActiveTaskForm(
    type: "exercise", required: [.joint],
    optional: [.side, .sets, .repetitions, .rest, .minimum])
  package static let title = "Exercise"
  package static let summary = "Counts the sets and repetitions of an exercise of one joint."
  package static let instructions = """
    Wear the sensor on the moving limb, any way round; begin still, with the limb at its start. A \
    repetition is a movement out and back that reaches the minimum; a pause ends a set. Without a \
    gyroscope the movement must be slow. Tested on synthetic data only.
    """
  package static let sensors = SensorRequirement(site: .joint, isInPlace: true)
  package static let course = MeasuringCourse(end: .stillness(60_000_000), figure: .repetitions)

  package static let figures: [Figure<Exercise>] = [
    .result(
      "repetitions", .exerciseRepetitions,
      "movements out and back that reached the minimum, 20°"
        + " unless the plan gives one"
    ) { Double($0.repetitions) },
    .count("sets", "a pause of half the `rest`, 15 s without one, ends a set") { $0.sets.count },
    .repeatedCount("repetitionsOfSet", "the repetitions of each set") {
      $0.sets.map(\.repetitions)
    },
    .count("partialRepetitions", "movements out and back that did not reach the minimum") {
      $0.partialRepetitions
    },
    .number("meanRange", .degree, "how far the repetitions went, on average") {
      Double(thousandths: $0.meanRangeMillidegrees)
    },
    .number("largestRange", .degree, "how far the largest repetition went") {
      Double(thousandths: $0.largestRangeMillidegrees)
    },
    .optional(
      "tempo", .second,
      "the mean time from one repetition's beginning to the next's in a set; absent if no set has two"
    ) { output in output.tempo.map { Double(millionths: $0) } },
    .optional("rest", .second, "the mean time between two sets; absent for one set") { output in
      output.rest.map { Double(millionths: $0) }
    },
    .number(
      "duration", .second,
      "from the beginning of the first repetition to the end of the last, rests included"
    ) { Double(millionths: $0.duration) },
    .count("sensorCount", "1: a segment's angle; 2: the joint's") { $0.sensorCount },
  ]

  private let rule: RepetitionRule
  /// The rest between two sets, in microseconds; `nil` for none.
  private let rest: Int64?

  package init(_ task: ActiveTask) {
    rule = RepetitionRule(task)
    rest = task.rest.map { Int64($0) * 1_000_000 }
  }

  /// A rest between two sets does not end it.
  package var course: MeasuringCourse {
    var course = Self.course
    if let rest { course.end = .stillness(max(60_000_000, 2 * rest)) }
    return course
  }

  package static func quality(of output: Exercise) -> AssessmentQuality {
    AssessmentQuality(isGood: output.isGood, signal: output.quality)
  }

  package func measure(_ input: AssessmentInput) throws(AssessmentRefusal) -> Exercise {
    do {
      guard let proximal = input.recordings.dropLast().last else {
        return try Exercise.measure(input.samples, rule: rule)
      }
      return try Exercise.measure(proximal: proximal, distal: input.samples, rule: rule)
    } catch {
      throw .exercise(error)
    }
  }
}

extension RepetitionRule {
  /// The rule of a plan's exercise.
  ///
  /// People rest for less than they should, and pause for less than half of that within a set.
  package init(_ task: ActiveTask) {
    self.init()
    if let minimum = task.minimum {
      self.init(minimumMillidegrees: Int64(saturating: (minimum * 1_000).rounded()), pause: pause)
    }
    if let rest = task.rest {
      self.init(minimumMillidegrees: minimumMillidegrees, pause: Int64(rest) * 500_000)
    }
  }
}
