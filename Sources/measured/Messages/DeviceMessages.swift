import DeviceCatalog
import Foundation
import GATT
import Radio

extension DecodeError: PresentableError {
  var message: String {
    switch self {
    case .unknownCharacteristic(let uuid):
      "no definition decodes characteristic \(uuid); name the device's definition, or add one to Devices/"
    case .unknownDefinition(let id):
      "there is no device definition ‘\(id)’; see `measured devices list`"
    case .notOfDefinition(let uuid, let id):
      "‘\(id)’ does not read characteristic \(uuid); see `measured devices show \(id)`"
    case .malformed: description
    }
  }

  var exitCode: ExitCode {
    switch self {
    case .unknownCharacteristic, .notOfDefinition, .unknownDefinition: .unknown
    case .malformed: .failed
    }
  }
}

extension CatalogError: PresentableError {
  var message: String { description }
}

extension RejectedFrame {
  /// `5C:CA:D3:70:D4:A2 sent unreadable data: service data 181B: the frame has 3 bytes …`.
  var message: String { "\(address) sent unreadable data: \(source): \(defect)" }
}

extension SessionNote {
  /// The message about the device, with advice.
  var message: String {
    let device = "\(name) (\(address))"
    switch kind {
    case .frame(let note):
      return note.message(of: device)
    case .notPaired:
      return
        "\(device) sends its measurements only to what it is paired with. Put it into the plan,"
        + " then pair it again as its manual says."
    case .keyRefused:
      return
        "\(device) does not know this machine. Hold its Bluetooth button until ‘P’ blinks, and it is"
        + " paired by itself; its maker's application must be paired again after that."
    case .otherMemory:
      return
        "\(device) keeps its records elsewhere: it is another model than its definition describes."
        + " Put the definition of its model into the plan; `measured devices list omron` names them."
    case .memoryRefused(let reason):
      return "\(device) refused to give its records (\(reason)). They are read on its next link."
    case .memorySilent:
      return "\(device) stopped answering. The rest of its records is read on its next link."
    case .handshakeRefused:
      return
        "\(device) did not accept this machine: its weight is not read over this link. Close its"
        + " maker's application, which keeps other machines out."
    case .handshakeUnanswered:
      return "\(device) did not answer: its weight is not read over this link. It is tried again."
    case .missingConsent:
      return "\(device) sends no measurements before a user's consent. Put `userIndex` and"
        + " `consentCode` beside its address in the plan: the user's number, and the code that the"
        + " scale displays for it or that its own application uses."
    case .consentRefused(let user, .userNotAuthorized):
      return "\(device) does not accept the consent code of user \(user). Compare `userIndex` and"
        + " `consentCode` in the plan with the scale's display; removing its batteries erases the"
        + " users and their codes."
    case .consentRefused(let user, .invalidParameter):
      return "\(device) has no user \(user). Put the number that the scale displays into the plan"
        + " as `userIndex`, or create the user on the scale."
    case .consentRefused(_, .opcodeNotSupported):
      return "\(device) does not support consents: it is another model than its definition"
        + " describes. Run `measured identify` to see why it was recognised as this one."
    case .consentRefused(let user, _):
      return "\(device) could not select user \(user). Step on it again."
    case .consentUnanswered(let user):
      return "\(device) did not respond to the consent of user \(user). Step on it again; if that"
        + " does not help, compare `userIndex` in the plan with the number that the scale displays."
    case .recordsRefused(let result):
      return "\(device) does not send its records (\(result)). Look in its manual for a setting"
        + " that allows it, and pair it again."
    case .recordsIncomplete:
      return "\(device) stopped while it was sending its records; the others are fetched with the"
        + " next connection."
    case .subscriptionRefused(let characteristic):
      return
        "\(device) refuses to send \(characteristic). Its link is renewed. If that does not help,"
        + " remove its batteries for a moment, and end other programs that read it."
    case .silent(let seconds):
      return "\(device) is linked and has sent nothing for \(seconds) s. Its link is renewed."
    case .valuesDropped(let count):
      return "\(count) values of \(device) were dropped: it sends faster than they can be stored."
    }
  }
}

extension FrameNote {
  func message(of device: String) -> String {
    switch self {
    case .noWeight: "\(device) could not measure the weight."
    case .noScaleValue: "\(device) sent no value."
    case .noBodyComposition: "\(device) could not measure the body composition."
    case .noSkinContact: "\(device) has no skin contact."
    case .noHeartBeat: "\(device) detects no heart beat."
    case .noBloodPressure: "\(device) could not measure the blood pressure."
    case .noCuffPressure: "\(device) sent no cuff pressure."
    case .noTemperature: "\(device) sent no temperature."
    case .noOximetry: "\(device) has no valid measurement."
    case .noGlucoseResult: "\(device) stored a record without a result."
    case .controlSolution: "\(device) measured a control solution."
    case .noGlucoseConcentration: "\(device) could not measure the glucose concentration."
    case .noBatteryLevel: "\(device) does not know its battery level."
    case .noActivity: "\(device) measured no movement."
    case .streamRefused(let status):
      "\(device) does not stream its acceleration: \(Self.reason(ofPolarStatus: status))."
    case .missingKey:
      "\(device) encrypts its measurements. Put its bind key beside its address in the plan (`key:`,"
        + " 32 hex digits); Xiaomi's account provides it after the scale was set up in its"
        + " application."
    case .wrongKey:
      "The bind key of \(device) is wrong. The scale gets another one each time it is set up in"
        + " Xiaomi's application: put the current one into the plan."
    case .cipherUnavailable:
      "The advertisements of \(device) cannot be decrypted: the libcrypto of this machine has no"
        + " AES-CCM. Install libssl3."
    case .replayed: "\(device) sent an old advertisement again; it is ignored."
    }
  }

  /// The meaning of a status of Polar's control point.
  private static func reason(ofPolarStatus status: UInt8) -> String {
    switch status {
    case 5: "it needs another setting"
    case 10: "the MTU is too small"
    case 13: "it is charging"
    default: "status \(status)"
    }
  }
}
