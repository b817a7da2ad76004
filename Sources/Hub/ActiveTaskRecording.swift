import Assessments
import Care
import Foundation
import Measurement
import Motion

/// A finished stretch of one sensor's motion, which may be an active task, with the recordings of
/// the sensors that belong to it.
struct ActiveTaskRecording: Sendable {
  /// The recording of the sensor that fell silent.
  var own: SensorRecording
  /// Those of the sensors across a joint from it, up to that time.
  var partners: [SensorRecording] = []

  /// The same recordings, each sensor placed as `bindings` say.
  func placed(by bindings: [DeviceBinding]) -> ActiveTaskRecording {
    func place(_ recording: SensorRecording) -> SensorRecording {
      var placed = recording
      placed.placement = bindings.placement(of: recording.device.address)
      return placed
    }
    return ActiveTaskRecording(own: place(own), partners: partners.map(place))
  }

  /// The recordings that show an assessment of `task`, from the trunk outwards.
  ///
  /// - Returns: `nil` if none of them meets the requirement: the motion was not meant for the task.
  func recordings(
    meeting requirement: SensorRequirement, for task: ActiveTask
  ) -> [SensorRecording]? {
    guard let placement = own.placement, !(requirement.isInPlace && own.isWalk) else { return nil }
    switch requirement.site {
    case .anywhere: return [own]
    case .screen: return nil
    case .segments(let segments):
      return placement.isOn(Set(segments), side: task.side) ? [own] : nil
    case .joint:
      return task.joint.flatMap { recordings(of: $0, side: task.side, around: placement) }
    }
  }

  /// The pair of recordings on either side of the joint, or the own one alone.
  private func recordings(
    of joint: Joint, side: Side?, around placement: Placement
  ) -> [SensorRecording]? {
    guard placement.measures(joint, side: side) else { return nil }
    let partner = partners.first { partner in
      partner.placement.map { other in
        other.measures(joint, side: side) && other.sharedJoints(with: placement).contains(joint)
      } ?? false
    }
    if let partner {
      return [own, partner].sorted { $0.index(at: joint) < $1.index(at: joint) }
    }
    // The other sensor's recording was measured together with this one already.
    return own.sharedJoints.contains(joint) ? nil : [own]
  }
}

/// A stretch of a sensor's motion, stored in case it is an active task.
struct SensorRecording: Sendable {
  /// An active task takes at most ten minutes; longer motion is a day's wear.
  static let longest: Int64 = 600_000_000
  /// More samples than the fastest sensor sends in ten minutes.
  static let mostSamples = 250_000
  /// Steps that a few repetitions of a bend may be mistaken for.
  static let mostSteps = 15

  /// The sensor.
  let device: DeviceIdentity
  /// Where it is worn, once that is looked up.
  var placement: Placement?
  /// Steps counted in it.
  var steps = 0
  /// Whether it began when the sensor was switched on.
  var isFromSwitchOn = false
  /// Whether a session with a person had a part of it, which is not measured again.
  var isSupervised = false
  /// The joints at which another sensor's recording was measured together with this one.
  var sharedJoints: Set<Joint> = []
  /// Its samples, oldest first.
  private(set) var samples: [MotionSample] = []
  private var isTooLong = false

  init(device: DeviceIdentity) {
    self.device = device
  }

  /// Adds samples, oldest first; a recording that grows too long drops them all.
  mutating func add(_ batch: [MotionSample]) {
    guard !isTooLong else { return }
    samples += batch
    let length = (samples.last?.time ?? 0).subtractingReportingOverflow(samples.first?.time ?? 0)
    isTooLong =
      samples.count > Self.mostSamples || length.overflow || length.partialValue > Self.longest
    if isTooLong { samples = [] }
  }

  /// Whether the person walked, and so neither held a limb still nor exercised a joint.
  var isWalk: Bool { steps > Self.mostSteps }

  /// When it was, in microseconds since 1970; `nil` if it cannot be an active task.
  var times: ClosedRange<Int64>? { samples.timeSpan }

  /// When it was; `nil` if it cannot be an active task.
  var span: DateInterval? { times.map(DateInterval.init(microseconds:)) }

  /// The position of its segment at the joint, counted from the trunk outwards.
  fileprivate func index(at joint: Joint) -> Int { placement?.index(at: joint) ?? 0 }
}

extension [DeviceBinding] {
  /// Where a sensor is worn: by the plan, otherwise by the name that a recording gives it.
  func placement(of sensor: DeviceID) -> Placement? {
    lazy.filter { $0.address == sensor }.compactMap(\.placement).first
      ?? Placement(sensorName: sensor.text)
  }

  /// The joints whose angle is that between two sensors; none if they are two people's.
  func joints(between first: DeviceID, and second: DeviceID) -> Set<Joint> {
    func owner(_ sensor: DeviceID) -> String? { self.first { $0.address == sensor }?.patient }
    guard owner(first) == owner(second), let one = placement(of: first),
      let other = placement(of: second)
    else { return [] }
    return one.sharedJoints(with: other)
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
