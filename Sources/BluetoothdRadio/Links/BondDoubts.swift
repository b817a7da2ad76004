import Radio

/// Which bonds are in doubt, since their devices refuse the keys that are kept.
///
/// bluetoothd does not say so: a link whose encryption fails is aborted with the same words as one
/// that the air broke. One such end may be an accident, many in a row are not. A bond is never
/// deleted for it: that is for a person to do.
struct BondDoubts: Hashable, Sendable {
  /// What makes a bond doubtful.
  enum Sign: Int, Hashable, Sendable {
    /// The link came up and was aborted.
    case aborted = 1
    /// The device refused for want of authentication or encryption, in so many words.
    case refused = 3
  }

  /// How much is enough: more aborts than one connection is tried, or two refusals.
  private static let limit = 6
  /// How many devices are remembered; more than a home has.
  private static let maximumDevices = 256

  private var signs: [DeviceAddress: Int] = [:]

  /// Adds a sign of a bonded device.
  ///
  /// - Returns: Whether its bond is to be called stale.
  mutating func add(_ sign: Sign, of address: DeviceAddress) -> Bool {
    guard signs.count < Self.maximumDevices || signs[address] != nil else { return false }
    let sum = min(signs[address, default: 0] + sign.rawValue, Self.limit)
    signs[address] = sum
    return sum >= Self.limit
  }

  /// The bond works, or is gone.
  mutating func clear(_ address: DeviceAddress) { signs[address] = nil }
}
