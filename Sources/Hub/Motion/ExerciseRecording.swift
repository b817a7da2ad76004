import Care
import Foundation
import Measurement

/// A stretch of a sensor's motion, kept in case it was an exercise.
struct ExerciseRecording: Sendable {
  /// An exercise takes at most this long; what goes on for longer is a day's wear.
  static let longest: Int64 = 600_000_000
  /// More samples than ten minutes of the fastest sensor are no exercise either.
  static let mostSamples = 250_000
  /// Steps that a few repetitions of a bend may be taken for.
  static let mostSteps = 15

  /// The sensor.
  let device: DeviceIdentity
  /// Steps that were counted in it: somebody who walks is not exercising a joint.
  var steps = 0
  private var samples: [MotionSample] = []
  private var isTooLong = false

  init(device: DeviceIdentity) {
    self.device = device
  }

  /// Takes samples, oldest first; of what is too long nothing is kept.
  mutating func add(_ batch: [MotionSample]) {
    guard !isTooLong else { return }
    samples += batch
    let length = (samples.last?.time ?? 0).subtractingReportingOverflow(samples.first?.time ?? 0)
    isTooLong =
      samples.count > Self.mostSamples || length.overflow || length.partialValue > Self.longest
    if isTooLong { samples = [] }
  }

  /// How many samples are kept.
  var sampleCount: Int { samples.count }

  /// When it was; `nil` where it cannot have been an exercise.
  var span: DateInterval? {
    guard let first = samples.first?.time, let last = samples.last?.time, first < last,
      steps <= Self.mostSteps
    else { return nil }
    return DateInterval(start: Date(microseconds: first), end: Date(microseconds: last))
  }

  /// How far the limb was moved; nothing came any more up to `end`.
  ///
  /// A sensor that falls silent while the limb is on its way has dropped out, and what it saw is not
  /// the whole movement.
  func rangeOfMotion(until end: Date) throws(RangeOfMotionRefusal) -> RangeOfMotion {
    let motion = try RangeOfMotion.measure(samples)
    let isBack = abs(motion.finish - motion.start) < motion.range / 4
    guard !isBack, isMovingAtEnd else { return motion }
    return try RangeOfMotion.measure(samples, end: end.microseconds)
  }

  /// Whether the last 0.4 s hold more than a limb at rest does: 8°, or 20° a second.
  private var isMovingAtEnd: Bool {
    guard let last = samples.last?.time else { return false }
    let tail = Array(samples.reversed().prefix { last &- $0.time <= 400_000 }.reversed())
    return ((try? RangeOfMotion.measure(tail))?.range ?? 0) > 8
  }
}
