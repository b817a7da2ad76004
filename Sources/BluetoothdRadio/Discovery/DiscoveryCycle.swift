/// When a controller listens for advertisements.
///
/// While bluetoothd discovers, nothing else of this machine connects by itself: a mouse, a
/// keyboard, another program's sensor. So the controller listens for a while, rests for a while,
/// and rests while a link is brought up, since connecting and listening at once aborts on many
/// controllers. The cycle says what to do and when it wants to be asked again; it does nothing.
struct DiscoveryCycle: Hashable, Sendable {
  typealias Instant = ContinuousClock.Instant

  /// How long to listen and to rest in turn.
  struct Pace: Hashable, Sendable {
    var listening: Duration
    var resting: Duration

    /// For sensors that are only heard, or that advertise for seconds after a measurement.
    ///
    /// The kernel ends every discovery after 10.24 s; stopping before keeps the rests ours.
    static let attentive = Pace(listening: .seconds(10), resting: .seconds(5))
    /// For sensors that advertise for long: most of the time is left to others.
    static let relaxed = Pace(listening: .seconds(5), resting: .seconds(15))
  }

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

  /// How long to listen and to rest.
  var pace = Pace.attentive
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

  /// What to do now; whoever does it tells how it went.
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
    phase = .listening(until: now + pace.listening)
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
    phase = .resting(until: now + (holds > 0 ? .seconds(1) : pace.resting))
  }

  /// The controller stopped listening without being asked: another program did, or it went off.
  mutating func ended(at now: Instant) {
    guard case .listening = phase else { return }
    phase = .resting(until: now + .seconds(2))
  }
}
