import Care
import StrictYAML

/// One field of a frame.
struct FieldRule: Sendable {
  var name: String
  var type: FieldType
  /// Where it begins; `nil` where the field before it ends.
  var at: Int?
  /// The bits of the integer that count; `nil` for all.
  var bits: BitRange?
  /// Whether the field is in the frame at all.
  var presence: FlagTest?
  /// Whether its value counts; it takes its room anyhow.
  var validity: FlagTest?
  /// Whether it comes again until the frame ends.
  var repeats = false
  /// Integers that mean that there is no value.
  var invalid: Set<Int64> = []
  /// What the value is; `nil` for a field that only others look at.
  var value: ValueRule?
  var origin: YAMLLocation
}

/// Some bits of an integer field.
struct BitRange: Hashable, Sendable {
  /// The lowest, from 0.
  var first: Int
  var count: Int

  /// Those bits of `value` as an unsigned number.
  func of(_ value: Int64) -> Int64 {
    Int64(bitPattern: UInt64(bitPattern: value) >> UInt64(first) & (1 << UInt64(count) - 1))
  }
}

/// A bit of a field that was read before: `flags.1`, `not state.7`.
struct FlagTest: Hashable, Sendable {
  var field: String
  /// Counted from the least significant, 0.
  var bit: Int
  var isSet: Bool

  func holds(in fields: [String: Int64]) -> Bool {
    ((fields[field] ?? 0) >> Int64(bit) & 1 == 1) == isSet
  }
}

/// What a field's number is worth.
struct ValueRule: Sendable {
  var quantity: Quantity
  /// The first whose test holds is taken; the last has none.
  var scales: [ScaleRule]
}

/// Number × scale + offset, in a unit.
struct ScaleRule: Sendable {
  var condition: FlagTest?
  var scale: Ratio
  var offset: Ratio
  var unit: UnitOfMeasure
}
