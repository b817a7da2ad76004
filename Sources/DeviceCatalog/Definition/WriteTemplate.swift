import Care
import Foundation
import GATT
import Radio
import StrictYAML

/// Bytes that are put together when they are written.
struct WriteTemplate: Hashable, Sendable {
  /// The pieces in their order.
  var parts: [Part]
  /// The exclusive or that hides the bytes at last.
  var mask: UnmaskRule?
  /// The cipher that encrypts the bytes before they are masked.
  var cipher: WriteCipher?

  enum Part: Hashable, Sendable {
    case bytes([UInt8])
    /// A number of the current time in the plan's zone.
    case time(TimeRule, FieldType)
    /// Bytes of the frame that was received last.
    case copy(Copy)
    /// The password of the device, each byte in an exclusive or with one of the frame that is
    /// answered.
    case password(at: Int, count: Int)
    /// One byte computed from the others.
    case checksum(ChecksumRule)
  }

  struct Copy: Hashable, Sendable {
    var at: Int
    var count: Int
    /// The bytes to write if there is no such frame, or it is too short; `nil` if nothing is
    /// written then.
    var otherwise: [UInt8]?
  }

  /// The longest write.
  static let maximumCount = 512
}

/// The values on which the bytes of a write depend.
struct WriteContext {
  /// The device's address.
  var address: DeviceAddress
  /// The current time.
  var time: Date
  /// The plan's zone.
  var timeZone: TimeZone
  /// The frame that is answered, or that the steps waited for last.
  var frame: [UInt8]?
  /// The device's key, which begins with its password; `nil` if it is unknown.
  var key: Secret<[UInt8]>?
}

extension WriteTemplate {
  /// Whether it needs the password of the device.
  var needsPassword: Bool {
    parts.contains { if case .password = $0 { true } else { false } }
  }

  /// The bytes; `nil` if a frame or a password is missing of which they need some, or the cipher
  /// cannot be used.
  func bytes(_ context: WriteContext) -> [UInt8]? {
    var bytes: [UInt8] = []
    var checksums: [ChecksumRule] = []
    for part in parts {
      switch part {
      case .bytes(let literal): bytes += literal
      case .time(let rule, let type):
        bytes += type.bytes(
          rule.number(at: context.time, in: context.timeZone, bits: 8 * type.width))
      case .copy(let copy):
        let end = copy.at + copy.count
        if let frame = context.frame, end <= frame.count {
          bytes += frame[copy.at..<end]
        } else if let otherwise = copy.otherwise {
          bytes += otherwise
        } else {
          return nil
        }
      case .password(let at, let count):
        guard let frame = context.frame, at + count <= frame.count, let key = context.key?.revealed,
          count <= key.count
        else { return nil }
        bytes += zip(frame[at..<at + count], key).map { $0 ^ $1 }
      case .checksum(var rule):
        rule.at = bytes.count
        checksums.append(rule)
        bytes.append(0)
      }
    }
    for checksum in checksums { checksum.complete(&bytes) }
    if let cipher {
      guard let sealed = cipher.sealed(bytes, for: context.address) else { return nil }
      bytes = sealed
    }
    // An exclusive or hides what it reveals.
    return mask?.unmasked(bytes, of: context.address) ?? bytes
  }
}

extension FieldType {
  /// `value` in the field's bytes; higher bits are left out.
  func bytes(_ value: Int64) -> [UInt8] {
    let little = (0..<width).map { UInt8(truncatingIfNeeded: value >> Int64(8 * $0)) }
    return isBigEndian ? little.reversed() : little
  }
}

// MARK: - Reading

extension WriteTemplate {
  init(_ node: YAMLNode, mask: UnmaskRule?, cipher: WriteCipher? = nil) throws(YAMLError) {
    self.mask = mask
    self.cipher = cipher
    parts = try node.elements(atMost: 64, Part.init(_:))
    guard !parts.isEmpty else { throw node.error("a write needs a part") }
    let count = parts.reduce(0) { $0 + $1.count }
    guard count <= Self.maximumCount else {
      throw node.error("the write has \(count) bytes, more than \(Self.maximumCount)")
    }
    var place = 0
    for part in parts {
      if case .checksum(var rule) = part {
        rule.at = place
        guard rule.places(in: count) != nil else {
          throw node.error("the checksum covers bytes that the write does not have")
        }
      }
      place += part.count
    }
  }
}

extension WriteTemplate.Part {
  /// The number of its bytes.
  fileprivate var count: Int {
    switch self {
    case .bytes(let bytes): bytes.count
    case .time(_, let type): type.width
    case .copy(let copy): copy.count
    case .password(_, let count): count
    case .checksum: 1
    }
  }

  fileprivate init(_ node: YAMLNode) throws(YAMLError) {
    var part = try node.mapping()
    let hex = part.optional("hex")
    let copy = part.optional("copy")
    let checksum = part.optional("checksum")
    let password = part.optional("password")
    let time = try TimeRule(&part)
    switch (hex, time, copy, checksum, password) {
    case (let hex?, nil, nil, nil, nil): self = .bytes(try hex.hexBytes())
    case (nil, let time?, nil, nil, nil):
      guard time.part.isWritten else {
        throw node.error("‘\(time.part.rawValue)’ is only read")
      }
      let type: FieldType = try part.required("type").choice()
      guard type.isInteger, type != .bits else {
        throw node.error("a time is written as an integer, ‘\(type.rawValue)’ is none")
      }
      self = .time(time, type)
    case (nil, nil, let copy?, nil, nil): self = .copy(try WriteTemplate.Copy(copy))
    case (nil, nil, nil, nil, let password?):
      var rule = try password.mapping()
      self = .password(
        at: try rule.required("at").integer(in: 0...511),
        count: try rule.required("count").integer(in: 1...PasswordRule.keyCount))
      try rule.finish()
    case (nil, nil, nil, let checksum?, nil):
      var rule = try checksum.mapping()
      self = .checksum(try ChecksumRule(&rule))
      try rule.finish()
    default: throw node.error("a part is one of ‘hex’, ‘time’, ‘copy’, ‘password’, ‘checksum’")
    }
    try part.finish()
  }
}

extension WriteTemplate.Copy {
  fileprivate init(_ node: YAMLNode) throws(YAMLError) {
    var copy = try node.mapping()
    at = try copy.required("at").integer(in: 0...511)
    count = try copy.optional("count")?.integer(in: 1...64) ?? 1
    otherwise = try copy.optional("otherwise")?.hexBytes()
    try copy.finish()
    if let otherwise, otherwise.count != count {
      throw node.error("‘otherwise’ has \(otherwise.count) bytes instead of \(count)")
    }
  }
}
