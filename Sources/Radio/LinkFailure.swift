/// What kind of failure a device's link met: it decides how soon to try again.
public enum LinkFailure: String, Hashable, Sendable, CaseIterable {
  /// The device does not answer, or went away.
  case gone
  /// The controller has no room for another link.
  case outOfSlots
  /// Something passing: an aborted connection, a busy controller. Trying again soon is right.
  case transient
  /// The device no longer knows the bond that is kept for it; a person has to pair it again.
  case staleBond
  /// The device wants a bond, a passkey or a consent that it has not been given.
  case unauthorized
  /// Anything else.
  case other
}
