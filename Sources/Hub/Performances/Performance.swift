import Care
import Motion

/// A stretch of one sensor's motion that is over, with what the sensors that belong to it saw.
struct Performance: Sendable {
  /// The sensor that fell silent.
  var own: ExerciseRecording
  /// Those across a joint from it, as far as they had come by then.
  var partners: [ExerciseRecording] = []

  /// The same, each sensor worn where `bindings` say.
  func placed(by bindings: [DeviceBinding]) -> Performance {
    func place(_ recording: ExerciseRecording) -> ExerciseRecording {
      var placed = recording
      placed.placement = bindings.placement(of: recording.device.address)
      return placed
    }
    return Performance(own: place(own), partners: partners.map(place))
  }

  /// The recording alone where its sensor is worn on one of `segments`, of `side` where it is given.
  func recording(on segments: Set<Segment>, side: Side?) -> [ExerciseRecording]? {
    own.placement?.isOn(segments, side: side) == true ? [own] : nil
  }
}

extension [DeviceBinding] {
  /// Where a sensor is worn, by the plan, else by the name that a recording gives it.
  func placement(of sensor: DeviceID) -> Placement? {
    lazy.filter { $0.address == sensor }.compactMap(\.placement).first
      ?? Placement(sensorName: sensor.text)
  }

  /// The joints whose angle is that between two sensors; none where they are two people's.
  func joints(between first: DeviceID, and second: DeviceID) -> Set<Joint> {
    func owner(_ sensor: DeviceID) -> String? { self.first { $0.address == sensor }?.patient }
    guard owner(first) == owner(second), let one = placement(of: first),
      let other = placement(of: second)
    else { return [] }
    return one.sharedJoints(with: other)
  }
}
