public import GATT

/// The reason why a frame was refused.
///
/// A refused frame gives no values at all; the next frame is decoded as usual.
public enum FrameDefect: Error, Hashable, Sendable {
  /// The frame is longer than an attribute value can be, 512 bytes.
  case oversized(count: Int)
  /// The frame's length is not the one of its definition; both in bytes.
  case wrongLength(count: Int, expected: Int)
  /// The frame ends before the last byte of a field of the definition; `count` is its length.
  case truncatedField(String, bytes: Range<Int>, count: Int)
  /// The frame is too short for a motion sample of `needed` bytes; `count` is its length.
  case truncatedSample(needed: Int, count: Int)
  /// The frame ends within a motion sample of `stride` bytes; `count` is its length.
  case partialSample(stride: Int, count: Int)
  /// The frame has more motion samples than a frame can hold.
  case tooManySamples(count: Int, limit: Int)
  /// A motion value exceeds the range of 32 bits in micro-g or thousandths of a degree a second.
  case motionOutOfRange
  /// The frame is too short for the bytes that its checksum covers; `count` is its length.
  case noChecksum(count: Int)
  /// The checksum, or the total of the bytes with it, is not the expected one: a bit was received
  /// wrong, or the frame is another device's.
  case wrongChecksum(UInt8, expected: UInt8)
  /// The bytes do not have the layout of their characteristic or vendor format.
  case malformed(GATTError)
}

extension FrameDefect: CustomStringConvertible {
  /// The reason with the field and the lengths: `the frame has 3 bytes instead of 13`.
  public var description: String {
    switch self {
    case .oversized(let count):
      "the frame has \(count) bytes, more than the \(AttributeProtocol.maximumValueLength) of an"
        + " attribute"
    case .wrongLength(let count, let expected):
      "the frame has \(count) bytes instead of \(expected)"
    case .truncatedField(let field, let bytes, let count):
      "the frame ends in field ‘\(field)’: bytes \(bytes.lowerBound)..<\(bytes.upperBound) are"
        + " needed, there are \(count)"
    case .truncatedSample(let needed, let count):
      "the frame ends within its sample: \(needed) bytes are needed, there are \(count)"
    case .partialSample(let stride, let count):
      "the frame ends within a sample of \(stride) bytes: there are \(count)"
    case .tooManySamples(let count, let limit):
      "the frame has \(count) samples, more than \(limit)"
    case .motionOutOfRange: "the frame has a motion value out of range"
    case .noChecksum(let count): "the frame of \(count) bytes ends before its checksum"
    case .wrongChecksum(let found, let expected):
      "the checksum is 0x\(String(found, radix: 16)) instead of 0x\(String(expected, radix: 16))"
    case .malformed(let error): error.description
    }
  }
}

/// The reason why bytes were not decoded without a session.
public enum DecodeError: Error, Hashable, Sendable {
  /// Neither the catalogue nor this library's list of adopted characteristics has the
  /// characteristic.
  case unknownCharacteristic(BluetoothUUID)
  /// The definition of that id reads no such characteristic.
  case notOfDefinition(BluetoothUUID, definition: String)
  /// The definitions read the characteristic, and no such frame of it.
  case unknownFrame(BluetoothUUID, definitions: [String])
  /// The catalogue has no definition of that id.
  case unknownDefinition(String)
  /// The bytes are not a frame of their source; `nil` if the caller named the source.
  case malformed(FrameDefect, of: FrameSource? = nil)
}

extension DecodeError: CustomStringConvertible {
  /// The reason with the unknown name or the defect.
  public var description: String {
    switch self {
    case .unknownCharacteristic(let uuid): "unknown characteristic \(uuid)"
    case .notOfDefinition(let uuid, let id): "‘\(id)’ does not read characteristic \(uuid)"
    case .unknownFrame(let uuid, let ids):
      "\(ids.map { "‘\($0)’" }.joined(separator: ", ")): no such frame of characteristic \(uuid)"
    case .unknownDefinition(let id): "unknown device definition ‘\(id)’"
    case .malformed(let defect, let source):
      (source.map { "\($0): " } ?? "") + defect.description
    }
  }
}
