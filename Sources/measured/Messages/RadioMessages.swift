package import Radio
package import SystemBus

extension RadioError: PresentableError {
  var message: String {
    switch self {
    case .noBluetoothd:
      "bluetoothd is not running. It starts when a controller appears; see systemctl status "
        + "bluetooth."
    case .bluetoothdRuns:
      "The radio's kernel mode cannot be used while bluetoothd runs: both would manage the same "
        + "controllers. Set 'radio: bluetoothd', or stop and mask bluetooth.service."
    case .yielded: RadioNotice.yielded.message
    case .stopped: "The radio is stopped."
    case .locked(let path):
      "Another measured process uses the Bluetooth controllers of this machine (it holds \(path))."
        + " Stop the service first: systemctl stop measured."
    case .lockFailed(let path, let code):
      "The lock \(path) cannot be taken: \(LinkError.Reason.system(code)). Its folder has to exist"
        + " and to belong to this user."
    case .bonds(let error): error.message
    case .notLinked(let address): "\(address) is not linked."
    case .overloaded(let address): "\(address) does not keep up with its requests."
    case .pairing(let address, let error): error.message(of: address)
    case .forgetting(let address, let reason):
      "The bond with \(address) is still stored: \(reason)."
    case .recording(let text), .reported(let text): text
    }
  }
}

extension PairingError {
  fileprivate func message(of address: DeviceAddress) -> String {
    switch self {
    case .busy: "\(address) cannot be paired now: a device is being paired already."
    case .alreadyPaired:
      "\(address) is paired already. To pair it again: measured forget \(address), then measured "
        + "pair \(address)."
    case .noController: "\(address) cannot be paired: no Bluetooth controller is ready."
    case .notHeard:
      "\(address) was not heard. Set it to pairing as its manual says, and bring it near."
    case .controllerRemoved: "\(address) was not paired: the controller was removed."
    case .denied(let reason):
      "\(address) was not paired: \(reason). The digits were wrong, or the device refuses to pair: "
        + "set it to pairing as its manual says. If it is paired with another machine, remove that "
        + "pairing on the device first."
    case .cancelled(let reason): "\(address) was not paired: \(reason). Nothing was changed."
    case .noBond:
      "\(address) was paired, but it does not keep the bond, so it would need pairing at every connection."
    case .failed(_, let reason):
      "\(address) was not paired: \(reason). Set it to pairing as its manual says, bring it near, "
        + "and try again."
    }
  }
}

extension BondFileError: PresentableError {
  var message: String {
    isWriteFailure
      ? "The bonds in \(path) cannot be changed: \(reason). The bonds that it contains are intact. "
        + "Free space or make its folder writable, and repeat the command."
      : "The bonds in \(path) cannot be used: \(reason). Restore the file (readable by its owner "
        + "only), or remove it and pair the devices again; then restart measured."
  }
}

extension SystemError: PresentableError {
  var message: String { description }
}

extension RadioNotice {
  /// The notice in words, with advice.
  var message: String {
    switch self {
    case .noController:
      "There is no Bluetooth controller. Plug one in, or check that it is switched on; it is used "
        + "as soon as it appears."
    case .controller(let name, let change): change.message(of: name)
    case .noDirectory(let reason):
      "The machine's devices cannot be watched: \(reason). Whether rfkill blocks a controller is "
        + "not known."
    case .noKernel(let reason):
      "The kernel provides no Bluetooth sockets: \(reason). It is tried again every minute. The kernel needs "
        + "its module 'bluetooth', and a sandbox has to allow AF_BLUETOOTH."
    case .yielded:
      "bluetoothd was started while the radio's kernel mode was in use. The controllers are left to "
        + "it, and nothing is received. Either stop and mask bluetooth.service: kernel mode goes on "
        + "half a minute later. Or set 'radio: bluetoothd', and restart measured."
    case .noBus(let reason):
      "The system's message bus cannot be used: \(reason). It is tried again."
    case .noBluetoothd:
      "bluetoothd is not running, so there is no Bluetooth; it starts when a controller appears (see"
        + " systemctl status bluetooth), and listening begins then."
    case .bluetoothdFound: "bluetoothd is running."
    case .bluetoothdLost: "bluetoothd stopped; listening continues when it is running again."
    case .bluetoothdSilent(let reason): "bluetoothd does not list its devices: \(reason)."
    case .noAgent(let reason):
      "Devices that need a bond cannot be paired: bluetoothd rejected the pairing agent (\(reason))."
    case .bondsUnreadable(let error):
      "\(error.message) No bond is loaded or stored: bonded devices cannot be read."
    case .bondNotStored(let error):
      "\(error.message) The new bond is lost when the controller is unplugged or the machine "
        + "restarts."
    case .bondsFull(let address, let capacity):
      "The bond with \(address) is not stored: there are \(capacity) already. Delete one: measured "
        + "forget ADDRESS."
    case .identity(let identity, let address):
      "\(address) is \(identity), and is known by that address from the next connection on."
    }
  }
}

extension ControllerChange {
  fileprivate func message(of name: String) -> String {
    switch self {
    case .found: "The controller \(name) is ready."
    case .switchedOn: "The controller \(name) is on."
    case .listening(isContinuous: true): "\(name) listens all the time."
    case .listening(isContinuous: false):
      "\(name) listens two thirds of the time: this kernel or controller has no advertisement "
        + "monitor."
    case .removed: "\(name) was removed. It is used again as soon as it is back."
    case .trouble(let trouble): trouble.message(of: name)
    }
  }
}

extension ControllerTrouble {
  fileprivate func message(of name: String) -> String {
    switch self {
    case .blocked(let block): "\(block.finding(of: name)). \(block.advice)"
    case .notPermitted:
      "\(name) cannot be managed: the process has no CAP_NET_ADMIN. Install the service's drop-in "
        + "for kernel mode (measured.service.d/kernel-mode.conf), or set 'radio: bluetoothd'."
    case .notLowEnergy: "\(name) does not speak Bluetooth low energy, and is not used."
    case .switchedOff(isRetried: true):
      "\(name) was switched off by another program. It is switched on again."
    case .switchedOff(isRetried: false):
      "\(name) was switched off. Switch it on: bluetoothctl power on"
    case .failed(let reason): "\(name) cannot be used: \(reason). It is tried again."
    case .notPowered(let reason): "\(name) cannot be switched on: \(reason). It is tried again."
    case .notListening(let reason): "\(name) cannot listen: \(reason). It is tried again."
    case .deaf:
      "\(name) receives nothing any more, though it did. If sensors are near and awake, switch it "
        + "off and on: bluetoothctl power off, then bluetoothctl power on"
    }
  }
}
