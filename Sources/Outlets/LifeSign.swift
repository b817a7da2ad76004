/// When this machine tells that it lives, so that somebody hears when it does so no more.
///
/// A dead machine tells nothing. A server of ntfy holds a message back that says so, and this machine
/// replaces it while it lives; or a health check waits for its calls. Times are those of a clock that
/// nobody sets.
public struct LifeSign: Hashable, Sendable {
  /// How far ahead the message lies: a day, and what a night without a network takes.
  public static let silence: Duration = .seconds(26 * 3_600)
  /// How often it is put off: more often than a day, so that one failure rings nobody.
  public static let interval: Duration = .seconds(6 * 3_600)

  /// A message that is due.
  public enum Step: Hashable, Sendable {
    /// Say that this machine watches, and see by the answer whether the server replaces messages.
    case announce
    /// Put the message off.
    case renew
  }

  /// Whether the other side replaces what it holds back; `nil` before it has answered.
  ///
  /// A server before 2.16 would send each of them: that is worse than none.
  public private(set) var isReplaceable: Bool?
  private var backOff = BackOff()
  private var dueTime: Duration

  /// Makes one.
  ///
  /// - Parameters:
  ///   - now: The time of a clock that nobody sets.
  ///   - isReplaceable: What an earlier run has learnt of the server.
  public init(at now: Duration, isReplaceable: Bool? = nil) {
    dueTime = now
    self.isReplaceable = isReplaceable
  }

  /// The next step and its time; `nil` if the server cannot do it.
  public var next: (step: Step, time: Duration)? {
    switch isReplaceable {
    case nil: (.announce, dueTime)
    case true?: (.renew, dueTime)
    case false?: nil
    }
  }

  /// Takes what came of the step.
  public mutating func take(
    _ delivery: Delivery, at now: Duration, using random: inout some RandomNumberGenerator
  ) {
    switch delivery.result {
    case .delivered:
      backOff.succeed()
      let isFirst = isReplaceable == nil
      // Later answers tell, too: a server may be replaced by an older one.
      isReplaceable = delivery.isReplaceable
      dueTime = isFirst ? now : now + Self.interval
    case .later(_, let asked): dueTime = now + backOff.fail(asked: asked, using: &random)
    case .unknown, .refused: dueTime = now + backOff.fail(using: &random)
    }
  }
}
