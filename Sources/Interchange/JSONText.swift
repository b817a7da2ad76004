package import Foundation

/// JSON as the command line and the interface print it: one line, keys sorted.
package enum JSONText {
  /// The text of `value`.
  package static func of(_ value: some Encodable) throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return try encoder.encode(value)
  }

  /// The text of `value`, in which a number that is none is a text: `"Infinity"`, `"NaN"`.
  ///
  /// For lists that a single value must not break; nothing is left out.
  package static func sayingAll(of value: some Encodable) throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "Infinity", negativeInfinity: "-Infinity", nan: "NaN")
    return try encoder.encode(value)
  }
}

/// A key that is always present in JSON, `null` without a value, so that a script need not test for it.
@propertyWrapper
package struct Nullable<Wrapped: Encodable>: Encodable {
  package var wrappedValue: Wrapped?

  package init(wrappedValue: Wrapped?) {
    self.wrappedValue = wrappedValue
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    if let wrappedValue {
      try container.encode(wrappedValue)
    } else {
      try container.encodeNil()
    }
  }
}

extension Nullable: Sendable where Wrapped: Sendable {}
