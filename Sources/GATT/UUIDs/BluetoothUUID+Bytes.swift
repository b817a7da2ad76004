extension BluetoothUUID {
  /// The UUID that a 32-bit number abbreviates.
  public init(abbreviation: UInt32) {
    self.init(high: UInt64(abbreviation) << 32 | Self.baseHigh, low: Self.baseLow)
  }

  /// The 32-bit abbreviation, where there is one; every 16-bit one is also one of these.
  public var abbreviation: UInt32? {
    guard low == Self.baseLow, high & 0xFFFF_FFFF == Self.baseHigh else { return nil }
    return UInt32(truncatingIfNeeded: high >> 32)
  }

  /// The fewest bytes that spell the UUID on the air, 2, 4 or 16, least significant first.
  public var shortestBytes: [UInt8] {
    var writer = ByteWriter()
    if let short {
      writer.u16(short)
    } else if let abbreviation {
      writer.u32(abbreviation)
    } else {
      writer.unsigned(low, width: 8)
      writer.unsigned(high, width: 8)
    }
    return writer.bytes
  }
}

extension ByteReader {
  /// Reads a UUID of `width` bytes, 2, 4 or 16.
  mutating func uuid(_ field: String, width: Int) throws(GATTError) -> BluetoothUUID {
    switch width {
    case 2: return BluetoothUUID(try u16(field))
    case 4: return BluetoothUUID(abbreviation: try u32(field))
    default:
      try require(16, field)
      let low = try u64(field)
      return BluetoothUUID(high: try u64(field), low: low)
    }
  }
}
