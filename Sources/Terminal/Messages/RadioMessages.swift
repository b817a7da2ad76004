package import Localization
package import Radio
package import SystemBus

extension RadioError: Localizable, PresentableError {
  package var localized: LocalizedText {
    switch self {
    case .noBluetoothd: "radio.error.noBluetoothd"
    case .bluetoothdRuns: "radio.error.bluetoothdRuns"
    case .yielded: RadioNotice.yielded.localized
    case .stopped: "radio.error.stopped"
    case .locked(let path): LocalizedText("radio.error.locked", ["path": "\(path)"])
    case .lockFailed(let path, let code):
      LocalizedText(
        "radio.error.lockFailed", ["path": "\(path)", "code": "\(LinkError.Reason.system(code))"])
    case .bonds(let error): error.localized
    case .notLinked(let address): LocalizedText("radio.error.notLinked", ["address": "\(address)"])
    case .overloaded(let address):
      LocalizedText("radio.error.overloaded", ["address": "\(address)"])
    case .pairing(let address, let error): error.text(of: address)
    case .forgetting(let address, let reason):
      LocalizedText("radio.error.forgetting", ["address": "\(address)", "reason": "\(reason)"])
    case .recording(let text), .reported(let text): .verbatim(text)
    }
  }
}

extension PairingError {
  fileprivate func text(of address: DeviceAddress) -> LocalizedText {
    let text: LocalizedText =
      switch self {
      case .busy: "radio.pairing.busy"
      case .alreadyPaired: "radio.pairing.alreadyPaired"
      case .noController: "radio.pairing.noController"
      case .notHeard: "radio.pairing.notHeard"
      case .controllerRemoved: "radio.pairing.controllerRemoved"
      case .denied(let reason): LocalizedText("radio.pairing.denied", ["reason": "\(reason)"])
      case .cancelled(let reason): LocalizedText("radio.pairing.cancelled", ["reason": "\(reason)"])
      case .noBond: "radio.pairing.noBond"
      case .failed(_, let reason): LocalizedText("radio.pairing.failed", ["reason": "\(reason)"])
      }
    return text.with("address", "\(address)")
  }
}

extension BondFileError: Localizable, PresentableError {
  package var localized: LocalizedText {
    LocalizedText(
      isWriteFailure ? "radio.bonds.unwritable" : "radio.bonds.unusable",
      ["path": "\(path)", "reason": "\(reason)"])
  }
}

extension SystemError: PresentableError {
  package var message: String { description }
}

extension RadioNotice: Localizable {
  /// The notice with advice.
  package var localized: LocalizedText {
    switch self {
    case .noController: "radio.notice.noController"
    case .controller(let name, let change): change.text(of: name)
    case .noDirectory(let reason):
      LocalizedText("radio.notice.noDirectory", ["reason": "\(reason)"])
    case .noKernel(let reason): LocalizedText("radio.notice.noKernel", ["reason": "\(reason)"])
    case .yielded: "radio.notice.yielded"
    case .noBus(let reason): LocalizedText("radio.notice.noBus", ["reason": "\(reason)"])
    case .noBluetoothd: "radio.notice.noBluetoothd"
    case .bluetoothdFound: "radio.notice.bluetoothdFound"
    case .bluetoothdLost: "radio.notice.bluetoothdLost"
    case .bluetoothdSilent(let reason):
      LocalizedText("radio.notice.bluetoothdSilent", ["reason": "\(reason)"])
    case .noAgent(let reason): LocalizedText("radio.notice.noAgent", ["reason": "\(reason)"])
    case .bondsUnreadable(let error):
      LocalizedText("radio.notice.bondsUnreadable", ["error": .text(error.localized)])
    case .bondNotStored(let error):
      LocalizedText("radio.notice.bondNotStored", ["error": .text(error.localized)])
    case .bondsFull(let address, let capacity):
      LocalizedText("radio.notice.bondsFull", ["address": "\(address)", "capacity": "\(capacity)"])
    case .identity(let identity, let address):
      LocalizedText("radio.notice.identity", ["address": "\(address)", "identity": "\(identity)"])
    }
  }
}

extension ControllerChange {
  fileprivate func text(of name: String) -> LocalizedText {
    let text: LocalizedText =
      switch self {
      case .found: "radio.change.found"
      case .switchedOn: "radio.change.switchedOn"
      case .listening(isContinuous: true): "radio.change.listeningContinuous"
      case .listening(isContinuous: false): "radio.change.listeningNotContinuous"
      case .recovered: "radio.change.recovered"
      case .removed: "radio.change.removed"
      case .trouble(let trouble): trouble.text(of: name)
      }
    return text.with("name", "\(name)")
  }
}

extension ControllerTrouble {
  fileprivate func text(of name: String) -> LocalizedText {
    let text: LocalizedText =
      switch self {
      case .blocked(let block):
        LocalizedText(
          "radio.trouble.blocked",
          ["finding": .text(block.finding(of: name)), "advice": .text(block.advice)])
      case .notPermitted: "radio.trouble.notPermitted"
      case .notLowEnergy: "radio.trouble.notLowEnergy"
      case .switchedOff(isRetried: true): "radio.trouble.switchedOffRetried"
      case .switchedOff(isRetried: false): "radio.trouble.switchedOffNotRetried"
      case .failed(let reason): LocalizedText("radio.trouble.failed", ["reason": "\(reason)"])
      case .notPowered(let reason):
        LocalizedText("radio.trouble.notPowered", ["reason": "\(reason)"])
      case .notListening(let reason):
        LocalizedText("radio.trouble.notListening", ["reason": "\(reason)"])
      case .deaf: "radio.trouble.deaf"
      case .stuck(isHopeless: false): "radio.trouble.stuck"
      case .stuck(isHopeless: true): "radio.trouble.stuckForGood"
      case .mute(let reason): LocalizedText("radio.trouble.mute", ["reason": "\(reason)"])
      }
    return text.with("name", "\(name)")
  }
}
