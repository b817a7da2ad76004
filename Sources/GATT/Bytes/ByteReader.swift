/// Reads numbers from the front of a run of bytes, and says which field was too short.
///
/// A value type: a copy is a look ahead. A failed read consumes nothing. Every read is
/// O(bytes read) and takes the name of its field, for the error only.
public struct ByteReader: Hashable, Sendable {
  private var rest: ArraySlice<UInt8>

  /// Makes a reader that stands before the first byte.
  public init(_ bytes: some Collection<UInt8>) {
    rest = ArraySlice(bytes)
  }

  /// How many bytes have not been read.
  public var remaining: Int { rest.count }

  /// Whether all bytes have been read.
  public var isAtEnd: Bool { rest.isEmpty }

  /// Throws unless `count` more bytes are there.
  ///
  /// For fields of several parts, so that the error speaks of the whole field.
  public func require(_ count: Int, _ field: String) throws(GATTError) {
    guard count >= 0 else { throw .invalid(field: field, reason: "its length is negative") }
    guard count <= rest.count else {
      throw .truncated(field: field, needed: count, available: rest.count)
    }
  }

  /// Reads the next `count` bytes as they are.
  public mutating func bytes(_ count: Int, _ field: String) throws(GATTError) -> [UInt8] {
    try require(count, field)
    defer { rest = rest.dropFirst(count) }
    return Array(rest.prefix(count))
  }

  /// Reads all that is left, possibly nothing.
  public mutating func remainder() -> [UInt8] {
    defer { rest = [] }
    return Array(rest)
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
    // The number is shifted to the top and back down, which spreads its sign bit.
    let unused = 64 - 8 * width
    return Int64(bitPattern: bits << unused) >> unused
  }
}
