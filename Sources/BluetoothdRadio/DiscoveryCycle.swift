/// When a controller receives advertisements.
///
/// While bluetoothd discovers, no device that it links by itself can return: a mouse, a keyboard. So
/// discovery rests as long as such a device is away; else it goes on almost without a gap, since
/// some scales broadcast a weight for half a second. Discovery also pauses while a link is
/// connected, since many controllers abort a connection during discovery. The cycle decides what to
/// do and when to evaluate it again; its owner performs the actions.
struct DiscoveryCycle: Hashable, Sendable {
  typealias Instant = ContinuousClock.Instant

  /// How long to discover: sensors advertise for some seconds after a measurement.
  ///
  /// The kernel ends every discovery after 10.24 s; stopping before lets the cycle choose the
  /// pauses. A stop that comes later leaves bluetoothd with a ``StuckDiscovery``, so there is a
  /// margin for a busy machine.
  static let listening = Duration.seconds(9)
  /// How long to rest for a device that bluetoothd links by itself.
  static let resting = Duration.seconds(5)
  /// How long to pause if there is none: shorter than the shortest broadcast.
  static let pausing = Duration.milliseconds(100)

  /// An action for the controller.
  enum Action: Hashable, Sendable {
    case start
    case stop
  }

  private enum Phase: Hashable, Sendable {
    case resting(until: Instant)
    case starting
    case listening(until: Instant)
    case stopping
  }

  /// Whether the controller is switched on.
  var isPowered = false
  /// How many links are being connected.
  var holds = 0
  private var phase: Phase
  private var failures = 0

  /// Makes a cycle that begins as soon as its controller is on.
  init(at now: Instant) {
    phase = .resting(until: now)
  }

  /// Whether the controller has no operation in progress, so that a link can be connected.
  var isQuiet: Bool {
    guard case .resting = phase else { return false }
    return true
  }

  private var mayListen: Bool { isPowered && holds == 0 }

  /// When to evaluate the cycle again, if nothing happens before.
  var wakeAt: Instant? {
    switch phase {
    case .resting(let until): mayListen ? until : nil
    case .listening(let until): until
    case .starting, .stopping: nil
    }
  }

  /// The next action; its result has to be reported.
  mutating func next(at now: Instant) -> Action? {
    switch phase {
    case .resting(let until) where mayListen && now >= until:
      phase = .starting
      return .start
    case .listening(let until) where !mayListen || now >= until:
      phase = .stopping
      return .stop
    default:
      return nil
    }
  }

  /// Discovery has started.
  mutating func started(at now: Instant) {
    guard phase == .starting else { return }
    failures = 0
    phase = .listening(until: now + Self.listening)
  }

  /// Discovery could not start: it is tried again with growing delays.
  mutating func failed(at now: Instant) {
    guard phase == .starting else { return }
    failures = min(failures + 1, 6)
    phase = .resting(until: now + .seconds(1 << failures))
  }

  /// Discovery has stopped, or at least was requested to.
  ///
  /// - Parameters:
  ///   - now: The present time.
  ///   - leavesRoom: Whether bluetoothd waits for a device that it links by itself.
  mutating func stopped(at now: Instant, leavesRoom: Bool) {
    // A pause that a link shortens continues once the link is up.
    let pause = holds > 0 ? .seconds(1) : leavesRoom ? Self.resting : Self.pausing
    phase = .resting(until: now + pause)
  }

  /// Discovery ended without a request: another program stopped it, or the controller is off.
  mutating func ended(at now: Instant) {
    guard case .listening = phase else { return }
    phase = .resting(until: now + .seconds(2))
  }
}

/// Detects a controller that claims to discover but has stopped receiving.
///
/// Silence alone is no proof, so only a controller that has received something before is suspected,
/// and only once until it receives again.
struct SilenceWatch: Hashable, Sendable {
  typealias Instant = ContinuousClock.Instant

  /// The longest silence: many times the longest advertising interval of any sensor.
  static let limit = Duration.seconds(600)

  private var lastReceived: Instant?

  /// An advertisement was received.
  mutating func received(at now: Instant) { lastReceived = now }

  /// Whether to act on the silence now.
  mutating func isDeaf(at now: Instant) -> Bool {
    guard let last = lastReceived, now - last >= Self.limit else { return false }
    lastReceived = nil
    return true
  }
}
