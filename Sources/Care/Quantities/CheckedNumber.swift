// Whole numbers of numbers from outside: a plan, a page, a sensor, a file.
//
// The standard library's `Int(_: Double)` ends the program at infinity, at what is no number, and
// beyond its range. The initialisers below take its place wherever this module is imported, and are
// deprecated, so that the compiler finds each use of them. Two ways are left: `Int(exactly:)`, which
// gives `nil`, and `Int(saturating:)`.

extension FixedWidthInteger {
  /// The whole part of `value`: the nearest number that the type has beyond its range, 0 for NaN.
  package init(saturating value: Double) {
    if let whole = Self(exactly: value.rounded(.towardZero)) {
      self = whole
    } else {
      self = value > 0 ? .max : value < 0 ? .min : 0
    }
  }

  /// The product, or the nearest number that the type has.
  package func saturatingProduct(_ other: Self) -> Self {
    let (product, overflow) = multipliedReportingOverflow(by: other)
    guard overflow else { return product }
    return (self < 0) == (other < 0) ? .max : .min
  }

  /// The sum, or the nearest number that the type has.
  package func saturatingSum(_ other: Self) -> Self {
    let (sum, overflow) = addingReportingOverflow(other)
    guard overflow else { return sum }
    return other < 0 ? .min : .max
  }
}

extension Double {
  /// The number, or the nearest finite one; 0 for NaN.
  package var saturated: Double {
    isNaN ? 0 : min(max(self, -.greatestFiniteMagnitude), .greatestFiniteMagnitude)
  }
}

// MARK: - In place of the standard library's

extension Int {
  @available(*, deprecated, message: "take Int(saturating:) or Int(exactly:)")
  package init(_ value: Double) { self.init(saturating: value) }
}

extension Int32 {
  @available(*, deprecated, message: "take Int32(saturating:) or Int32(exactly:)")
  package init(_ value: Double) { self.init(saturating: value) }
}

extension Int64 {
  @available(*, deprecated, message: "take Int64(saturating:) or Int64(exactly:)")
  package init(_ value: Double) { self.init(saturating: value) }
}

extension UInt8 {
  @available(*, deprecated, message: "take UInt8(saturating:) or UInt8(exactly:)")
  package init(_ value: Double) { self.init(saturating: value) }
}

extension UInt16 {
  @available(*, deprecated, message: "take UInt16(saturating:) or UInt16(exactly:)")
  package init(_ value: Double) { self.init(saturating: value) }
}

extension UInt64 {
  @available(*, deprecated, message: "take UInt64(saturating:) or UInt64(exactly:)")
  package init(_ value: Double) { self.init(saturating: value) }
}
