import Radio
import SystemBus

/// What kernel mode says to people.
enum KernelText {
  static let bluetoothdRuns =
    "The kernel mode of the radio cannot be used while bluetoothd runs: both would manage the "
    + "same controllers. Set 'radio: bluetoothd', or stop and mask bluetooth.service."

  static let yielded =
    "bluetoothd was started while the kernel mode of the radio was in use. The controllers are "
    + "left to it, and nothing is heard any more. Stop and mask bluetooth.service, or set "
    + "'radio: bluetoothd'; then restart measured."

  static func notWorking(_ phase: KernelRadio.Phase) -> String {
    switch phase {
    case .yielded: yielded
    case .idle, .working, .stopped: "The radio is stopped."
    }
  }

  static func noKernel(_ error: SystemError) -> String {
    "\(error) It is tried again every minute. The kernel needs its module 'bluetooth', and a "
      + "sandbox has to allow AF_BLUETOOTH."
  }

  static func noDirectory(_ error: SystemError) -> String {
    "\(error) How controllers are attached, and whether rfkill blocks them, is not known."
  }

  static let noController =
    "There is no Bluetooth controller. Plug one in, or check that it is switched on; it will be "
    + "used as soon as it appears."

  static func ready(_ name: String, isMonitoring: Bool) -> String {
    isMonitoring
      ? "\(name) listens all the time."
      : "\(name) listens two thirds of the time: this kernel or controller has no advertisement "
        + "monitor."
  }

  static func gone(_ name: String) -> String {
    "\(name) was removed. It is used again as soon as it is back."
  }

  static func trouble(
    _ trouble: ControllerState.Trouble, of name: String, block: Controller.Block?
  ) -> String {
    switch (trouble, block) {
    case (.blocked, .hard):
      "\(name) is switched off by a switch of the machine (rfkill). Turn the switch; it will be "
        + "used as soon as it is on."
    case (.blocked, _):
      "\(name) is blocked by software (rfkill). Unblock it: rfkill unblock bluetooth. It will be "
        + "used as soon as it is free."
    case (.notPermitted, _):
      "\(name) cannot be managed: the process has no CAP_NET_ADMIN. Install the service's drop-in "
        + "for kernel mode (measured.service.d/kernel-mode.conf), or set 'radio: bluetoothd'."
    case (.notLowEnergy, _):
      "\(name) does not speak Bluetooth low energy, and is not used."
    case (.switchedOff, _):
      "\(name) was switched off by somebody else. It is switched on again."
    case (.failed(let reason), _):
      "\(name) cannot be used: \(reason). It is tried again."
    }
  }

  static func keysLost(_ error: KeyFileError) -> String {
    "\(error) No bond is loaded or kept: bonded devices cannot be read. Restore the file, or remove "
      + "it and pair the devices again; then restart measured."
  }

  static func keysNotKept(_ error: KeyFileError) -> String {
    "\(error) The new bond is lost when the controller is unplugged or the machine restarts. "
      + "Correct it, and pair the device again."
  }

  static func identity(_ identity: String, behind address: String) -> String {
    "\(address) is \(identity), which it is known as from its next connection on."
  }

  static func noRoom(_ address: String) -> String {
    "The bond with \(address) is not kept: there are \(KeyRing.capacity) already. Forget one with "
      + "'measured forget ADDRESS'."
  }
}
