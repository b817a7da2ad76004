package import Care
package import Measurement
import Motion

/// The range of motion of a joint, by a sensor on one of its segments or on both.
package struct RangeOfMotionAssessment: Assessment {
  package static let form = ActiveTaskForm(
    type: "rangeOfMotion", required: [.joint], optional: [.side])
  package static let title = "Range of motion"
  package static let summary = "Measures how far a joint was moved."
  package static let instructions = """
    One sensor on the limb gives the angle of that segment against the vertical, which is the \
    joint's only if the segment above was held still. Without a gyroscope the movement must be slow.
    """
  package static let sensors = SensorRequirement(site: .joint, isInPlace: true)
  package static let course = MeasuringCourse(end: .rest(4_000_000), figure: .angle)

  package static let figures: [Figure<RangeOfMotion>] = [
    .result("range", .rangeOfMotion, "the maximum less the minimum") { $0.range },
    .result("start", .rangeOfMotion, "the angle at the first sample") { $0.start },
    .result("finish", .rangeOfMotion, "the angle at the last sample") { $0.finish },
    .result("minimum", .rangeOfMotion, "the smallest angle") { $0.minimum },
    .result("maximum", .rangeOfMotion, "the largest angle") { $0.maximum },
    .count(
      "repetitions",
      "how often the limb went to the other end and came back; 0 if it moved by less than 6.3°"
    ) { $0.repetitions },
    .optional(
      "hold", .second,
      "how long the limb was held at the end; absent if not for 1 s within 3°"
    ) { $0.hold?.duration },
    .optional("holdMean", .degree, "the mean angle of the hold") { $0.hold?.mean },
    .optional("holdDeviation", .degree, "the standard deviation of the angle in the hold") {
      $0.hold?.deviation
    },
    .word(
      "method",
      "`jointAxis`: about the joint's axis; `inclination`: the sensor's z axis against the "
        + "vertical, if the movement kept to no one plane"
    ) { $0.method.rawValue },
    .count("sensorCount", "1: a segment's angle; 2: the joint's") { $0.sensorCount },
  ]

  /// The joint whose angle two sensors show.
  private let joint: Joint?

  package init(_ task: ActiveTask) {
    joint = task.joint
  }

  package static func quality(of output: RangeOfMotion) -> AssessmentQuality {
    AssessmentQuality(isGood: output.confidence == .good, signal: output.quality.signal)
  }

  package func measure(_ input: AssessmentInput) throws(AssessmentRefusal) -> RangeOfMotion {
    do {
      guard let end = input.end else { return try measure(input.recordings, end: nil) }
      return try measureLive(input.recordings, end: end)
    } catch {
      throw .rangeOfMotion(error)
    }
  }

  /// Measures what live sensors saw of the limb while all of them were present.
  ///
  /// A sensor that falls silent, or joins, while the limb moves did not see the whole movement.
  private func measureLive(
    _ recordings: [[MotionSample]], end: Int64
  ) throws(RangeOfMotionRefusal) -> RangeOfMotion {
    let starts = recordings.compactMap { $0.timeSpan?.lowerBound }
    let lateness = (starts.max() ?? 0) &- (starts.min() ?? 0)
    let times = recordings.commonTimeSpan
    let sensors = recordings.map { samples in
      times.map { times in samples.filter { times.contains($0.time) } } ?? []
    }
    if lateness > RangeOfMotion.longestSilence, Self.isMoving(sensors, at: \.first) {
      throw .dropout(milliseconds: lateness / 1_000)
    }
    let motion = try measure(sensors, end: nil)
    let isBack = abs(motion.finish - motion.start) < motion.range / 4
    guard !isBack, Self.isMoving(sensors, at: \.last) else { return motion }
    return try measure(sensors, end: end)
  }

  private func measure(
    _ sensors: [[MotionSample]], end: Int64?
  ) throws(RangeOfMotionRefusal) -> RangeOfMotion {
    guard let distal = sensors.last else { throw .stream(.noSamples) }
    guard let proximal = sensors.dropLast().last else {
      return try RangeOfMotion.measure(distal, end: end)
    }
    return try RangeOfMotion.measure(
      proximal: proximal, distal: distal, end: end, joint: joint)
  }

  /// Whether the 0.4 s at one end hold more than a limb at rest does: 8°, or 20° a second.
  private static func isMoving(
    _ sensors: [[MotionSample]], at edge: KeyPath<[MotionSample], MotionSample?>
  ) -> Bool {
    sensors.contains { samples in
      guard let time = samples[keyPath: edge]?.time else { return false }
      let near = samples.filter { ($0.time &- time).magnitude <= 400_000 }
      return ((try? RangeOfMotion.measure(near))?.range ?? 0) > 8
    }
  }
}

extension [MotionSample] {
  /// The times of the first and the last sample in microseconds; `nil` if they are not in order.
  package var timeSpan: ClosedRange<Int64>? {
    guard let first = first?.time, let last = last?.time, first < last else { return nil }
    return first...last
  }
}

extension [[MotionSample]] {
  /// The time during which all recordings ran, in microseconds; `nil` if they never overlapped.
  package var commonTimeSpan: ClosedRange<Int64>? {
    let spans = compactMap(\.timeSpan)
    guard spans.count == count, let start = spans.map(\.lowerBound).max(),
      let end = spans.map(\.upperBound).min(), start < end
    else { return nil }
    return start...end
  }
}
