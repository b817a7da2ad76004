import GATT
import Radio
import StrictYAML

/// An exclusive or that hides the bytes of a frame.
struct UnmaskRule: Hashable, Sendable {
  /// The first byte that is hidden; all that follow are.
  var from: Int
  var key: Key

  enum Key: Hashable, Sendable {
    /// Every byte with the same number.
    case byte(UInt8)
    /// Every byte with one of the frame.
    case byteAt(Int)
    /// The bytes of the device's own address, over and over.
    case address(AddressOrder)
  }

  /// The frame without the mask.
  func unmasked(_ frame: [UInt8], of address: DeviceAddress) -> [UInt8] {
    guard frame.count > from else { return frame }
    let key: [UInt8]
    switch self.key {
    case .byte(let byte): key = [byte]
    case .byteAt(let place):
      guard place < frame.count else { return frame }
      key = [frame[place]]
    case .address(let order): key = order.bytes(of: address)
    }
    var frame = frame
    for (number, place) in (from..<frame.count).enumerated() {
      frame[place] ^= key[number % key.count]
    }
    return frame
  }
}

/// The order in which a frame has the bytes of an address.
enum AddressOrder: String, Hashable, Sendable, CaseIterable {
  /// As it is printed.
  case forward
  /// As the radio sends it.
  case reversed

  /// The six bytes of `address`.
  func bytes(of address: DeviceAddress) -> [UInt8] {
    let little = (0..<6).map { UInt8(truncatingIfNeeded: address.rawValue >> UInt64(8 * $0)) }
    return self == .forward ? little.reversed() : little
  }
}

extension UnmaskRule {
  init(_ node: YAMLNode) throws(YAMLError) {
    var rule = try node.mapping()
    from = try rule.required("from").integer(in: 0...511)
    let byte = rule.optional("byte")
    let byteAt = rule.optional("byteAt")
    let address = rule.optional("address")
    switch (byte, byteAt, address) {
    case (let byte?, nil, nil): key = .byte(try byte.byte())
    case (nil, let place?, nil): key = .byteAt(try place.integer(in: 0...511))
    case (nil, nil, let address?): key = .address(try address.choice())
    default: throw node.error("the key is one of ‘byte’, ‘byteAt’, ‘address’")
    }
    try rule.finish()
    if case .byteAt(let place) = key, place >= from {
      throw node.error("the key at byte \(place) is hidden itself")
    }
  }
}
