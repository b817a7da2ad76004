/// Builds bytes from numbers: the counterpart of ``ByteReader``.
public struct ByteWriter: Hashable, Sendable {
  /// The bytes written so far.
  public private(set) var bytes: [UInt8] = []

  /// Makes an empty writer.
  public init() {}

  /// Appends bytes.
  public mutating func append(_ bytes: some Sequence<UInt8>) {
    self.bytes.append(contentsOf: bytes)
  }

  /// Appends the low `width` bytes of `value`; bytes beyond 8 are zero.
  public mutating func unsigned(_ value: UInt64, width: Int, _ order: ByteOrder = .little) {
    let places = 0..<max(width, 0)
    switch order {
    case .little:
      for place in places { bytes.append(UInt8(truncatingIfNeeded: value >> (8 * place))) }
    case .big:
      for place in places.reversed() {
        bytes.append(UInt8(truncatingIfNeeded: value >> (8 * place)))
      }
    }
  }

  /// Appends one byte.
  public mutating func u8(_ value: UInt8) {
    bytes.append(value)
  }

  /// Appends 2 bytes.
  public mutating func u16(_ value: UInt16, _ order: ByteOrder = .little) {
    unsigned(UInt64(value), width: 2, order)
  }

  /// Appends the low 3 bytes of `value`.
  public mutating func u24(_ value: UInt32, _ order: ByteOrder = .little) {
    unsigned(UInt64(value), width: 3, order)
  }

  /// Appends 4 bytes.
  public mutating func u32(_ value: UInt32, _ order: ByteOrder = .little) {
    unsigned(UInt64(value), width: 4, order)
  }

  /// Appends a two's complement number of 2 bytes.
  public mutating func s16(_ value: Int16, _ order: ByteOrder = .little) {
    u16(UInt16(bitPattern: value), order)
  }
}
