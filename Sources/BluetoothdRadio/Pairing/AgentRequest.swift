import SystemBus

/// What bluetoothd asks of the one who pairs (org.bluez.Agent1).
enum AgentRequest: Hashable, Sendable {
  /// The six digits that the device shows.
  case passkey(device: String)
  /// To show the six digits that are to be entered on the device.
  case display(device: String, passkey: UInt32)
  /// Whether the device shows the same six digits.
  case confirmation(device: String, passkey: UInt32)
  /// Whether a device that began to pair by itself may.
  case authorization(device: String)
  /// What was asked before is not asked any more.
  case cancel
  /// This agent is not needed any more.
  case release

  /// Reads a call of the agent; `nil` where it is none that low energy knows: a PIN code is of
  /// classic Bluetooth.
  init?(_ message: BusMessage) {
    guard message.interface == BlueZInterface.agent else { return nil }
    let device = message.argument(0)?.text
    let passkey = message.argument(1)?.number.flatMap { UInt32(exactly: $0) }
    switch (message.member, device, passkey) {
    case ("RequestPasskey", let device?, _): self = .passkey(device: device)
    case ("DisplayPasskey", let device?, let passkey?):
      self = .display(device: device, passkey: passkey)
    case ("RequestConfirmation", let device?, let passkey?):
      self = .confirmation(device: device, passkey: passkey)
    case ("RequestAuthorization", let device?, _), ("AuthorizeService", let device?, _):
      self = .authorization(device: device)
    case ("Cancel", _, _): self = .cancel
    case ("Release", _, _): self = .release
    default: return nil
    }
  }
}
