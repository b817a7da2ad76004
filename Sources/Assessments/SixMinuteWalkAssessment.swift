package import Care
package import Measurement

/// The six-minute walk, by a sensor worn anywhere and, if present, a heart-rate strap.
package struct SixMinuteWalkAssessment: Assessment {
  package static let form = ActiveTaskForm(type: "sixMinuteWalk", optional: [.stepLength])
  package static let title = "Six-minute walk"
  package static let summary = "Measures how far a person walks in six minutes."
  package static let instructions = """
    Wear the sensor anywhere; the six minutes begin with the first step. A sensor on the body \
    cannot measure a distance: it is laps that you counted, or an estimate from the step length.
    """
  package static let sensors = SensorRequirement(site: .anywhere, isInPlace: false)
  package static let course = MeasuringCourse(
    end: .time(SixMinuteWalk.duration, fromMovement: true), figure: .steps, beginsStill: false)

  package static let figures: [Figure<SixMinuteWalk>] =
    [
      .optionalResult(
        "distance", .sixMinuteWalkDistance,
        "the laps walked, or an estimate; absent without laps or a step length"
      ) { output in output.distance.map { Double(thousandths: $0.millimetres) } },
      .optionalTruth("isEstimate", "whether the distance is estimated from the step length") {
        $0.distance?.isEstimate
      },
      .result("steps", .sixMinuteWalkSteps, "both feet counted") { Double($0.steps) },
      .repeatedCount("stepsOfMinute", "the steps in each minute") { $0.stepsByMinute },
      .count("rests", "how often the person stopped for 5 s or more before going on") { $0.rests },
    ]
    + [
      heartRate("heartRateFirst", "the median of the first 10 s", \.first),
      heartRate("heartRateLast", "the median of the last 10 s", \.last),
      heartRate("heartRateLowest", "the lowest heart rate, a single stray one ignored", \.lowest),
      heartRate(
        "heartRateHighest", "the highest heart rate, a single stray one ignored", \.highest),
      heartRate("heartRateMean", "the mean heart rate", \.mean),
    ]

  private static func heartRate(
    _ kind: String, _ meaning: String,
    _ value: @escaping @Sendable (HeartRateSummary) -> Int32
  ) -> Figure<SixMinuteWalk> {
    .optional(kind, .perMinute, meaning) { output in
      output.heartRate.map { Double(value($0)) }
    }
  }

  private let basis: WalkDistance.Basis?

  package init(_ task: ActiveTask) {
    self.init(basis: task.stepLength.map { .stepLength(Int64(millimetres: $0)) })
  }

  /// A walk whose distance is computed on `basis`; `nil` for steps only.
  package init(basis: WalkDistance.Basis?) {
    self.basis = basis
  }

  package static func quality(of output: SixMinuteWalk) -> AssessmentQuality {
    AssessmentQuality(output.quality)
  }

  package func measure(_ input: AssessmentInput) throws(AssessmentRefusal) -> SixMinuteWalk {
    do {
      return try SixMinuteWalk.measure(
        input.samples, on: input.segment, heartRates: input.heartRates, distance: basis)
    } catch {
      throw .walk(error)
    }
  }
}
