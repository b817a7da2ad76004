import TestSupport
import Testing

@testable import GATT

/// A decoder together with frames that it reads, for tests that hold of all decoders.
struct DecoderSubject: Sendable, CustomTestStringConvertible {
  /// What became of one input.
  enum Outcome: Hashable {
    /// Refused with a typed error.
    case refused
    /// Decoded, and its encoding is decoded to the same value. `isExact` says that the encoding is
    /// the input; it has to be unless the input says something in a way that is not the shortest.
    case decoded(isExact: Bool)
    /// What must not be.
    case broken
  }

  let testDescription: String
  /// Valid frames that together set every flag.
  let frames: [[UInt8]]
  /// Whether the last field takes all that is left, so that a frame can be cut between two elements.
  let endsInList: Bool
  let decode: @Sendable ([UInt8]) throws(GATTError) -> [UInt8]
  let outcome: @Sendable ([UInt8]) -> Outcome

  /// Takes frames in hex, and whether the encoding of a value must be the bytes it was decoded from.
  init<Value: Characteristic>(
    _ type: Value.Type, frames: [String], endsInList: Bool = false,
    isCanonical: @escaping @Sendable (Value, [UInt8]) -> Bool = { _, _ in true }
  ) {
    testDescription = String(reflecting: type)
    self.endsInList = endsInList
    self.frames = frames.map { bytes($0) }
    decode = { input throws(GATTError) in try Value(input).encoded }
    outcome = { input in
      let value: Value
      do throws(GATTError) { value = try Value(input) } catch { return .refused }
      let encoded = value.encoded
      guard (try? Value(encoded)) == value else { return .broken }
      let isExact = encoded == input
      return isExact || !isCanonical(value, input) ? .decoded(isExact: isExact) : .broken
    }
  }
}
