import Care
import GATT

/// A characteristic of the Bluetooth SIG whose values are measurements.
protocol MeasuredCharacteristic: Characteristic {
  /// What was measured.
  ///
  /// - Parameter isIntermediate: Whether it came while the measurement was still going on, by the
  ///   characteristic that shares the layout.
  /// - Returns: The values, or why there are none.
  func content(isIntermediate: Bool) -> FrameContent
}

/// Reads an adopted characteristic as its specification lays it out.
struct AdoptedCodec<Measured: MeasuredCharacteristic>: Codec {
  var isIntermediate = false

  mutating func decode(_ frame: [UInt8]) throws(DecodeError) -> FrameContent {
    do throws(GATTError) {
      return try Measured(frame).content(isIntermediate: isIntermediate)
    } catch {
      throw .malformed(reason: error.description)
    }
  }
}

extension FrameContent {
  /// A frame's values, all with its time and user; those that say nothing are left out.
  init(
    _ values: [DecodedValue?], time: DateTime? = nil, user: UInt8? = nil, streamed: Bool = false,
    otherwise note: String
  ) {
    let time = LocalDateTime(time)
    self.values = values.compactMap { value in
      guard var value else { return nil }
      value.time = time
      value.userIndex = user.map(Int.init)
      value.isStreamed = streamed
      return value
    }
    if self.values.isEmpty { self.note = note }
  }
}

extension DecodedValue {
  /// A value of an exact fraction; `nil` where there is none.
  init?(_ quantity: Quantity, _ number: ScaledValue?, _ unit: UnitOfMeasure? = nil) {
    guard let number else { return nil }
    self.init(quantity, number.doubleValue, unit)
  }

  /// A value of a medical number; `nil` where it is none of a finite kind.
  init?(_ quantity: Quantity, _ number: MedicalFloat?, _ unit: UnitOfMeasure? = nil) {
    guard let number = number?.doubleValue else { return nil }
    self.init(quantity, number, unit)
  }
}

extension UnitSystem {
  /// The unit of a mass.
  var mass: UnitOfMeasure { self == .si ? .kilogram : .pound }
  /// The unit of a height.
  var height: UnitOfMeasure { self == .si ? .metre : .inch }
}
