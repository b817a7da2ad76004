/// An exact decimal number as a device sends it: a count of steps of a fixed size.
///
/// 15 992 steps of 5 g are 15992/200 kg. The fraction is rounded only by ``doubleValue``. Equality
/// is that of the representation.
public struct ScaledValue: Hashable, Sendable {
  /// The count as it was sent.
  public let numerator: Int
  /// How many steps make one unit; never 0.
  public let denominator: Int

  /// Internal, so that no denominator comes from a device.
  init(_ numerator: some FixedWidthInteger, per denominator: Int) {
    self.numerator = Int(truncatingIfNeeded: numerator)
    self.denominator = denominator
  }

  /// The nearest `Double`: one correctly rounded division.
  public var doubleValue: Double {
    Double(numerator) / Double(denominator)
  }
}

/// The units of a frame, given by its own flags and never by a user's setting.
public enum UnitSystem: Hashable, Sendable, CaseIterable {
  /// Kilograms and metres.
  case si
  /// Pounds and inches.
  case imperial

  /// A mass in the frame's unit, kg or lb: steps of 0.005 kg or 0.01 lb.
  ///
  /// The step is fixed (GATT Specification Supplement, Weight Measurement). The resolution in
  /// ``WeightScaleFeature`` is a precision and rescales nothing.
  public func mass(_ count: UInt16) -> ScaledValue {
    switch self {
    case .si: ScaledValue(count, per: 200)
    case .imperial: ScaledValue(count, per: 100)
    }
  }

  /// A body height in the frame's unit, m or in: steps of 0.001 m or 0.1 in.
  public func height(_ count: UInt16) -> ScaledValue {
    switch self {
    case .si: ScaledValue(count, per: 1000)
    case .imperial: ScaledValue(count, per: 10)
    }
  }
}
