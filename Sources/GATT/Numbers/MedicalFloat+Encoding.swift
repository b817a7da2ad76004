extension MedicalFloat {
  /// The 16 bits of an SFLOAT.
  ///
  /// A number that was read from an SFLOAT gives the same bits. Another is rewritten exactly (1200
  /// × 10^1 as 120 × 10^2) where that makes it fit, and is `nres` where nothing does: precisely
  /// what that value is for.
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
  /// The same number with a mantissa and an exponent that this layout holds, if there is one.
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
    // At exponent 0 the outermost mantissas mean something else; none of them is a multiple of ten
    // or can be made one, so that there is no other way to write them.
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
