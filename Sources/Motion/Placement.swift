/// One of a sensor's own axes.
public enum Axis: String, Hashable, Sendable, Codable, CaseIterable {
  /// The sensor's x axis.
  case x
  /// The sensor's y axis.
  case y
  /// The sensor's z axis, on most sensors perpendicular to the surface that is worn on the body.
  case z
}

/// A joint whose motion is measured.
public enum Joint: String, Hashable, Sendable, Codable, CaseIterable {
  case knee, hip, ankle, shoulder, elbow, wrist, trunk, neck

  /// The two segments that it connects: the proximal one, or for the spine the lower one, first.
  public var segments: [Segment] {
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

  /// Whether it bends to one side of straight by far more than to the other.
  public var isHinge: Bool { self == .knee || self == .elbow }
}

/// A side of the body.
public enum Side: String, Hashable, Sendable, Codable, CaseIterable {
  case left, right
}

/// A segment of the body that a sensor can be worn on.
public enum Segment: String, Hashable, Sendable, Codable, CaseIterable {
  case foot, shank, thigh, pelvis, trunk, head, upperArm, forearm, hand
}

/// Where a sensor is worn.
public struct Placement: Hashable, Sendable, Codable {
  /// The joint that it measures.
  public var joint: Joint?
  /// The side of the body.
  public var side: Side?
  /// The segment that it is attached to.
  public var segment: Segment?

  /// Makes a placement.
  public init(joint: Joint? = nil, side: Side? = nil, segment: Segment? = nil) {
    self.joint = joint
    self.side = side
    self.segment = segment
  }

  /// The placement that a recorded sensor's name states: `left-thigh`, `right_upperArm`, `trunk`.
  ///
  /// - Returns: `nil` for a name without a joint or a segment.
  public init?(sensorName: String) {
    let words = sensorName.split { "-_ ".contains($0) }.map { $0.lowercased() }
    let side = Side.allCases.first { words.contains($0.rawValue) }
    let segment = Segment.allCases.first { words.contains($0.rawValue.lowercased()) }
    let joint = Joint.allCases.first { words.contains($0.rawValue) }
    guard segment != nil || joint != nil else { return nil }
    self.init(joint: joint, side: side, segment: segment)
  }

  /// Whether a sensor that is worn here measures `joint`, on `side` unless that is `nil`.
  public func measures(_ joint: Joint, side: Side?) -> Bool {
    if let side, let own = self.side, own != side { return false }
    if let own = self.joint { return own == joint }
    return segment.map { joint.segments.contains($0) } ?? false
  }

  /// The position of this segment in ``Joint/segments``; `nil` for a segment of another joint.
  public func index(at joint: Joint) -> Int? { segment.flatMap(joint.segments.firstIndex) }

  /// The joints whose angle is the difference between a sensor here and a sensor at `other`.
  public func sharedJoints(with other: Placement) -> Set<Joint> {
    Set(
      Joint.allCases.filter { joint in
        guard measures(joint, side: other.side), other.measures(joint, side: side),
          let own = index(at: joint), let others = other.index(at: joint)
        else { return false }
        return own != others
      })
  }

  /// Whether a sensor that is worn here is on one of `segments`, on `side` unless that is `nil`.
  public func isOn(_ segments: Set<Segment>, side: Side?) -> Bool {
    if let side, let own = self.side, own != side { return false }
    let possible = segment.map { [$0] } ?? joint?.segments ?? []
    return !possible.isEmpty && segments.isSuperset(of: possible)
  }
}
