/// Reads numbers from the front of a sequence of bytes, with errors that name the field.
///
/// A value type: a copy looks ahead. A failed read consumes nothing. A read costs O(bytes read);
/// the name of its field is used only in errors.
public struct ByteReader: Hashable, Sendable {
  /// The field in which the bytes end, and the refusal of it.
  struct Cut: Hashable, Sendable {
    var field: String
    var error: GATTError
  }

  private var rest: ArraySlice<UInt8>
  /// The first announced field that the bytes do not hold as a whole.
  private(set) var cut: Cut?
  /// The bytes within the layout that belong to no field.
  private(set) var passedOver = 0

  /// Makes a reader at the first byte.
  public init(_ bytes: some Collection<UInt8>) {
    rest = ArraySlice(bytes)
  }

  /// The number of unread bytes.
  public var remaining: Int { rest.count }

  /// Whether all bytes have been read.
  public var isAtEnd: Bool { rest.isEmpty }

  /// Throws unless `count` more bytes are available.
  ///
  /// For fields of several parts, so that the error names the whole field.
  public func require(_ count: Int, _ field: String) throws(GATTError) {
    guard count >= 0 else { throw .invalid(field: field, reason: "its length is negative") }
    guard count <= rest.count else {
      throw .truncated(field: field, needed: count, available: rest.count)
    }
  }

  /// Reads the next `count` bytes.
  public mutating func bytes(_ count: Int, _ field: String) throws(GATTError) -> [UInt8] {
    try require(count, field)
    defer { rest = rest.dropFirst(count) }
    return Array(rest.prefix(count))
  }

  /// The unread bytes.
  var unread: ArraySlice<UInt8> { rest }

  /// The next byte; `nil` at the end.
  var next: UInt8? { rest.first }

  /// Counts bytes that were read and belong to no field.
  mutating func pass(over count: Int) { passedOver += count }

  /// Drops bytes at the end that were read already.
  mutating func dropLast(_ count: Int) { rest = rest.dropLast(count) }

  /// Reads all remaining bytes, possibly none.
  public mutating func remainder() -> [UInt8] {
    defer { rest = [] }
    return Array(rest)
  }

  /// Reads a field that a flag announces.
  ///
  /// Links with a small MTU cut long values. So bytes that end before or inside an announced field
  /// end the value there: this field and all later ones are `nil`.
  ///
  /// - Parameters:
  ///   - isAnnounced: Whether the flags say that the value has the field.
  ///   - field: Reads it.
  /// - Returns: The field; `nil` if it is not announced or not there as a whole.
  /// - Throws: ``GATTError`` for a whole field that cannot be right.
  mutating func announced<Value>(
    _ isAnnounced: Bool, _ field: (inout ByteReader) throws(GATTError) -> Value
  ) throws(GATTError) -> Value? {
    guard isAnnounced, cut == nil else { return nil }
    var ahead = self
    do throws(GATTError) {
      let value = try field(&ahead)
      self = ahead
      return value
    } catch {
      guard case .truncated(let name, _, _) = error else { throw error }
      cut = Cut(field: name, error: error)
      rest = []
      return nil
    }
  }

  /// Throws ``GATTError/trailing(count:)`` unless all bytes have been read.
  public func finish() throws(GATTError) {
    guard isAtEnd else { throw .trailing(count: remaining) }
  }

  /// Reads an unsigned number of `width` bytes, 1…8.
  public mutating func unsigned(
    _ field: String, width: Int, _ order: ByteOrder = .little
  ) throws(GATTError) -> UInt64 {
    guard (1...8).contains(width) else {
      throw .invalid(field: field, reason: "a number of \(width) bytes cannot be read")
    }
    try require(width, field)
    let end = rest.startIndex + width
    var value: UInt64 = 0
    switch order {
    case .big: for index in rest.startIndex..<end { value = value << 8 | UInt64(rest[index]) }
    case .little:
      for index in (rest.startIndex..<end).reversed() { value = value << 8 | UInt64(rest[index]) }
    }
    rest = rest[end...]
    return value
  }

  /// Reads a two's complement number of `width` bytes, 1…8.
  public mutating func signed(
    _ field: String, width: Int, _ order: ByteOrder = .little
  ) throws(GATTError) -> Int64 {
    let bits = try unsigned(field, width: width, order)
    // Shifting to the top and back extends the sign bit.
    let unused = 64 - 8 * width
    return Int64(bitPattern: bits << unused) >> unused
  }
}

// MARK: - Fixed widths

// The fixed widths by the names of the specifications.
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

// MARK: - Announced fields

// The fields that a flag announces; see `announced(_:_:)`.
extension ByteReader {
  /// Reads one byte, if it is announced.
  mutating func u8(
    _ field: String, if isAnnounced: Bool
  ) throws(GATTError) -> UInt8? {
    try announced(isAnnounced) { reader throws(GATTError) in try reader.u8(field) }
  }

  /// Reads an unsigned number of 2 bytes, if it is announced.
  mutating func u16(
    _ field: String, if isAnnounced: Bool
  ) throws(GATTError) -> UInt16? {
    try announced(isAnnounced) { reader throws(GATTError) in try reader.u16(field) }
  }

  /// Reads a two's complement number of 2 bytes, if it is announced.
  mutating func s16(
    _ field: String, if isAnnounced: Bool
  ) throws(GATTError) -> Int16? {
    try announced(isAnnounced) { reader throws(GATTError) in try reader.s16(field) }
  }

  /// Reads an unsigned number of 3 bytes, if it is announced.
  mutating func u24(
    _ field: String, if isAnnounced: Bool
  ) throws(GATTError) -> UInt32? {
    try announced(isAnnounced) { reader throws(GATTError) in try reader.u24(field) }
  }

  /// Reads an unsigned number of 4 bytes, if it is announced.
  mutating func u32(
    _ field: String, if isAnnounced: Bool
  ) throws(GATTError) -> UInt32? {
    try announced(isAnnounced) { reader throws(GATTError) in try reader.u32(field) }
  }

  /// Reads an SFLOAT of 2 bytes, if it is announced.
  mutating func sfloat(
    _ field: String, if isAnnounced: Bool
  ) throws(GATTError) -> MedicalFloat? {
    try announced(isAnnounced) { reader throws(GATTError) in try reader.sfloat(field) }
  }
}

// MARK: - Byte order

/// The order of a number's bytes.
public enum ByteOrder: Hashable, Sendable {
  /// Least significant byte first, as in all Bluetooth SIG formats.
  case little
  /// Most significant byte first, as in some vendors' advertisements.
  case big
}
