import Care
import GATT
import StrictYAML

/// A password that a device sends once, while it is paired, and asks for on every later link.
///
/// It is kept as the key of the device's binding.
struct PasswordRule: Hashable, Sendable {
  /// The characteristic that sends it.
  var characteristic: BluetoothUUID
  /// The beginning of the frame.
  var bytes: BytePattern
  /// Its first byte in the frame.
  var at: Int
  /// Its length, 1...16 bytes.
  var count: Int
  var origin: YAMLLocation

  /// The length of a key.
  static let keyCount = 16

  /// The key in a frame of `source`: the password, and zeros up to 16 bytes; `nil` if the frame has
  /// none.
  func key(in frame: [UInt8], of source: BluetoothUUID) -> Secret<[UInt8]>? {
    guard source == characteristic, bytes.matches(frame), at + count <= frame.count else {
      return nil
    }
    let padding = [UInt8](repeating: 0, count: max(0, Self.keyCount - count))
    return Secret(frame[at..<at + count] + padding)
  }
}

extension PasswordRule {
  init(_ node: YAMLNode) throws(YAMLError) {
    origin = node.location
    var rule = try node.mapping()
    characteristic = try rule.required("characteristic").uuid()
    bytes = try rule.required("bytes").pattern()
    at = try rule.required("at").integer(in: 0...511)
    count = try rule.required("count").integer(in: 1...Self.keyCount)
    try rule.finish()
  }
}

/// Whether a device is being paired on the current link.
enum PairingState: String, Hashable, Sendable, CaseIterable {
  /// It has sent its password on this link.
  case pairing
  /// Its password is known from an earlier link.
  case paired
}
