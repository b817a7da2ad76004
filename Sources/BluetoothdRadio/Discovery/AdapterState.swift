import SystemBus

/// What the radio does with a controller.
struct AdapterState {
  var cycle: DiscoveryCycle
  var silence = SilenceWatch()
  /// When the cycle wants to be asked again.
  var timer: EventLoop.Watch?
  /// Who waits until discovery rests.
  var waitingForQuiet: [CheckedContinuation<Void, Never>] = []
  /// Who may bring a link up; whoever waits is told whether the turn came.
  var turns = TurnQueue<CheckedContinuation<Bool, Never>>()
  /// What was last said about it, so that it is said once.
  var trouble: String?
  /// When it is tried again to switch it on.
  var powerTimer: EventLoop.Watch?

  init(at now: ContinuousClock.Instant) {
    cycle = DiscoveryCycle(at: now)
  }
}
