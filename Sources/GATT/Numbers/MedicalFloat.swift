/// A decimal floating-point number of medical devices (IEEE 11073-20601, SFLOAT and FLOAT).
///
/// The number is `mantissa` × 10^`exponent`, both two's complement: 12 and 4 bits in an SFLOAT,
/// 24 and 8 in a FLOAT. Some mantissas at exponent 0 are no numbers but say why there is none;
/// at every other exponent they are ordinary. Equality is that of the representation: 36.60 is not
/// 36.6, because the device claims another precision.
public enum MedicalFloat: Hashable, Sendable {
  /// A number: `mantissa` × 10^`exponent`.
  case value(mantissa: Int32, exponent: Int8)
  /// Not a number: there is no measurement.
  case nan
  /// Not at this resolution: there is a number and it cannot be written.
  case nres
  /// Above what the device can measure.
  case positiveInfinity
  /// Below what the device can measure.
  case negativeInfinity
  /// The bit pattern that the standard keeps for later.
  case reserved

  /// Reads the 16 bits of an SFLOAT; every pattern means something.
  public init(sfloat bits: UInt16) {
    // The exponent's 4 and the mantissa's 12 bits are sign-extended by a shift up and back down.
    self.init(
      mantissa: Int32(Int16(bitPattern: bits << 4) >> 4),
      exponent: Int8(truncatingIfNeeded: Int16(bitPattern: bits) >> 12), layout: .sfloat)
  }

  /// Reads the 32 bits of a FLOAT; every pattern means something.
  public init(float bits: UInt32) {
    self.init(
      mantissa: Int32(bitPattern: bits << 8) >> 8,
      exponent: Int8(truncatingIfNeeded: Int32(bitPattern: bits) >> 24), layout: .float)
  }

  private init(mantissa: Int32, exponent: Int8, layout: Layout) {
    self =
      exponent == 0
      ? layout.special(mantissa) ?? .value(mantissa: mantissa, exponent: 0)
      : .value(mantissa: mantissa, exponent: exponent)
  }
}

extension MedicalFloat {
  /// The two widths of the format.
  struct Layout {
    let mantissaBits: Int
    let exponentBits: Int

    static let sfloat = Layout(mantissaBits: 12, exponentBits: 4)
    static let float = Layout(mantissaBits: 24, exponentBits: 8)

    /// What a mantissa holds.
    var mantissas: ClosedRange<Int64> { Self.twosComplement(mantissaBits) }
    /// What an exponent holds.
    var exponents: ClosedRange<Int> {
      let range = Self.twosComplement(exponentBits)
      return Int(range.lowerBound)...Int(range.upperBound)
    }

    /// What `mantissa` says at exponent 0 if it is no number there.
    ///
    /// The two largest and the three smallest mantissas are taken: in an SFLOAT 07FF, 07FE, 0800,
    /// 0801 and 0802.
    func special(_ mantissa: Int32) -> MedicalFloat? {
      switch Int64(mantissa) {
      case mantissas.upperBound: .nan
      case mantissas.upperBound - 1: .positiveInfinity
      case mantissas.lowerBound: .nres
      case mantissas.lowerBound + 1: .reserved
      case mantissas.lowerBound + 2: .negativeInfinity
      default: nil
      }
    }

    private static func twosComplement(_ bits: Int) -> ClosedRange<Int64> {
      let half: Int64 = 1 << (bits - 1)
      return -half...(half - 1)
    }
  }
}
