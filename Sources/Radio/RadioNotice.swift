/// A change of the radio's state that may matter to the user.
package enum RadioNotice: Hashable, Sendable {
  /// There is no controller.
  case noController
  /// A change of a controller, by the kernel's name.
  case controller(String, ControllerChange)
  /// The controllers' attachment and rfkill switches cannot be monitored.
  case noDirectory(LinkError.Reason)
  /// The kernel does not provide Bluetooth.
  case noKernel(LinkError.Reason)
  /// Kernel mode released the controllers to bluetoothd.
  case yielded
  /// The system's message bus cannot be used.
  case noBus(LinkError.Reason)
  /// bluetoothd is not running.
  case noBluetoothd
  /// bluetoothd is running.
  case bluetoothdFound
  /// bluetoothd stopped.
  case bluetoothdLost
  /// bluetoothd does not list its objects.
  case bluetoothdSilent(LinkError.Reason)
  /// bluetoothd does not accept the pairing agent.
  case noAgent(LinkError.Reason)
  /// The bonds cannot be read.
  case bondsUnreadable(BondFileError)
  /// A new bond cannot be stored.
  case bondNotStored(BondFileError)
  /// The bond with a device does not fit.
  case bondsFull(DeviceAddress, capacity: Int)
  /// A device with a private address has this identity.
  case identity(DeviceAddress, of: DeviceAddress)

  /// How much a notice matters.
  package enum Severity: Hashable, Sendable, Comparable {
    /// Normal operation, also after a failure.
    case info
    /// A function is temporarily unavailable.
    case warning
  }
}

/// The kind of change.
package enum ControllerChange: Hashable, Sendable {
  /// It appeared and is on.
  case found
  /// It was switched on.
  case switchedOn
  /// It receives advertisements: continuously, or with pauses.
  case listening(isContinuous: Bool)
  /// It receives again, after a trouble.
  case recovered
  /// It was removed.
  case removed
  /// It is temporarily unusable.
  case trouble(ControllerTrouble)
}

/// Why a controller cannot be used.
package enum ControllerTrouble: Hashable, Sendable {
  /// An rfkill switch blocks it.
  case blocked(Controller.Block)
  /// This process lacks CAP_NET_ADMIN.
  case notPermitted
  /// It does not support Bluetooth Low Energy; this is permanent.
  case notLowEnergy
  /// Another program switched it off; whether this program switches it on again.
  case switchedOff(isRetried: Bool)
  /// It could not be set up.
  case failed(LinkError.Reason)
  /// It could not be switched on.
  case notPowered(LinkError.Reason)
  /// Discovery could not be started.
  case notListening(LinkError.Reason)
  /// It stopped receiving, though it received before.
  case deaf
  /// bluetoothd starts no discovery, though it says so; whether every remedy was tried.
  case stuck(isHopeless: Bool)
  /// It does not answer the kernel's commands.
  case mute(LinkError.Reason)
}

extension RadioNotice {
  /// How much the notice matters.
  package var severity: Severity {
    switch self {
    case .bluetoothdFound, .noDirectory, .identity: .info
    case .controller(_, .found), .controller(_, .switchedOn), .controller(_, .listening),
      .controller(_, .recovered):
      .info
    default: .warning
    }
  }
}
