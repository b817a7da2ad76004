import Care
import Foundation
import Measurement
import Motion

/// The range of motion of a joint: by a sensor on either side of it, else by one.
struct JointMovement: PerformedMeasurement {
  /// The joint, and the side of the body where the task names it.
  var joint: Joint?
  var side: Side?

  func recordings(of performance: Performance) -> [ExerciseRecording]? {
    guard let joint, let placement = performance.own.placement,
      placement.measures(joint, side: side), !performance.own.isWalk
    else { return nil }
    let pair = performance.partners.first { partner in
      partner.placement.map { other in
        other.measures(joint, side: side) && other.sharedJoints(with: placement).contains(joint)
      } ?? false
    }.map { [performance.own, $0] }
    if let pair {
      return pair.sorted { $0.index(at: joint) < $1.index(at: joint) }
    }
    // What was measured when the other sensor fell silent is not measured again.
    return performance.own.sharedJoints.contains(joint) ? nil : [performance.own]
  }

  func measure(
    _ recordings: [ExerciseRecording], amid surroundings: Surroundings
  ) throws(PerformanceRefusal) -> [PerformedValue] {
    let motion = try PerformanceRefusal.orReason { () throws(RangeOfMotionRefusal) in
      try LimbMotion(recordings).rangeOfMotion(until: surroundings.end.microseconds)
    }
    let angles = [
      ("range", motion.range), ("start", motion.start), ("finish", motion.finish),
      ("minimum", motion.minimum), ("maximum", motion.maximum),
    ].map { PerformedValue.result($0, $1, .rangeOfMotion) }
    let hold = motion.hold.map {
      [
        PerformedValue.figure("hold", $0.duration, .second),
        .figure("holdMean", $0.mean, .degree),
      ]
    }
    return angles + [.count("repetitions", motion.repetitions)] + (hold ?? []) + [
      .count("sensorCount", motion.sensorCount),
      PerformedValue(kind: "confidence", value: .text(motion.confidence.rawValue)),
    ]
  }
}

extension ExerciseRecording {
  fileprivate func index(at joint: Joint) -> Int { placement?.index(at: joint) ?? 0 }
}
