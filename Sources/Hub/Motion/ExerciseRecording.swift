import Care
import Foundation
import Measurement
import Motion

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
  /// Where it is worn, once that is looked up.
  var placement: Placement?
  /// Steps that were counted in it.
  var steps = 0
  /// The joints at which another sensor's recording was measured together with this one.
  var sharedJoints: Set<Joint> = []
  /// What it read, oldest first.
  private(set) var samples: [MotionSample] = []
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

  /// Whether somebody walked, and so held no limb still and exercised no joint.
  var isWalk: Bool { steps > Self.mostSteps }

  /// When it was, in microseconds since 1970; `nil` where it cannot have been an exercise.
  var times: ClosedRange<Int64>? {
    guard let first = samples.first?.time, let last = samples.last?.time, first < last else {
      return nil
    }
    return first...last
  }

  /// When it was; `nil` where it cannot have been an exercise.
  var span: DateInterval? { times.map(DateInterval.init(microseconds:)) }

  /// The samples of a time.
  func samples(in times: ClosedRange<Int64>) -> [MotionSample] {
    samples.filter { times.contains($0.time) }
  }
}

extension DateInterval {
  /// The interval between two times in microseconds since 1970.
  init(microseconds: ClosedRange<Int64>) {
    self.init(
      start: Date(microseconds: microseconds.lowerBound),
      end: Date(microseconds: microseconds.upperBound))
  }
}
