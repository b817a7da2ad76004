/// Values that came before anybody had asked for them.
///
/// bluetoothd subscribes again by itself when a device comes back, and confirms what is indicated: a
/// scale's record may be told before the session has even heard that the link is up, and the scale
/// never tells it again. Such values are kept until the session subscribes.
struct EarlyValues: Hashable, Sendable {
  /// How many values are kept of one characteristic, the first ones: a scale's records.
  static let limit = 64
  /// Of how many characteristics values are kept.
  static let maximumCharacteristics = 64

  private var values: [String: [[UInt8]]] = [:]

  /// Keeps a value of a characteristic.
  mutating func keep(_ value: [UInt8], of characteristic: String) {
    guard values[characteristic] != nil || values.count < Self.maximumCharacteristics,
      values[characteristic, default: []].count < Self.limit
    else { return }
    values[characteristic, default: []].append(value)
  }

  /// Gives what was kept of a characteristic, in its order, and keeps it no more.
  mutating func take(of characteristic: String) -> [[UInt8]] {
    values.removeValue(forKey: characteristic) ?? []
  }

  /// Keeps nothing more of a device.
  mutating func forget(below path: String) {
    values = values.filter { !$0.key.hasPrefix(path + "/") }
  }
}
