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

extension Joint {
  /// The segments that move when it bends.
  var segments: Set<Segment> {
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
