extension MedicalFloat {
  /// The nearest `Double`, or `nil` where there is no number.
  ///
  /// Powers of ten up to 10^22 and all mantissas are exact in binary, so that one multiplication
  /// or division rounds once and correctly: 368 × 10^-1 is the same `Double` as the literal 36.8,
  /// which 368 × 0.1 is not. Beyond them, where no sensor goes, the correctly rounded conversion
  /// of decimal text does it.
  public var doubleValue: Double? {
    guard case .value(let mantissa, let exponent) = self else { return nil }
    let magnitude = Int(exponent.magnitude)
    guard magnitude < Self.exactPowersOfTen.count else { return Double("\(mantissa)e\(exponent)") }
    let power = Self.exactPowersOfTen[magnitude]
    return exponent < 0 ? Double(mantissa) / power : Double(mantissa) * power
  }

  private static let exactPowersOfTen: [Double] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
  ]
}
