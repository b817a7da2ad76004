import DeviceCatalog
import Foundation
import GATT
import Radio

extension LinkReport {
  /// The failure, its reason, the advice, and the time of the next attempt.
  var message: String {
    let minutes = retryDelay.map { Int($0) / 60 } ?? 0
    let next =
      minutes > 0 ? " It is tried again in \(minutes) \(minutes == 1 ? "minute" : "minutes")." : ""
    return error.message(of: "\(name) (\(address))", at: address) + next
  }
}

extension LinkError {
  /// The failure, its reason, and the advice.
  ///
  /// - Parameters:
  ///   - device: The device as people know it.
  ///   - address: Its address, for the commands that help.
  /// - Returns: Sentences for people.
  func message(of device: String, at address: DeviceAddress) -> String {
    [cause.message(of: device), advice(for: address)].compactMap(\.self).joined(separator: " ")
  }

  /// The advice for a person; `nil` if nothing helps, or the cause says it.
  private func advice(for address: DeviceAddress) -> String? {
    switch (kind, cause) {
    case (_, .noController), (_, .noBluetoothd): nil
    case (.gone, _): "Bring it near, wake it, and end its link with a phone."
    case (.outOfSlots, _): "Disconnect a device that is not needed."
    case (.staleBond, _):
      "It seems to have lost its bond with this machine, as after a reset. Run `measured forget "
        + "\(address)`, set the device to pairing as its manual says, and run `measured pair "
        + "\(address)`."
    case (.unauthorized, _):
      "Set it to pairing as its manual says, and run `measured pair \(address)`."
    case (_, .heldByBluetoothd): "Set `radio: bluetoothd`, or end the other connection."
    case (.transient, _), (.other, _): nil
    }
  }
}

extension LinkError.Cause {
  /// The cause as a sentence about a device.
  fileprivate func message(of device: String) -> String {
    switch self {
    case .notHeard: "\(device) has not advertised recently."
    case .noController: "\(device) cannot be linked: no Bluetooth controller is ready."
    case .noBluetoothd: "\(device) cannot be linked: bluetoothd is not running."
    case .displaced: "\(device) was not linked: the queue of unknown devices is full."
    case .gaveWay: "\(device) was not linked: it did not answer, and other devices were waiting."
    case .controllerRemoved: "\(device) was not linked: the controller was removed."
    case .heldByBluetoothd: "\(device) cannot be linked: bluetoothd holds the link."
    case .controllerOff(let reason):
      "\(device) cannot be linked: the controller is off or was removed (\(reason))."
    case .notEncrypted: "The link to \(device) could not be encrypted."
    case .broken(let reason): "\(device) cannot be linked: \(reason)."
    case .notBonded(let reason): "\(device) cannot be bonded: \(reason)."
    case .lostByBonding:
      "\(device) was bonded; a request was lost during bonding, so it is linked again."
    case .noServices: "\(device) was linked, but did not list its services."
    case .invalidServices(let reason):
      "\(device) did not list its services: \(reason)."
    case .silent(let duration):
      "\(device) has not answered for \(duration.components.seconds) s, so the link was closed."
    case .notLinked: "\(device) is not linked."
    case .overloaded: "\(device) does not keep up with its requests."
    case .flooded:
      "\(device) sends more values than this machine can take, so its link is ended."
    case .noCharacteristic(let uuid): "\(device) has no characteristic \(uuid)."
    case .noNotifications(let uuid):
      "\(device) offers no way to switch on the notifications of \(uuid)."
    case .tooLong(let uuid, let count):
      "\(count) bytes are too long for characteristic \(uuid) of \(device); nothing was written."
    case .refused(.subscribe, let uuid, let reason):
      "\(device) refused the notifications of \(uuid): \(reason)."
    case .refused(.read, let uuid, let reason): "\(device) refused to read \(uuid): \(reason)."
    case .refused(.write, let uuid, let reason): "\(device) refused to write \(uuid): \(reason)."
    case .recorded(let reason): "\(device): \(reason)" + (reason.hasSuffix(".") ? "" : ".")
    }
  }
}
