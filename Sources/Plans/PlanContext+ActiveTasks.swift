import Care
import StrictYAML

extension PlanReader {
  /// The measurement that a person performs for a task, with the keys that its type knows.
  func activeTask(_ node: YAMLNode?) throws(YAMLError) -> ActiveTask? {
    guard let node else { return nil }
    var reader = try node.mapping()
    var task = ActiveTask(type: try reader.required("type").choice())
    switch task.type {
    case .rangeOfMotion:
      task.joint = try reader.required("joint").choice()
      task.side = try reader.optional("side")?.choice()
    case .timedUpAndGo, .fiveTimesSitToStand, .thirtySecondChairStand, .tremor:
      task.side = try reader.optional("side")?.choice()
    case .timedWalk:
      task.distance = try reader.required("distance").metres(in: ActiveTask.distances)
    case .sixMinuteWalk:
      task.stepLength = try reader.optional("stepLength")?.metres(in: ActiveTask.stepLengths)
    case .sway:
      task.axis = try reader.optional("axis")?.choice()
    }
    for key in task.type.foreignKeys where reader.optional(key) != nil {
      throw reader.location(of: key).error(
        "a \(task.type.rawValue) has no \(key), so leave this out")
    }
    try reader.finish()
    return task
  }
}

extension ActiveTaskType {
  /// The keys of other types that this one has no use for.
  fileprivate var foreignKeys: [String] {
    let own: Set<String> =
      switch self {
      case .rangeOfMotion: ["joint", "side"]
      case .timedUpAndGo, .fiveTimesSitToStand, .thirtySecondChairStand, .tremor: ["side"]
      case .timedWalk: ["distance"]
      case .sixMinuteWalk: ["stepLength"]
      case .sway: ["axis"]
      }
    return ["joint", "side", "distance", "stepLength", "axis"].filter { !own.contains($0) }
  }
}

extension YAMLNode {
  /// A length such as `10 m` or `60 cm`, in metres.
  fileprivate func metres(in range: ClosedRange<Double>) throws(YAMLError) -> Double {
    let metres = try measure(of: .distanceWalked)
    guard range.contains(metres) else {
      throw error("\(metres) m is not between \(range.lowerBound) m and \(range.upperBound) m")
    }
    return metres
  }
}
