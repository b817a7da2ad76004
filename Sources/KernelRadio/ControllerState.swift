import Radio

/// A controller in kernel mode.
struct ControllerState: Sendable {
  /// How far it is.
  enum Phase: Hashable, Sendable {
    /// It is being set up.
    case starting
    /// It listens.
    case ready
    /// It cannot be used for now.
    case stopped(ControllerTrouble)
  }

  /// How it listens.
  enum Listening: Hashable, Sendable {
    /// All the time, through an advertisement monitor of the kernel.
    case monitor(handle: UInt16)
    /// By discovery, which the kernel ends after ten seconds, with pauses for the sake of links.
    case discovery
  }

  /// Which of all set-ups this is: an answer that comes late for an earlier one is not acted on.
  var generation: UInt64
  var phase = Phase.starting
  var address: DeviceAddress?
  var isPowered = false
  var listening: Listening?
  /// Whether a discovery runs, for names in monitor mode.
  var isDiscovering = false
  /// Whether it is too early for another one.
  var isResting = false
  /// Whether a device without a name was received.
  var wantsNames = false
  /// How often in a row it could not be set up.
  var failures = 0

  /// The kernel's name of a controller.
  static func name(_ index: UInt16) -> String { "hci\(index)" }

  /// How long to wait before a controller that cannot be used is tried again: it doubles, up to a
  /// minute.
  func retryDelay(_ first: Duration) -> Duration {
    min(first * (1 << min(failures, 6)), .seconds(60))
  }
}

/// The commands that set a controller up, in order.
///
/// Keys come before power, since the first advertisement may already be of a device whose address
/// they resolve. Having loaded identity keys, were it none, makes the kernel ask for them when
/// devices pair.
struct ControllerSetup: Hashable, Sendable {
  /// A command of the set-up.
  struct Step: Hashable, Sendable {
    var command: MgmtCommand
    /// Whether the controller may refuse it.
    var isOptional = false
  }

  var steps: [Step]

  /// What a controller needs that is as `information` says.
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
    // A process that ended by force has left its monitor behind.
    steps.append(Step(command: .removeMonitors, isOptional: true))
    steps.append(Step(command: .listenWithoutPauses, isOptional: true))
  }
}
