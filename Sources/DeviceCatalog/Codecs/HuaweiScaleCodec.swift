import Care
import Digests
import Foundation
import GATT
import Radio

/// The results of Huawei's scales AH100 and CH100.
///
/// Behind a header of three bytes, and without the mask, a result is encrypted by AES-128 in counter
/// mode, always from the same counter: the user (u8), the weight in 0.1 kg, the body fat in 0.1 %
/// (u16 each, low byte first), the year (u16), month, day, hour, minute, second and day of the week
/// (Monday is 1), and the impedance in Ω (u16). The rest of a result is in another frame, which says
/// nothing more. The body fat is computed from the profile that was written last, and is not read.
///
/// Nothing authenticates a result, so one of another user or century, or with a day of the week that
/// its date does not have, is refused.
///
/// Source: the layout in oliexdev/openScale.
struct HuaweiScaleCodec: Codec {
  private let context: CodecContext

  init(_ context: CodecContext) {
    self.context = context
  }

  mutating func decode(_ frame: [UInt8]) throws(FrameDefect) -> FrameContent {
    do throws(GATTError) {
      return try read(frame)
    } catch {
      throw .malformed(error)
    }
  }

  private func read(_ frame: [UInt8]) throws(GATTError) -> FrameContent {
    let needed = HuaweiCipher.header + 15
    guard frame.count >= needed else {
      throw .truncated(field: "result", needed: needed, available: frame.count)
    }
    guard let opened = HuaweiCipher.apply(to: frame, for: context.address) else {
      return FrameContent(note: .cipherUnavailable)
    }
    var reader = ByteReader(opened.dropFirst(HuaweiCipher.header))
    guard try reader.u8("user") == HuaweiCipher.user else {
      throw .invalid(field: "user", reason: "it is not the one that was registered")
    }
    let weight = try reader.u16("weight")
    _ = try reader.u16("body fat")
    let time = LocalDateTime(
      year: Int(try reader.u16("year")), month: Int(try reader.u8("month")),
      day: Int(try reader.u8("day")), hour: Int(try reader.u8("hour")),
      minute: Int(try reader.u8("minute")), second: Int(try reader.u8("second")))
    let weekday = Int64(try reader.u8("day of the week"))
    guard (2010...2099).contains(time.year), let date = time.resolved(in: .gmt),
      LocalDateTime(date, in: .gmt) == time,
      TimeRule(part: .weekday).number(at: date, in: .gmt, bits: 8) == weekday
    else {
      throw .invalid(field: "time", reason: "there is no such day")
    }
    let impedance = try reader.u16("impedance")
    let values = [
      weight == 0 ? nil : DecodedValue(.bodyMass, Double(weight) / 10, time: time),
      impedance == 0 || impedance == .max
        ? nil : DecodedValue(.impedance, Double(impedance), time: time),
    ]
    var content = FrameContent()
    content.values = values.compactMap(\.self)
    return content
  }
}

// MARK: - The cipher

/// A cipher of what is written to a device, by its name in a definition.
enum WriteCipher: String, Hashable, Sendable, CaseIterable {
  case huaweiScale = "huawei-scale"

  /// The encrypted bytes; `nil` if libcrypto cannot encrypt.
  func sealed(_ bytes: [UInt8], for device: DeviceAddress) -> [UInt8]? {
    switch self {
    case .huaweiScale: HuaweiCipher.apply(to: bytes, for: device)
    }
  }
}

/// The cipher of Huawei's scales.
///
/// The key is the token of the registered user, masked by the scale's address, and a fixed rest; the
/// counter is fixed too.
///
/// Source: oliexdev/openScale.
enum HuaweiCipher {
  /// The bytes of a frame that are not encrypted: its kind, length and command.
  static let header = 3
  /// The registered user.
  static let user: UInt8 = 1
  /// A fixed number, the exclusive or of the others, and the user.
  private static let token: [UInt8] = [0x11, 0x22, 0x33, 0x44, 0x55, 0x10, user]
  private static let rest: [UInt8] = [0x2A, 0x98, 0x0F, 0xDE, 0x34, 0x56, 0x73, 0x21, 0x56]
  private static let counter: [UInt8] = [
    0x4E, 0xF7, 0x64, 0x32, 0x2F, 0xDA, 0x76, 0x32, 0x12, 0x3D, 0xEB, 0x87, 0x90, 0xFE, 0xA2, 0x19,
  ]

  /// The frame with what follows its header encrypted or decrypted; `nil` if libcrypto cannot.
  static func apply(to frame: [UInt8], for device: DeviceAddress) -> [UInt8]? {
    let mask = UnmaskRule(from: 0, key: .address(.forward))
    let key = mask.unmasked(token, of: device) + rest
    let message = Array(frame.dropFirst(header))
    guard let result = try? AESCTR.apply(to: message, key: key, counter: counter) else {
      return nil
    }
    return frame.prefix(header) + result
  }
}
