import GATT
import Radio

/// What a script has to tell people, with what to do about it.
enum ScriptNote: Hashable, Sendable {
  /// The plan holds nobody's consent.
  case noConsent
  /// The device did not accept a user's consent.
  case consentRefused(user: UInt8, UserControlPoint.Result)
  /// The device said nothing to a user's consent.
  case consentUnanswered(user: UInt8)
  /// The device does not give its records.
  case recordsRefused(RecordAccessControlPoint.Result)
  /// The device began to send its records and stopped.
  case recordsUnfinished

  /// The sentences.
  func text(_ name: String, _ address: DeviceAddress) -> String {
    let device = "\(name) (\(address))"
    switch self {
    case .noConsent:
      return "\(device) keeps what it measures until a user consents. Put `userIndex` and"
        + " `consentCode` beside its address in the plan: the slot, and the code that the scale"
        + " shows for it or that its own application was paired with."
    case .consentRefused(let user, .userNotAuthorized):
      return "\(device) does not accept the consent code of user \(user). Compare `userIndex` and"
        + " `consentCode` in the plan with what the scale shows; batteries that were taken out wipe"
        + " its users and their codes."
    case .consentRefused(let user, .invalidParameter):
      return "\(device) has no user \(user). Give the slot that the scale shows as `userIndex` in"
        + " the plan, or make the user on the scale."
    case .consentRefused(_, .opcodeNotSupported):
      return "\(device) does not know what a consent is: it is another model than its definition"
        + " says. Run `measured identify` to see why it was taken for one."
    case .consentRefused(let user, _):
      return "\(device) could not open user \(user) just now. Step on it again."
    case .consentUnanswered(let user):
      return "\(device) did not answer the consent of user \(user). Step on it again; if that does"
        + " not help, compare `userIndex` in the plan with the slot that the scale shows."
    case .recordsRefused(let result):
      return "\(device) does not give out its records (\(result)). Look at its manual for what"
        + " must be set on it, and pair it again."
    case .recordsUnfinished:
      return "\(device) stopped while it was sending its records; the rest is fetched on the next"
        + " link."
    }
  }
}
