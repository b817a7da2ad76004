/// An exact decimal number as a device counts it: so many steps of a fixed size.
///
/// A scale that counts 15 992 steps of 5 g says 15992/200 kg. Kept as a fraction, nothing is
/// rounded before someone asks for a `Double`. Equality is that of the representation.
public struct ScaledValue: Hashable, Sendable {
  /// The count as it was sent.
  public let numerator: Int
  /// How many steps make one unit; never 0.
  public let denominator: Int

  /// Only this module makes them, so that no denominator comes from a device.
  init(_ numerator: some FixedWidthInteger, per denominator: Int) {
    self.numerator = Int(truncatingIfNeeded: numerator)
    self.denominator = denominator
  }

  /// The nearest `Double`: one correctly rounded division.
  public var doubleValue: Double {
    Double(numerator) / Double(denominator)
  }
}
