public import Care

/// One value that a frame carried.
public struct DecodedValue: Hashable, Sendable {
  /// What was measured.
  public var quantity: Quantity
  /// The value in the quantity's canonical unit.
  public var value: Double
  /// The value as the frame said it, where its unit is another.
  public var sourceValue: SourceValue?
  /// What the device's clock said; `nil` where the frame has no time or does not know it.
  public var time: LocalDateTime?
  /// The user slot on the device, where the frame names one.
  public var userIndex: Int?
  /// Whether the device streams it, so that the same bytes come again and again.
  public var isStreamed: Bool

  /// The bytes that are this value's alone, where the frame has others that come and go; `nil` for
  /// the whole frame.
  var raw: [UInt8]?

  /// The canonical unit, in which ``value`` is.
  public var unit: UnitOfMeasure { quantity.unit }

  /// Makes a value of what a frame said.
  ///
  /// - Returns: `nil` where `unit` does not measure `quantity`, or the number is not finite.
  init?(
    _ quantity: Quantity, _ number: Double, _ unit: UnitOfMeasure? = nil,
    time: LocalDateTime? = nil, userIndex: Int? = nil, isStreamed: Bool = false
  ) {
    let unit = unit ?? quantity.unit
    guard number.isFinite, let value = unit.convert(number, to: quantity.unit) else { return nil }
    self.quantity = quantity
    self.value = value
    self.sourceValue = unit == quantity.unit ? nil : SourceValue(value: number, unit: unit)
    self.time = time
    self.userIndex = userIndex
    self.isStreamed = isStreamed
  }
}
