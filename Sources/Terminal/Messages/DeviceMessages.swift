package import DeviceCatalog
import Foundation
import GATT
package import Localization
import Radio

extension DecodeError: Localizable, PresentableError {
  package var localized: LocalizedText {
    switch self {
    case .unknownCharacteristic(let uuid):
      LocalizedText("decode.unknownCharacteristic", ["uuid": "\(uuid)"])
    case .unknownDefinition(let id): LocalizedText("decode.unknownDefinition", ["id": "\(id)"])
    case .unknownFrame(let uuid, let ids):
      LocalizedText(
        "decode.unknownFrame",
        ["ids": "\(ids.map { "‘\($0)’" }.joined(separator: ", "))", "uuid": "\(uuid)"])
    case .notOfDefinition(let uuid, let id):
      LocalizedText("decode.notOfDefinition", ["id": "\(id)", "uuid": "\(uuid)"])
    case .malformed: .verbatim(description)
    }
  }

  package var exitCode: ExitCode {
    switch self {
    case .unknownCharacteristic, .notOfDefinition, .unknownDefinition: .unknown
    case .malformed, .unknownFrame: .failed
    }
  }
}

extension CatalogError: PresentableError {
  package var message: String { description }
}

extension RejectedFrame: Localizable {
  /// `5C:CA:D3:70:D4:A2 sent unreadable data: service data 181B: the frame has 3 bytes …`.
  package var localized: LocalizedText {
    LocalizedText(
      "frameNote.rejected", ["address": "\(address)", "source": "\(source)", "defect": "\(defect)"])
  }
}

extension SessionNote: Localizable {
  /// The message about the device, with advice.
  package var localized: LocalizedText {
    let text: LocalizedText =
      switch kind {
      case .frame(let note): note.text(of: "\(name) (\(address))")
      case .notPaired: "sessionNote.notPaired"
      case .keyRefused: "sessionNote.keyRefused"
      case .otherMemory: "sessionNote.otherMemory"
      case .memoryRefused(let reason):
        LocalizedText("sessionNote.memoryRefused", ["reason": "\(reason)"])
      case .memorySilent: "sessionNote.memorySilent"
      case .handshakeRefused: "sessionNote.handshakeRefused"
      case .handshakeUnanswered: "sessionNote.handshakeUnanswered"
      case .missingConsent: "sessionNote.missingConsent"
      case .consentRefused(let user, .userNotAuthorized):
        LocalizedText("sessionNote.consentRefusedUserNotAuthorized", ["user": "\(user)"])
      case .consentRefused(let user, .invalidParameter):
        LocalizedText("sessionNote.consentRefusedInvalidParameter", ["user": "\(user)"])
      case .consentRefused(_, .opcodeNotSupported): "sessionNote.consentRefusedOpcodeNotSupported"
      case .consentRefused(let user, _):
        LocalizedText("sessionNote.consentRefused", ["user": "\(user)"])
      case .consentUnanswered(let user):
        LocalizedText("sessionNote.consentUnanswered", ["user": "\(user)"])
      case .recordsRefused(let result):
        LocalizedText("sessionNote.recordsRefused", ["result": "\(result)"])
      case .recordsIncomplete: "sessionNote.recordsIncomplete"
      case .subscriptionRefused(let characteristic):
        LocalizedText("sessionNote.subscriptionRefused", ["characteristic": "\(characteristic)"])
      case .silent(let seconds): LocalizedText("sessionNote.silent", ["seconds": "\(seconds)"])
      case .valuesDropped(let count):
        LocalizedText("sessionNote.valuesDropped", ["count": "\(count)"])
      }
    return text.with("device", "\(name) (\(address))")
  }
}

extension FrameNote {
  package func text(of device: String) -> LocalizedText {
    let text: LocalizedText =
      switch self {
      case .discarded(let rule):
        LocalizedText("frameNote.discarded", ["rule": "\(rule)"])
      case .otherLength(let count, let expected):
        LocalizedText(
          "frameNote.otherLength", ["count": "\(count)", "expected": "\(expected)"])
      case .cut(let field): LocalizedText("frameNote.cut", ["field": "\(field)"])
      case .noWeight: "frameNote.noWeight"
      case .noScaleValue: "frameNote.noScaleValue"
      case .noBodyComposition: "frameNote.noBodyComposition"
      case .noSkinContact: "frameNote.noSkinContact"
      case .noHeartBeat: "frameNote.noHeartBeat"
      case .noBloodPressure: "frameNote.noBloodPressure"
      case .noCuffPressure: "frameNote.noCuffPressure"
      case .noTemperature: "frameNote.noTemperature"
      case .noOximetry: "frameNote.noOximetry"
      case .noGlucoseResult: "frameNote.noGlucoseResult"
      case .controlSolution: "frameNote.controlSolution"
      case .noGlucoseConcentration: "frameNote.noGlucoseConcentration"
      case .noBatteryLevel: "frameNote.noBatteryLevel"
      case .noActivity: "frameNote.noActivity"
      case .streamRefused(let status):
        LocalizedText(
          "frameNote.streamRefused", ["reason": .text(Self.reason(ofPolarStatus: status))])
      case .missingKey: "frameNote.missingKey"
      case .wrongKey: "frameNote.wrongKey"
      case .cipherUnavailable: "frameNote.cipherUnavailable"
      case .replayed: "frameNote.replayed"
      }
    return text.with("device", "\(device)")
  }

  /// The meaning of a status of Polar's control point.
  private static func reason(ofPolarStatus status: UInt8) -> LocalizedText {
    switch status {
    case 5: "frameNote.polar.setting"
    case 10: "frameNote.polar.mtu"
    case 13: "frameNote.polar.charging"
    default: LocalizedText("frameNote.polar.status", ["status": "\(status)"])
    }
  }
}
