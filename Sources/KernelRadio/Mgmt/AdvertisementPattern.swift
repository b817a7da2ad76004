import GATT

/// Bytes that an advertisement has to hold for a monitor to tell of it.
///
/// Source: BlueZ doc/mgmt-api, "Add Advertisement Patterns Monitor Command".
struct AdvertisementPattern: Hashable, Sendable {
  /// The most bytes that a pattern can hold.
  static let maximumLength = 31

  /// The AD structure that is looked at.
  var type: AdvertisingStructure.Kind
  /// Where in it the bytes are.
  var offset: UInt8
  /// The bytes, at most 31.
  var value: [UInt8]

  func write(to writer: inout ByteWriter) {
    let value = self.value.prefix(Self.maximumLength)
    writer.u8(type.rawValue)
    writer.u8(offset)
    writer.u8(UInt8(value.count))
    writer.append(value)
    writer.append(repeatElement(0, count: Self.maximumLength - value.count))
  }
}

extension [AdvertisementPattern] {
  /// Patterns that the advertisements of nearly every sensor match, in the 16 that a monitor takes.
  ///
  /// The kernel's own scan tells of every advertisement once there is any monitor. A controller
  /// that filters by itself (Microsoft's extension: Intel, Realtek) needs to be told: the flags
  /// that sensors send, and the high byte of the 16-bit UUIDs that the Bluetooth SIG gives out,
  /// 0x18xx for health services and 0xFCxx to 0xFExx for companies.
  static let nearlyEverything: [AdvertisementPattern] =
    [0x06, 0x04, 0x05, 0x02, 0x1A, 0x00].map { flags in
      AdvertisementPattern(type: .flags, offset: 0, value: [flags])
    }
    + [.completeServices16, .incompleteServices16].map { type in
      AdvertisementPattern(type: type, offset: 1, value: [0x18])
    }
    + [0x18, 0xFC, 0xFD, 0xFE].map { byte in
      AdvertisementPattern(type: .serviceData16, offset: 1, value: [byte])
    }
}
