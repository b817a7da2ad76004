/// Why a timed up and go could not be measured; no figure is made up instead.
public enum TimedUpAndGoRefusal: Error, Hashable, Sendable, CustomStringConvertible {
  /// The stream cannot be measured at all.
  case stream(SignalQuality.Refusal)
  /// The sensor fell silent in the middle of the task, for so many milliseconds.
  case dropout(milliseconds: Int64)
  /// Nobody walked for five seconds.
  case noWalk
  /// Somebody walked, but had not been sitting still before.
  case noStandUp
  /// Somebody stood up and walked, but did not come to sit still in the same way again.
  case noSitDown
  /// The recording holds so many tasks, and which one is meant is not for the measurement to guess.
  case severalTasks(count: Int)

  /// A short name for scripts: `noSamples`, `rateTooLow`, `dropout`, `noWalk`, `noStandUp`,
  /// `noSitDown`, `severalTasks`.
  public var code: String {
    switch self {
    case .stream(let refusal): refusal.rawValue
    case .dropout: "dropout"
    case .noWalk: "noWalk"
    case .noStandUp: "noStandUp"
    case .noSitDown: "noSitDown"
    case .severalTasks: "severalTasks"
    }
  }

  /// What happened and what to do now, for people.
  public var description: String {
    "no timed up and go: " + reason
  }

  private var reason: String {
    switch self {
    case .stream(let refusal):
      "\(refusal)"
    case .dropout(let milliseconds):
      "the sensor was silent for \(milliseconds / 1_000).\(milliseconds % 1_000 / 100) s during the "
        + "task; bring the receiver closer and repeat it"
    case .noWalk:
      "the recording holds no five seconds of walking; wear the sensor on the thigh, in a front "
        + "pocket for instance, and walk to the mark and back"
    case .noStandUp:
      "there is walking, but no sitting still before it; sit still for two seconds, then stand up"
    case .noSitDown:
      "there is no sitting still after the walk, the sensor as it was before; sit down and stay "
        + "still for two seconds, the sensor untouched"
    case .severalTasks(let count):
      "the recording holds \(count) tasks; record each by itself, or measure one part at a time"
    }
  }
}
