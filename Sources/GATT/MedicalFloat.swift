/// A decimal floating-point number of a medical device (IEEE 11073-20601, SFLOAT and FLOAT).
///
/// The number is `mantissa` × 10^`exponent`, both two's complement: 12 and 4 bits in an SFLOAT, 24
/// and 8 in a FLOAT. Some mantissas are special values at exponent 0 and ordinary at every other
/// exponent. Equality is that of the representation: 36.60 is not 36.6, because its precision
/// differs.
public enum MedicalFloat: Hashable, Sendable {
  /// A number: `mantissa` × 10^`exponent`.
  case value(mantissa: Int32, exponent: Int8)
  /// Not a number: there is no measurement.
  case nan
  /// Not at this resolution: the number cannot be represented.
  case nres
  /// Above the device's range.
  case positiveInfinity
  /// Below the device's range.
  case negativeInfinity
  /// Reserved by the standard.
  case reserved

  /// Reads the 16 bits of an SFLOAT; every pattern has a meaning.
  public init(sfloat bits: UInt16) {
    // The exponent's 4 and the mantissa's 12 bits are sign-extended by a shift up and back down.
    self.init(
      mantissa: Int32(Int16(bitPattern: bits << 4) >> 4),
      exponent: Int8(truncatingIfNeeded: Int16(bitPattern: bits) >> 12), layout: .sfloat)
  }

  /// Reads the 32 bits of a FLOAT; every pattern has a meaning.
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

    /// The range of a mantissa.
    var mantissas: ClosedRange<Int64> { Self.twosComplement(mantissaBits) }
    /// The range of an exponent.
    var exponents: ClosedRange<Int> {
      let range = Self.twosComplement(exponentBits)
      return Int(range.lowerBound)...Int(range.upperBound)
    }

    /// The special value of `mantissa` at exponent 0; `nil` for an ordinary number.
    ///
    /// The two largest and the three smallest mantissas are special: in an SFLOAT 07FF, 07FE, 0800,
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

// MARK: - Double

extension MedicalFloat {
  /// The nearest `Double`; `nil` for a special value.
  ///
  /// Powers of ten up to 10^22 and all mantissas are exact in binary, so one multiplication or
  /// division rounds once and correctly: 368 × 10^-1 is the same `Double` as the literal 36.8,
  /// which 368 × 0.1 is not. Larger exponents use the correctly rounded conversion of decimal text.
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

// MARK: - Bits

extension MedicalFloat {
  /// The 16 bits of an SFLOAT.
  ///
  /// A number that was read from an SFLOAT gives the same bits. Another is rescaled exactly (1200
  /// × 10^1 to 120 × 10^2) if it then fits, else encoded as `nres`.
  public var sfloat: UInt16 {
    UInt16(truncatingIfNeeded: bits(.sfloat))
  }

  /// The 32 bits of a FLOAT, by the same rule as ``sfloat``.
  public var float: UInt32 {
    bits(.float)
  }

  private func bits(_ layout: Layout) -> UInt32 {
    func pack(_ mantissa: Int64, _ exponent: Int) -> UInt32 {
      let mask: UInt32 = 1 << layout.mantissaBits - 1
      return UInt32(truncatingIfNeeded: mantissa) & mask
        | UInt32(truncatingIfNeeded: exponent) << layout.mantissaBits
    }
    switch self {
    case .nan: return pack(layout.mantissas.upperBound, 0)
    case .positiveInfinity: return pack(layout.mantissas.upperBound - 1, 0)
    case .nres: return pack(layout.mantissas.lowerBound, 0)
    case .reserved: return pack(layout.mantissas.lowerBound + 1, 0)
    case .negativeInfinity: return pack(layout.mantissas.lowerBound + 2, 0)
    case .value(let mantissa, let exponent):
      guard let fitted = layout.fit(mantissa, exponent) else { return Self.nres.bits(layout) }
      return pack(fitted.mantissa, fitted.exponent)
    }
  }
}

extension MedicalFloat.Layout {
  /// The same number with a mantissa and an exponent in this layout's ranges, if possible.
  fileprivate func fit(_ mantissa: Int32, _ exponent: Int8) -> (mantissa: Int64, exponent: Int)? {
    var mantissa = Int64(mantissa)
    // Zero is zero at any exponent; the loops below would not end on it.
    var exponent = mantissa == 0 ? exponents.clamping(Int(exponent)) : Int(exponent)
    while !mantissas.contains(mantissa) || exponent < exponents.lowerBound {
      guard mantissa.isMultiple(of: 10) else { return nil }
      mantissa /= 10
      exponent += 1
    }
    while exponent > exponents.upperBound {
      guard mantissas.contains(mantissa * 10) else { return nil }
      mantissa *= 10
      exponent -= 1
    }
    // At exponent 0 the outermost mantissas are special values. None is a multiple of ten or can be
    // made one, so such a number has no other representation.
    guard exponent != 0 || special(Int32(truncatingIfNeeded: mantissa)) == nil else { return nil }
    return (mantissa, exponent)
  }
}

extension ClosedRange {
  fileprivate func clamping(_ value: Bound) -> Bound {
    Swift.min(Swift.max(value, lowerBound), upperBound)
  }
}

extension ByteReader {
  /// Reads an SFLOAT of 2 bytes.
  public mutating func sfloat(
    _ field: String, _ order: ByteOrder = .little
  ) throws(GATTError) -> MedicalFloat {
    MedicalFloat(sfloat: try u16(field, order))
  }

  /// Reads a FLOAT of 4 bytes.
  public mutating func float(
    _ field: String, _ order: ByteOrder = .little
  ) throws(GATTError) -> MedicalFloat {
    MedicalFloat(float: try u32(field, order))
  }
}

extension ByteWriter {
  /// Appends a number as an SFLOAT of 2 bytes.
  public mutating func sfloat(_ value: MedicalFloat, _ order: ByteOrder = .little) {
    u16(value.sfloat, order)
  }

  /// Appends a number as a FLOAT of 4 bytes.
  public mutating func float(_ value: MedicalFloat, _ order: ByteOrder = .little) {
    u32(value.float, order)
  }
}
