/// A value that is read in parts (Core Specification, Vol 3 Part G §4.8.3).
///
/// A response that fills its protocol data unit is continued by Read Blob, since the value may be
/// longer; a refusal of that means that the value was complete.
package struct LongRead: Hashable, Sendable {
  /// The longest value of an attribute, in bytes (Vol 3 Part F §3.2.9).
  package static let longestValue = 512

  /// The attribute.
  package let handle: UInt16
  /// The bytes read so far, at most ``longestValue``.
  package private(set) var data: [UInt8] = []
  /// Whether the last response filled its unit, so that the value may be longer.
  package private(set) var mayContinue = false

  /// Starts the read of an attribute.
  package init(handle: UInt16) {
    self.handle = handle
  }

  /// The next request.
  package var request: ATTPDU {
    data.isEmpty
      ? .read(handle: handle)
      // A value has at most 512 bytes, so the offset fits.
      : .readBlob(handle: handle, offset: UInt16(truncatingIfNeeded: data.count))
  }

  /// Adds the bytes of a response on a link with this MTU.
  package mutating func append(_ part: [UInt8], mtu: Int) {
    data = Array((data + part).prefix(Self.longestValue))
    mayContinue = part.count >= mtu - 1 && data.count < Self.longestValue
  }

  /// Whether a refusal of the next request means that the value is complete.
  package func isComplete(by refusal: ATTErrorCode) -> Bool {
    !data.isEmpty && (refusal == .invalidOffset || refusal == .attributeNotLong)
  }
}
