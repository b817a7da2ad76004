import Care

extension Placement {
  /// Where a recorded sensor of that name is worn: `left-thigh`, `right_upperArm`, `trunk`.
  ///
  /// - Returns: `nil` where the name tells no part of the body.
  init?(sensorName: String) {
    let words = sensorName.split { "-_ ".contains($0) }.map { $0.lowercased() }
    let side = Side.allCases.first { words.contains($0.rawValue) }
    let segment = Segment.allCases.first { words.contains($0.rawValue.lowercased()) }
    let joint = Joint.allCases.first { words.contains($0.rawValue) }
    guard segment != nil || joint != nil else { return nil }
    self.init(joint: joint, side: side, segment: segment)
  }

  /// Whether a sensor that is worn here measures `joint` of `side`.
  func measures(_ joint: Joint, side: Side?) -> Bool {
    if let side, let own = self.side, own != side { return false }
    if let own = self.joint { return own == joint }
    return segment.map { joint.segments.contains($0) } ?? false
  }
}

extension Placement {
  /// The joint's segment that a sensor which is worn here is on, counted from the trunk outwards.
  func index(at joint: Joint) -> Int? { segment.flatMap(joint.segments.firstIndex) }

  /// The joints whose angle is the difference between a sensor here and one there.
  func sharedJoints(with other: Placement) -> Set<Joint> {
    Set(
      Joint.allCases.filter { joint in
        guard measures(joint, side: other.side), other.measures(joint, side: side),
          let own = index(at: joint), let others = other.index(at: joint)
        else { return false }
        return own != others
      })
  }

  /// Whether a sensor that is worn here is on one of `segments`, of `side` where it is given.
  func isOn(_ segments: Set<Segment>, side: Side?) -> Bool {
    if let side, let own = self.side, own != side { return false }
    let possible = segment.map { [$0] } ?? joint?.segments ?? []
    return !possible.isEmpty && segments.isSuperset(of: possible)
  }
}

extension Joint {
  /// The two segments that move when it bends, the one nearer to the trunk, or the lower, first.
  var segments: [Segment] {
    switch self {
    case .knee: [.thigh, .shank]
    case .hip: [.pelvis, .thigh]
    case .ankle: [.shank, .foot]
    case .shoulder: [.trunk, .upperArm]
    case .elbow: [.upperArm, .forearm]
    case .wrist: [.forearm, .hand]
    case .trunk: [.pelvis, .trunk]
    case .neck: [.trunk, .head]
    }
  }
}
