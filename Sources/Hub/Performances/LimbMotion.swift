import Measurement
import Motion

/// What one sensor saw of a limb's movement, or two on either side of a joint while both were there.
struct LimbMotion {
  /// The samples of each sensor, from the trunk outwards.
  private let sensors: [[MotionSample]]
  /// Microseconds by which one sensor began later than the other.
  private let lateness: Int64

  init(_ recordings: [ExerciseRecording]) {
    let starts = recordings.compactMap { $0.times?.lowerBound }
    lateness = (starts.max() ?? 0) &- (starts.min() ?? 0)
    sensors = recordings.map { recording in
      recordings.commonTimes.map(recording.samples) ?? []
    }
  }

  /// How far the limb was moved; nothing came any more up to `end` (microseconds).
  ///
  /// A sensor that falls silent while the limb is on its way, or is first heard then, was not there
  /// all the time, and what it saw is not the whole movement.
  func rangeOfMotion(until end: Int64) throws(RangeOfMotionRefusal) -> RangeOfMotion {
    if lateness > RangeOfMotion.longestSilence, isMoving(\.first) {
      throw .dropout(milliseconds: lateness / 1_000)
    }
    let motion = try measure()
    let isBack = abs(motion.finish - motion.start) < motion.range / 4
    guard !isBack, isMoving(\.last) else { return motion }
    return try measure(end: end)
  }

  private func measure(end: Int64? = nil) throws(RangeOfMotionRefusal) -> RangeOfMotion {
    guard let own = sensors.last else { throw .stream(.noSamples) }
    guard let upper = sensors.dropLast().last else {
      return try RangeOfMotion.measure(own, end: end)
    }
    return try RangeOfMotion.measure(proximal: upper, distal: own, end: end)
  }

  /// Whether the 0.4 s at one end hold more than a limb at rest does: 8°, or 20° a second.
  private func isMoving(_ edge: KeyPath<[MotionSample], MotionSample?>) -> Bool {
    sensors.contains { samples in
      guard let time = samples[keyPath: edge]?.time else { return false }
      let near = samples.filter { ($0.time &- time).magnitude <= 400_000 }
      return ((try? RangeOfMotion.measure(near))?.range ?? 0) > 8
    }
  }
}

extension [ExerciseRecording] {
  /// When all of them were there, in microseconds; `nil` where they never were together.
  var commonTimes: ClosedRange<Int64>? {
    let times = compactMap(\.times)
    guard times.count == count, let start = times.map(\.lowerBound).max(),
      let end = times.map(\.upperBound).min(), start < end
    else { return nil }
    return start...end
  }
}
