/// When a controller listens for advertisements.
///
/// While bluetoothd discovers, no other device of this machine connects by itself: a mouse, a
/// keyboard, another program's sensor. So the controller listens and rests in turn. It also rests
/// while a link is brought up, since many controllers abort a connection while they listen. The
/// cycle decides what to do and when to ask again; its owner does it.
struct DiscoveryCycle: Hashable, Sendable {
  typealias Instant = ContinuousClock.Instant

  /// How long to listen, for sensors that advertise for seconds after a measurement.
  ///
  /// The kernel ends every discovery after 10.24 s; stopping before lets the cycle choose the
  /// rests.
  static let listening = Duration.seconds(10)
  /// How long to rest.
  static let resting = Duration.seconds(5)

  /// What to do with the controller.
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
  /// How many links are being brought up.
  var holds = 0
  private var phase: Phase
  private var failures = 0

  /// A cycle that begins at once when its controller is on.
  init(at now: Instant) {
    phase = .resting(until: now)
  }

  /// Whether nothing of the controller is under way, so that a link can be brought up.
  var isQuiet: Bool {
    guard case .resting = phase else { return false }
    return true
  }

  private var mayListen: Bool { isPowered && holds == 0 }

  /// When to ask again, if nothing happens before.
  var wakeAt: Instant? {
    switch phase {
    case .resting(let until): mayListen ? until : nil
    case .listening(let until): until
    case .starting, .stopping: nil
    }
  }

  /// What to do now; the result has to be reported.
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

  /// The controller listens.
  mutating func started(at now: Instant) {
    guard phase == .starting else { return }
    failures = 0
    phase = .listening(until: now + Self.listening)
  }

  /// The controller could not be made to listen: it is asked again, less and less often.
  mutating func failed(at now: Instant) {
    guard phase == .starting else { return }
    failures = min(failures + 1, 6)
    phase = .resting(until: now + .seconds(1 << failures))
  }

  /// The controller rests, or at least was asked to.
  mutating func stopped(at now: Instant) {
    // A rest that is cut short by a link goes on once the link is up.
    phase = .resting(until: now + (holds > 0 ? .seconds(1) : Self.resting))
  }

  /// The controller stopped listening without being asked: another program did, or it went off.
  mutating func ended(at now: Instant) {
    guard case .listening = phase else { return }
    phase = .resting(until: now + .seconds(2))
  }
}

/// Detects a deaf controller: it claims to listen, but receives nothing any more.
///
/// A quiet home is no proof, so only a controller that has received something before is doubted,
/// and only once until it receives something again.
struct SilenceWatch: Hashable, Sendable {
  typealias Instant = ContinuousClock.Instant

  /// The longest silence: many times the rarest advertisement of any sensor.
  static let limit = Duration.seconds(600)

  private var lastHeard: Instant?

  /// Something was received.
  mutating func heard(at now: Instant) { lastHeard = now }

  /// Whether to do something about it now.
  mutating func isDeaf(at now: Instant) -> Bool {
    guard let last = lastHeard, now - last >= Self.limit else { return false }
    lastHeard = nil
    return true
  }
}
