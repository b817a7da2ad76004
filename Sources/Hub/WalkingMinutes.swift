import Care
import DeviceCatalog
import Foundation
import Measurement
import Motion

/// The walking of a sensor at the trunk, by minute of the clock, for its speed.
struct WalkingMinutes: Sendable {
  /// The fewest straight steps of a minute that has a speed: some ten seconds of walking.
  static let fewestSteps = 20
  /// Microseconds by which a step may lie before the minute in which it is counted.
  private static let margin: Int64 = 4_000_000

  private var meter = WalkingSpeedMeter()
  /// The counted steps of the open minutes, in order.
  private var steps: [Step] = []

  /// Makes it for a sensor on a segment; `nil` where no method holds in a stream.
  init?(on segment: Segment) {
    guard segment == .trunk || segment == .pelvis else { return nil }
  }

  /// Takes samples, oldest first.
  mutating func add(_ samples: [MotionSample]) {
    for sample in samples { meter.add(sample) }
    guard let last = samples.last else { return }
    meter.forget(
      before: last.time &- StepCounter.latency &- MinuteCounts.length &- Self.margin)
  }

  /// Takes the steps that were counted meanwhile.
  mutating func add(_ counted: [Step]) { steps += counted }

  /// Ends the minutes before `end`, in microseconds since 1970, and returns the walking in the one that
  /// begins at `start`; `nil` if it had too few steps.
  mutating func close(from start: Int64, to end: Int64) -> WalkedSteps? {
    let walked = steps.filter { $0.time >= start && $0.time < end }
    steps.removeAll { $0.time < end }
    guard walked.count >= Self.fewestSteps else { return nil }
    return meter.steps(of: walked)
  }
}

/// The walking of one minute, whose speed follows from the height of whoever wears the sensor.
struct WalkedMinute: Sendable {
  var steps: WalkedSteps
  var interval: DateInterval
  var device: DeviceIdentity
  var arrival: Date
}
