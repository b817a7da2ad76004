import Motion
import Testing

@Suite struct PlacementTests {
  @Test(arguments: [
    ("left-thigh", Placement(side: .left, segment: .thigh)),
    ("right_upperArm", Placement(side: .right, segment: .upperArm)),
    ("LEFT SHANK", Placement(side: .left, segment: .shank)),
    ("trunk", Placement(joint: .trunk, segment: .trunk)),
    ("knee-left", Placement(joint: .knee, side: .left)),
    ("pocket", nil), ("left", nil), ("", nil), ("A0:9E:1A:00:00:02", nil), ("leftthigh", nil),
  ])
  func `a sensors name tells where it is worn`(name: String, placement: Placement?) {
    #expect(Placement(sensorName: name) == placement)
  }

  @Test(arguments: [
    (Placement(side: .left, segment: .shank), Joint.knee, Side?.some(.left), true),
    (Placement(side: .left, segment: .thigh), .knee, .left, true),
    (Placement(side: .left, segment: .thigh), .hip, .left, true),
    (Placement(side: .right, segment: .shank), .knee, .left, false),
    (Placement(segment: .shank), .knee, .left, true),
    (Placement(side: .right, segment: .shank), .knee, nil, true),
    (Placement(side: .left, segment: .shank), .elbow, .left, false),
    // A sensor that is worn for one joint measures no other.
    (Placement(joint: .hip, side: .left, segment: .thigh), .knee, .left, false),
    (Placement(joint: .knee, side: .left), .knee, .left, true),
    (Placement(side: .left), .knee, .left, false),
  ])
  func `measures the joint that its segment moves at`(
    placement: Placement, joint: Joint, side: Side?, expected: Bool
  ) {
    #expect(placement.measures(joint, side: side) == expected)
  }

  @Test(arguments: [
    (
      Placement(side: .left, segment: .thigh), Placement(side: .left, segment: .shank),
      Joint?.some(.knee)
    ),
    (
      Placement(joint: .knee, side: .left, segment: .thigh),
      Placement(joint: .knee, side: .left, segment: .shank), .knee
    ),
    (Placement(segment: .pelvis), Placement(side: .right, segment: .thigh), .hip),
    (Placement(joint: .hip, segment: .thigh), Placement(segment: .shank), nil),
    (Placement(side: .left, segment: .thigh), Placement(side: .right, segment: .shank), nil),
    (Placement(side: .left, segment: .thigh), Placement(side: .left, segment: .thigh), nil),
    // Without its segment a sensor is on neither side of a joint.
    (Placement(joint: .knee, side: .left), Placement(side: .left, segment: .shank), nil),
  ])
  func `two sensors share the joint between them`(
    one: Placement, other: Placement, joint: Joint?
  ) {
    #expect(one.sharedJoints(with: other) == Set([joint].compactMap(\.self)))
    #expect(other.sharedJoints(with: one) == Set([joint].compactMap(\.self)))
  }

  @Test(arguments: [
    (Placement(side: .left, segment: .thigh), Side?.none, true),
    (Placement(side: .left, segment: .thigh), .left, true),
    (Placement(side: .left, segment: .thigh), .right, false),
    (Placement(joint: .hip, segment: .thigh), nil, true),
    (Placement(segment: .shank), nil, false),
    // On the thigh or on the shank: nobody knows.
    (Placement(joint: .knee), nil, false), (Placement(side: .left), nil, false),
  ])
  func `is on a segment where that is known`(placement: Placement, side: Side?, expected: Bool) {
    #expect(placement.isOn([.thigh], side: side) == expected)
  }

  @Test(arguments: Joint.allCases)
  func `every joint has its two segments`(joint: Joint) {
    #expect(joint.segments.count == 2)
  }
}
