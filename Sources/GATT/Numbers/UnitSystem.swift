/// The units that a frame speaks, said by its own flags and never by a user's setting.
public enum UnitSystem: Hashable, Sendable, CaseIterable {
  /// Kilograms and metres.
  case si
  /// Pounds and inches.
  case imperial

  /// A mass in the frame's unit, kg or lb: steps of 0.005 kg or 0.01 lb.
  ///
  /// The step is fixed (GATT Specification Supplement, Weight Measurement). What a scale says in
  /// ``WeightScaleFeature`` is its precision and rescales nothing.
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
