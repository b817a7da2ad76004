import Radio

extension Controller.Block {
  /// The block that keeps the controller off: `hci0 is blocked by software (rfkill)`.
  func finding(of controller: String) -> String {
    switch self {
    case .soft: "\(controller) is blocked by software (rfkill)"
    case .hard: "\(controller) is switched off by a switch of the machine (rfkill)"
    }
  }

  /// The advice on the block.
  var advice: String {
    switch self {
    case .soft: "Unblock it: rfkill unblock bluetooth"
    case .hard: "Turn the machine's radio switch, or end its aeroplane mode."
    }
  }
}
