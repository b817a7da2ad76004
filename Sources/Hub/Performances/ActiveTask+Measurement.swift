import Care

extension ActiveTask {
  /// How it is measured.
  var measurement: any PerformedMeasurement {
    switch type {
    case .rangeOfMotion: JointMovement(joint: joint, side: side)
    case .timedUpAndGo: UpAndGo(side: side)
    case .fiveTimesSitToStand: FiveStands(side: side)
    case .thirtySecondChairStand: ThirtySecondsOfStands(side: side)
    case .timedWalk: KnownDistanceWalk(distance: distance)
    case .sixMinuteWalk: SixMinutesOfWalking(stepLength: stepLength)
    case .tremor: TremblingHand(side: side)
    case .sway: QuietStance(axis: axis)
    }
  }
}
