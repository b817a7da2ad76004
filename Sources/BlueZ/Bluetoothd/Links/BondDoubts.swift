import Radio

/// Which bonds are in doubt, since their devices refuse the keys that are kept.
///
/// One refusal may be an accident of the air; the second in a row is not. A bond is never deleted
/// for it: that is for a person to do.
struct BondDoubts: Hashable, Sendable {
  /// How many devices are remembered; more than a home has.
  private static let limit = 256

  private var refusals: [DeviceAddress: Int] = [:]

  /// A bonded device refused.
  ///
  /// - Returns: Whether its bond is to be called stale.
  mutating func refused(_ address: DeviceAddress) -> Bool {
    guard refusals.count < Self.limit || refusals[address] != nil else { return false }
    let count = min(refusals[address, default: 0] + 1, 2)
    refusals[address] = count
    return count >= 2
  }

  /// The bond works, or is gone.
  mutating func cleared(_ address: DeviceAddress) { refusals[address] = nil }
}
