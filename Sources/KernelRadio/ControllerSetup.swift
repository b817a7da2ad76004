/// What a controller is told before it is used, in order.
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
