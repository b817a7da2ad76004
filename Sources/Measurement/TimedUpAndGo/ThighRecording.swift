import Motion

/// A recording of the thigh, divided at gaps of more than a second.
struct ThighRecording: Hashable, Sendable {
  /// The quality of the samples.
  let quality: SignalQuality
  /// The stretches between gaps, in order.
  private let stretches: [ThighSignals]
  /// The duration of the gap before each stretch but the first, in microseconds.
  private let silences: [Int64]

  /// Divides samples into stretches; samples out of order are left out.
  init(_ samples: [MotionSample]) {
    var monitor = StreamMonitor()
    var motions: [ResampledMotion] = []
    var silences: [Int64] = []
    var last: Int64 = 0
    for sample in samples {
      switch monitor.judge(sample) {
      case .outOfOrder: continue
      case .first:
        if !motions.isEmpty {
          let (silence, overflow) = sample.time.subtractingReportingOverflow(last)
          silences.append(overflow ? .max : silence)
        }
        motions.append(ResampledMotion(sample))
      case .next: motions[motions.count - 1].add(sample)
      }
      last = sample.time
    }
    quality = monitor.quality
    self.silences = silences
    stretches = motions.map { motion in
      var motion = motion
      motion.close()
      return ThighSignals(motion)
    }
  }

  /// The task of the recording and its stretch; throws if there is not exactly one.
  func task() throws(TimedUpAndGoRefusal) -> (thigh: ThighSignals, trial: UpAndGoTrial) {
    var found: [(thigh: ThighSignals, trial: UpAndGoTrial)] = []
    var refusal = TimedUpAndGoRefusal.noWalk
    for thigh in stretches {
      for result in UpAndGoTrial.judge(thigh) {
        switch result {
        case .success(let trial): found.append((thigh, trial))
        // Of several walks report the reason of the one that met most conditions.
        case .failure(let failure): refusal = refusal == .noSitDown ? refusal : failure
        }
      }
    }
    if let task = found.first, found.count == 1 { return task }
    guard found.isEmpty else { throw .severalTasks(count: found.count) }
    for (index, silence) in silences.enumerated()
    where stretches[index].movesAtEnd || stretches[index + 1].movesAtStart {
      throw .dropout(milliseconds: silence / 1_000)
    }
    throw refusal
  }
}

extension ThighSignals {
  /// Whether the thigh was moving when the stretch began.
  fileprivate var movesAtStart: Bool { activity.first ?? 0 >= UpAndGoTrial.stillness }
  /// Whether the thigh was moving when the stretch ended.
  fileprivate var movesAtEnd: Bool { activity.last ?? 0 >= UpAndGoTrial.stillness }
}

/// Orientation and activity of the thigh over a stretch of samples.
struct ThighSignals: Hashable, Sendable {
  /// Cells over which the force is smoothed to gravity: two thirds of a step, 1 Hz.
  private static let gravityWidth = 15
  /// Cells over which the force is smoothed to posture.
  private static let postureWidth = 35
  /// Cells over which the deviations from posture are averaged: short, to time the start of a
  /// movement.
  private static let activityWidth = 15
  /// Cells over which they are averaged to distinguish walking from a jerk: a stride.
  private static let strideWidth = 51
  /// Cells over which they are smoothed to distinguish calm from the end of a movement: half a
  /// second.
  private static let calmWidth = 25
  /// Cells before and after between which gravity is compared.
  static let reach = 5

  let motion: ResampledMotion
  /// The unit vector that points up along the sensor's axes, Q30, one a cell.
  let ups: [Vector3]
  /// The activity in micro-g: the larger of the force's mean deviation from posture over 0.3 s and
  /// the change of gravity over 0.2 s, which shows a slow and smooth rise.
  let activity: [Int64]
  /// The mean deviation over a stride, in micro-g.
  let stride: [Int64]
  /// The deviation from posture, smoothed over half a second, in micro-g.
  let stirring: [Int64]

  /// Computes the signals of a closed stretch.
  init(_ motion: ResampledMotion) {
    self.motion = motion
    let posture = motion.forces.smoothed(over: Self.postureWidth)
    let departures = zip(motion.forces, posture).map { Int64(($0 - $1).length) }
    let gravity = motion.forces.smoothed(over: Self.gravityWidth)
    let shaking = departures.movingMean(over: Self.activityWidth)
    activity = gravity.indices.map { index in
      let before = gravity[max(index - Self.reach, 0)]
      let after = gravity[min(index + Self.reach, gravity.count - 1)]
      return max(shaking[index], Int64((after - before).length))
    }
    stride = departures.movingMean(over: Self.strideWidth)
    stirring = departures.smoothed(over: Self.calmWidth)
    var up = Vector3(x: 0, y: 0, z: 1 << 30)
    ups = gravity.map { force in
      up = force.unit ?? up
      return up
    }
  }

  /// The mean direction of up over some cells, Q30; `nil` if it is zero.
  func up(over cells: Range<Int>) -> Vector3? {
    ups[cells].reduce(WideVector.zero) { $0 + WideVector($1) }.unit
  }
}
