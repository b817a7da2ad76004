import Care
package import DeviceCatalog
import Foundation
import GATT
package import Localization
package import Radio

extension LinkReport: Localizable {
  /// The failure, its reason, the advice, and the time of the next attempt.
  package var localized: LocalizedText {
    let failure = error.text(of: "\(name) (\(address))", at: address)
    let minutes = retryDelay.map { Int(saturating: $0) / 60 } ?? 0
    return minutes > 0 ? failure.followed(by: LocalizedText("link.retry", count: minutes)) : failure
  }
}

extension LinkError {
  /// The failure, its reason, and the advice.
  ///
  /// - Parameters:
  ///   - device: The device as people know it.
  ///   - address: Its address, for the commands that help.
  /// - Returns: The text.
  package func text(of device: String, at address: DeviceAddress) -> LocalizedText {
    let failure = cause.text(of: device)
    return advice(for: address).map(failure.followed) ?? failure
  }

  /// The advice for a person; `nil` if nothing helps, or the cause says it.
  private func advice(for address: DeviceAddress) -> LocalizedText? {
    switch (kind, cause) {
    case (_, .noController), (_, .noBluetoothd): nil
    case (.gone, _): "link.advice.gone"
    case (.outOfSlots, _): "link.advice.outOfSlots"
    case (.staleBond, _): LocalizedText("link.advice.staleBond", ["address": "\(address)"])
    case (.unauthorized, _): LocalizedText("link.advice.unauthorized", ["address": "\(address)"])
    case (_, .heldByBluetoothd): "link.advice.heldByBluetoothd"
    case (.transient, _), (.other, _): nil
    }
  }
}

extension LinkError.Cause {
  /// The cause as a sentence about a device.
  fileprivate func text(of device: String) -> LocalizedText {
    let text: LocalizedText =
      switch self {
      case .notHeard: "link.cause.notHeard"
      case .noController: "link.cause.noController"
      case .noBluetoothd: "link.cause.noBluetoothd"
      case .displaced: "link.cause.displaced"
      case .gaveWay: "link.cause.gaveWay"
      case .controllerRemoved: "link.cause.controllerRemoved"
      case .heldByBluetoothd: "link.cause.heldByBluetoothd"
      case .controllerOff(let reason):
        LocalizedText("link.cause.controllerOff", ["reason": "\(reason)"])
      case .notEncrypted: "link.cause.notEncrypted"
      case .broken(let reason): LocalizedText("link.cause.broken", ["reason": "\(reason)"])
      case .notBonded(let reason): LocalizedText("link.cause.notBonded", ["reason": "\(reason)"])
      case .lostByBonding: "link.cause.lostByBonding"
      case .noServices: "link.cause.noServices"
      case .invalidServices(let reason):
        LocalizedText("link.cause.invalidServices", ["reason": "\(reason)"])
      case .silent(let duration):
        LocalizedText("link.cause.silent", ["duration": "\(duration.components.seconds)"])
      case .notLinked: "link.cause.notLinked"
      case .overloaded: "link.cause.overloaded"
      case .flooded: "link.cause.flooded"
      case .noCharacteristic(let uuid):
        LocalizedText("link.cause.noCharacteristic", ["uuid": "\(uuid)"])
      case .noNotifications(let uuid):
        LocalizedText("link.cause.noNotifications", ["uuid": "\(uuid)"])
      case .tooLong(let uuid, let count):
        LocalizedText("link.cause.tooLong", ["count": "\(count)", "uuid": "\(uuid)"])
      case .refused(.subscribe, let uuid, let reason):
        LocalizedText("link.cause.refusedSubscribe", ["uuid": "\(uuid)", "reason": "\(reason)"])
      case .refused(.read, let uuid, let reason):
        LocalizedText("link.cause.refusedRead", ["uuid": "\(uuid)", "reason": "\(reason)"])
      case .refused(.write, let uuid, let reason):
        LocalizedText("link.cause.refusedWrite", ["uuid": "\(uuid)", "reason": "\(reason)"])
      case .recorded(let reason):
        LocalizedText(
          reason.hasSuffix(".") ? "link.cause.recordedSentence" : "link.cause.recorded",
          ["reason": "\(reason)"])
      }
    return text.with("device", "\(device)")
  }
}
