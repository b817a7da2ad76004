import Care
import Motion

/// A drawing of a person who performs an assessment: the moving part stands out, a dot is a sensor.
struct MeasureDrawing {
  let svg: String

  /// A point of the drawing, which is 200 wide and 164 high.
  private struct Point {
    var x: Double
    var y: Double

    var text: String { "\(Int(saturating: x.rounded())) \(Int(saturating: y.rounded()))" }

    func middle(to other: Point) -> Point { Point(x: (x + other.x) / 2, y: (y + other.y) / 2) }

    /// The point turned about another one, by quarters of a right angle: its sine and cosine.
    func turned(about centre: Point, sine: Double, cosine: Double) -> Point {
      let (dx, dy) = (x - centre.x, y - centre.y)
      return Point(
        x: centre.x + dx * cosine - dy * sine, y: centre.y + dx * sine + dy * cosine)
    }
  }

  /// How a person stands or sits, seen from the right.
  private struct Pose {
    var head = Point(x: 100, y: 20)
    var neck = Point(x: 100, y: 38)
    var shoulder = Point(x: 100, y: 46)
    var elbow = Point(x: 95, y: 68)
    var wrist = Point(x: 102, y: 88)
    var finger = Point(x: 106, y: 97)
    var hip = Point(x: 100, y: 90)
    var knee = Point(x: 103, y: 121)
    var ankle = Point(x: 100, y: 150)
    var toe = Point(x: 114, y: 153)
    /// The other leg, if it stands apart.
    var otherLeg: [Point] = []
    var hasChair = false

    static let standing = Pose()
    static let seated = Pose(
      head: Point(x: 84, y: 26), neck: Point(x: 84, y: 44), shoulder: Point(x: 84, y: 52),
      elbow: Point(x: 92, y: 74), wrist: Point(x: 110, y: 82), finger: Point(x: 119, y: 85),
      hip: Point(x: 84, y: 96), knee: Point(x: 122, y: 98), ankle: Point(x: 122, y: 138),
      toe: Point(x: 136, y: 141), hasChair: true)
    static let walking = Pose(
      elbow: Point(x: 88, y: 66), wrist: Point(x: 84, y: 88), finger: Point(x: 83, y: 97),
      knee: Point(x: 116, y: 116), ankle: Point(x: 124, y: 146), toe: Point(x: 137, y: 143),
      otherLeg: [Point(x: 96, y: 121), Point(x: 76, y: 146), Point(x: 84, y: 155)])
    static let reaching = Pose(
      elbow: Point(x: 124, y: 50), wrist: Point(x: 147, y: 48), finger: Point(x: 158, y: 48))

    /// The two ends of a segment.
    func ends(of segment: Segment) -> (Point, Point) {
      switch segment {
      case .foot: (ankle, toe)
      case .shank: (knee, ankle)
      case .thigh: (hip, knee)
      case .pelvis: (hip, Point(x: hip.x, y: hip.y - 10))
      case .trunk: (hip, neck)
      case .head: (neck, head)
      case .upperArm: (shoulder, elbow)
      case .forearm: (elbow, wrist)
      case .hand: (wrist, finger)
      }
    }

    /// The points that move with a segment, from the joint outwards.
    func chain(from segment: Segment) -> [Point] {
      switch segment {
      case .thigh: [hip, knee, ankle, toe]
      case .shank: [knee, ankle, toe]
      case .foot: [ankle, toe]
      case .upperArm: [shoulder, elbow, wrist, finger]
      case .forearm: [elbow, wrist, finger]
      case .hand: [wrist, finger]
      case .trunk: [hip, neck]
      case .head: [neck, head]
      case .pelvis: [hip, neck]
      }
    }
  }

  /// Draws the assessment of a task; a standing person for an unknown one.
  init(_ task: ActiveTask?) {
    let (pose, segment, moves) = Self.scene(task)
    var parts: [String] = []
    if pose.hasChair { parts.append(#"<path class="thing" d="M66 62V156M66 104H112V156"/>"#) }
    if !pose.otherLeg.isEmpty {
      parts.append(Self.line([pose.hip] + pose.otherLeg, "body far"))
    }
    parts.append(
      "<circle class=\"body\" cx=\"\(Int(saturating: pose.head.x))\" cy=\"\(Int(saturating: pose.head.y))\" r=\"12\"/>"
    )
    parts.append(Self.line([pose.neck, pose.hip, pose.knee, pose.ankle, pose.toe], "body"))
    parts.append(Self.line([pose.shoulder, pose.elbow, pose.wrist, pose.finger], "body"))
    if let segment {
      let chain = pose.chain(from: segment)
      if moves, let joint = chain.first {
        // 50° towards the front or the top.
        let isLeg = [.shank, .thigh, .foot].contains(segment)
        let moved = chain.map {
          $0.turned(about: joint, sine: isLeg ? -0.766 : -0.643, cosine: isLeg ? 0.643 : 0.766)
        }
        parts.append(Self.line(moved, "ghost"))
      }
      let (start, end) = pose.ends(of: segment)
      parts.append(Self.line([start, end], "part"))
      let dot = start.middle(to: end)
      parts.append(
        "<circle class=\"sensor\" cx=\"\(Int(saturating: dot.x))\" cy=\"\(Int(saturating: dot.y))\" r=\"7\"/>"
      )
    }
    svg =
      "<svg class=\"drawing\" viewBox=\"0 0 200 164\" width=\"200\" height=\"164\" aria-hidden=\"true\">"
      + parts.joined() + "</svg>"
  }

  private static func line(_ points: [Point], _ css: String) -> String {
    "<path class=\"\(css)\" d=\"M\(points.map(\.text).joined(separator: "L"))\"/>"
  }

  /// The pose, the segment that wears the sensor, and whether it turns about its joint.
  private static func scene(_ task: ActiveTask?) -> (Pose, Segment?, Bool) {
    switch task?.type {
    case "rangeOfMotion":
      let segment = task?.joint.flatMap { $0.segments.last } ?? .shank
      let pose: Pose =
        switch task?.joint {
        case .knee, .hip, .ankle: .seated
        case .elbow, .wrist: .reaching
        default: .standing
        }
      return (pose, segment, true)
    case "timedUpAndGo", "fiveTimesSitToStand", "thirtySecondChairStand":
      return (.seated, .thigh, false)
    case "timedWalk", "sixMinuteWalk": return (.walking, nil, false)
    case "tremor": return (.reaching, .hand, false)
    case "sway": return (.standing, .pelvis, false)
    default: return (.standing, nil, false)
    }
  }
}
