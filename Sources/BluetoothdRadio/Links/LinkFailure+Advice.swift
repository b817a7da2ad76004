import Radio

extension LinkFailure {
  /// What to do about it, for people; a sentence, or nothing where it passes by itself.
  func advice(for address: DeviceAddress) -> String? {
    switch self {
    case .gone: "Is it near, awake and not linked with a phone?"
    case .outOfSlots:
      "The controller has no room for another link: disconnect a device that is not needed."
    case .staleBond:
      "It seems to have lost the bond that is kept for it, as after a reset or a change of "
        + "battery: if it is near, run `measured forget \(address)`, then `measured pair \(address)`."
    case .unauthorized: "It has to be paired first: run `measured pair \(address)`."
    case .transient, .other: nil
    }
  }
}
