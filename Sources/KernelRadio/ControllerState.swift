import Radio

/// A controller in kernel mode.
struct ControllerState: Sendable {
  /// The controller's state.
  enum Phase: Hashable, Sendable {
    /// It is being set up.
    case starting
    /// It receives advertisements.
    case ready
    /// It is temporarily unusable.
    case stopped(ControllerTrouble)
  }

  /// How it receives advertisements.
  enum Listening: Hashable, Sendable {
    /// Continuously, through an advertisement monitor of the kernel.
    case monitor(handle: UInt16)
    /// By discovery, which the kernel ends after ten seconds, with pauses for links.
    case discovery
  }

  /// The number of the set-up; a late answer for an earlier one is ignored.
  var generation: UInt64
  var phase = Phase.starting
  var address: DeviceAddress?
  var isPowered = false
  var listening: Listening?
  /// Whether a discovery runs to obtain names in monitor mode.
  var isDiscovering = false
  /// Whether the pause before the next discovery lasts.
  var isResting = false
  /// Whether an advertisement of a device without a name was received.
  var wantsNames = false
  /// When it received an advertisement last; `nil` if it has not since its set-up.
  var lastReceived: ContinuousClock.Instant?
  /// When it began to listen.
  var listeningSince: ContinuousClock.Instant?
  /// How many discoveries in a row the controller did not begin, having received nothing between.
  var unanswered = 0
  /// How many set-ups failed in a row.
  var failures = 0

  /// The kernel's name of a controller.
  static func name(_ index: UInt16) -> String { "hci\(index)" }

  /// How long to wait before an unusable controller is tried again: doubles, up to a minute.
  func retryDelay(_ first: Duration) -> Duration {
    min(first * (1 << min(failures, 6)), .seconds(60))
  }
}

/// The commands that set a controller up, in order.
///
/// Keys precede power, since the first advertisement may already be from a device whose address
/// they resolve. Loading identity keys, even none, makes the kernel request them when devices pair.
struct ControllerSetup: Hashable, Sendable {
  /// A command of the set-up.
  struct Step: Hashable, Sendable {
    var command: MgmtCommand
    /// Whether the controller may refuse it without consequence.
    var isOptional = false
  }

  var steps: [Step]

  /// The steps for a controller with this `information`.
  init(_ information: ControllerInformation, keys: KeyRing) {
    let current = information.current
    let supported = information.supported
    steps = []
    if !current.contains(.lowEnergy) { steps.append(Step(command: .setLowEnergy(true))) }
    if supported.contains(.secureSimplePairing), !current.contains(.secureSimplePairing) {
      steps.append(Step(command: .setSecureSimplePairing(true), isOptional: true))
    }
    if supported.contains(.secureConnections), !current.contains(.secureConnections) {
      steps.append(Step(command: .setSecureConnections(true), isOptional: true))
    }
    if !current.contains(.bondable) { steps.append(Step(command: .setBondable(true))) }
    let (identities, secrets) =
      information.address.map { (keys.identityKeys(of: $0), keys.longTermKeys(of: $0)) }
      ?? ([], [])
    steps += [
      Step(command: .setCapability(.noInputNoOutput)),
      Step(command: .loadIdentityKeys(identities)),
      Step(command: .loadLongTermKeys(secrets)),
    ]
    if !current.contains(.powered) { steps.append(Step(command: .setPowered(true))) }
    // A killed process leaves its monitor behind.
    steps.append(Step(command: .removeMonitors, isOptional: true))
    steps.append(Step(command: .listenWithoutPauses, isOptional: true))
  }
}
