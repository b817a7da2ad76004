/// What the radio does with a controller.
struct AdapterState {
  var cycle: DiscoveryCycle
  var silence = SilenceWatch()
  /// When the cycle wants to be asked again.
  var timer: EventLoop.Watch?
  /// Who waits until discovery rests.
  var waitingForQuiet: [CheckedContinuation<Void, Never>] = []
  /// Whether a link is being brought up: one at a time, since a second one wedges some controllers.
  var isConnecting = false
  /// Who waits for the turn to bring a link up.
  var waitingForTurn: [CheckedContinuation<Bool, Never>] = []
  /// What was last said about it, so that it is said once.
  var trouble: String?
  /// When it is tried again to switch it on.
  var powerTimer: EventLoop.Watch?

  init(at now: ContinuousClock.Instant) {
    cycle = DiscoveryCycle(at: now)
  }
}
