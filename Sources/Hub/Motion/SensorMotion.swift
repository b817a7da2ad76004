import Assessments
import Care
import DeviceCatalog
import Foundation
import Measurement
import Motion

/// What is measured on the motion of one sensor.
struct SensorMotion: Sendable {
  /// A stretch of motion ends after so many seconds without a sample.
  static let silence: TimeInterval = 2

  private let device: DeviceIdentity
  private var counter = StepCounter()
  private var minutes = StepMinutes()
  private var recording: SensorRecording?
  /// The later of the last sample's time and its arrival.
  private var lastHeard = Date.distantPast
  private var isOpen = false

  init(device: DeviceIdentity) {
    self.device = device
  }

  /// When something is due: the end of a silence, or of a minute with steps in it.
  var wakeAt: Date? {
    if isOpen { return lastHeard.addingTimeInterval(Self.silence) }
    return minutes.earliestEnd.map { Date(microseconds: $0) }
  }

  /// Takes samples, oldest first.
  mutating func add(_ samples: [MotionSample], at arrival: Date) -> [Finding] {
    guard let last = samples.last else { return [] }
    isOpen = true
    lastHeard = max(lastHeard, arrival, Date(microseconds: last.time))
    recording = recording ?? SensorRecording(device: device)
    recording?.add(samples)
    count(counter.add(contentsOf: samples))
    return readings(minutes.close(upTo: last.time &- StepCounter.latency), at: arrival)
  }

  /// Does what is due at `time`.
  mutating func wake(at time: Date) -> [Finding] {
    guard let wakeAt, wakeAt <= time else { return [] }
    let findings = isOpen ? endStretch(at: time) : []
    return findings + readings(minutes.close(upTo: time.microseconds), at: time)
  }

  /// The stretch of motion is over: the sensor is gone, or silent.
  mutating func endStretch(at time: Date) -> [Finding] {
    guard isOpen else { return [] }
    isOpen = false
    count(counter.finish())
    defer { recording = nil }
    return recording.map { [.recording(ActiveTaskRecording(own: $0))] } ?? []
  }

  /// What it saw so far, for the sensor across a joint from it that has fallen silent.
  ///
  /// - Returns: `nil` where it was not there for half of the other's time: that one is then alone.
  mutating func share(with other: SensorRecording, at joints: Set<Joint>) -> SensorRecording? {
    guard let recording, let times = other.times,
      let common = [recording.samples, other.samples].commonTimeSpan,
      (common.upperBound - common.lowerBound) * 2 >= times.upperBound - times.lowerBound
    else { return nil }
    self.recording?.sharedJoints.formUnion(joints)
    return recording
  }

  /// Nothing will follow: every minute is closed.
  mutating func end(at time: Date) -> [Finding] {
    endStretch(at: time) + readings(minutes.closeAll(), at: time)
  }

  private mutating func count(_ steps: [Step]) {
    for step in steps { minutes.add(1, at: step.time) }
    recording?.steps += steps.count
  }

  private func readings(_ closed: [StepMinutes.Minute], at arrival: Date) -> [Finding] {
    closed.map { minute in
      let start = Date(microseconds: minute.start)
      return .reading(
        Reading(
          quantity: .stepCount, value: Double(minute.steps), arrival: arrival,
          interval: DateInterval(
            start: start, end: Date(microseconds: minute.start + StepMinutes.length)),
          device: device, isStreamed: true))
    }
  }
}
