// The fixed widths that specifications speak of, by the names they give them.
extension ByteReader {
  /// Reads one byte.
  public mutating func u8(_ field: String) throws(GATTError) -> UInt8 {
    UInt8(truncatingIfNeeded: try unsigned(field, width: 1))
  }

  /// Reads an unsigned number of 2 bytes.
  public mutating func u16(
    _ field: String, _ order: ByteOrder = .little
  ) throws(GATTError) -> UInt16 {
    UInt16(truncatingIfNeeded: try unsigned(field, width: 2, order))
  }

  /// Reads an unsigned number of 3 bytes.
  public mutating func u24(
    _ field: String, _ order: ByteOrder = .little
  ) throws(GATTError) -> UInt32 {
    UInt32(truncatingIfNeeded: try unsigned(field, width: 3, order))
  }

  /// Reads an unsigned number of 4 bytes.
  public mutating func u32(
    _ field: String, _ order: ByteOrder = .little
  ) throws(GATTError) -> UInt32 {
    UInt32(truncatingIfNeeded: try unsigned(field, width: 4, order))
  }

  /// Reads an unsigned number of 6 bytes.
  public mutating func u48(
    _ field: String, _ order: ByteOrder = .little
  ) throws(GATTError) -> UInt64 {
    try unsigned(field, width: 6, order)
  }

  /// Reads an unsigned number of 8 bytes.
  public mutating func u64(
    _ field: String, _ order: ByteOrder = .little
  ) throws(GATTError) -> UInt64 {
    try unsigned(field, width: 8, order)
  }

  /// Reads a two's complement number of 1 byte.
  public mutating func s8(_ field: String) throws(GATTError) -> Int8 {
    Int8(truncatingIfNeeded: try signed(field, width: 1))
  }

  /// Reads a two's complement number of 2 bytes.
  public mutating func s16(
    _ field: String, _ order: ByteOrder = .little
  ) throws(GATTError) -> Int16 {
    Int16(truncatingIfNeeded: try signed(field, width: 2, order))
  }

  /// Reads a two's complement number of 3 bytes.
  public mutating func s24(
    _ field: String, _ order: ByteOrder = .little
  ) throws(GATTError) -> Int32 {
    Int32(truncatingIfNeeded: try signed(field, width: 3, order))
  }

  /// Reads a two's complement number of 4 bytes.
  public mutating func s32(
    _ field: String, _ order: ByteOrder = .little
  ) throws(GATTError) -> Int32 {
    Int32(truncatingIfNeeded: try signed(field, width: 4, order))
  }

  /// Reads an IEEE 754 number of 4 bytes; it may be infinite or not a number.
  public mutating func f32(
    _ field: String, _ order: ByteOrder = .little
  ) throws(GATTError) -> Float {
    Float(bitPattern: try u32(field, order))
  }
}
