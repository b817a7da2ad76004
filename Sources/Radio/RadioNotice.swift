/// A change of the radio itself that a person may have to know.
package enum RadioNotice: Hashable, Sendable {
  /// There is no controller.
  case noController
  /// Something about a controller, by the kernel's name.
  case controller(String, ControllerChange)
  /// The controllers' attachment and rfkill switches cannot be watched.
  case noDirectory(LinkError.Reason)
  /// The kernel gives no Bluetooth.
  case noKernel(LinkError.Reason)
  /// Kernel mode left the controllers to bluetoothd.
  case yielded
  /// The system's message bus cannot be used.
  case noBus(LinkError.Reason)
  /// bluetoothd is not running.
  case noBluetoothd
  /// bluetoothd is running.
  case bluetoothdFound
  /// bluetoothd went away.
  case bluetoothdLost
  /// bluetoothd does not list its objects.
  case bluetoothdSilent(LinkError.Reason)
  /// bluetoothd takes no pairing agent.
  case noAgent(LinkError.Reason)
  /// The bonds cannot be read.
  case bondsUnreadable(BondFileError)
  /// A new bond cannot be stored.
  case bondNotStored(BondFileError)
  /// There is no room for the bond with a device.
  case bondsFull(DeviceAddress, capacity: Int)
  /// A device with a private address has this identity.
  case identity(DeviceAddress, of: DeviceAddress)

  /// How much a notice matters.
  package enum Severity: Hashable, Sendable, Comparable {
    /// All is well, or well again.
    case info
    /// Something does not work for now.
    case warning
  }
}

/// What happened to a controller.
package enum ControllerChange: Hashable, Sendable {
  /// It appeared and is on.
  case found
  /// It was switched on.
  case switchedOn
  /// It listens: all the time, or with pauses.
  case listening(isContinuous: Bool)
  /// It was removed.
  case removed
  /// It cannot be used for now.
  case trouble(ControllerTrouble)
}

/// Why a controller cannot be used.
package enum ControllerTrouble: Hashable, Sendable {
  /// An rfkill switch blocks it.
  case blocked(Controller.Block)
  /// This process lacks CAP_NET_ADMIN.
  case notPermitted
  /// It does not speak Bluetooth low energy; that does not change.
  case notLowEnergy
  /// Another program switched it off; whether this one switches it on again.
  case switchedOff(isRetried: Bool)
  /// It could not be set up.
  case failed(LinkError.Reason)
  /// It could not be switched on.
  case notPowered(LinkError.Reason)
  /// It could not be made to listen.
  case notListening(LinkError.Reason)
  /// It receives nothing any more, though it did.
  case deaf
}

extension RadioNotice {
  /// How much it matters.
  package var severity: Severity {
    switch self {
    case .bluetoothdFound, .noDirectory, .identity: .info
    case .controller(_, .found), .controller(_, .switchedOn), .controller(_, .listening): .info
    default: .warning
    }
  }
}
