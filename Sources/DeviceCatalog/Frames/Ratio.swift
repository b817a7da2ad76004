/// An exact factor as written in a definition: `0.005` or `1/1024`.
struct Ratio: Hashable, Sendable {
  var numerator: Int64
  /// Greater than zero.
  var denominator: Int64

  static let one = Ratio(numerator: 1, denominator: 1)
  static let zero = Ratio(numerator: 0, denominator: 1)

  private init(numerator: Int64, denominator: Int64) {
    self.numerator = numerator
    self.denominator = denominator
  }

  /// Makes a quotient in code.
  init(_ numerator: Int32, _ denominator: UInt16) {
    self.init(numerator: Int64(numerator), denominator: Int64(max(1, denominator)))
  }

  /// Reads a decimal number or a quotient of two integers, each of at most twelve digits.
  ///
  /// - Returns: `nil` for anything else, and for a zero denominator.
  init?(_ text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    if parts.count == 2 {
      guard let a = Self.decimal(parts[0]), let b = Self.decimal(parts[1]),
        a.denominator == 1, b.denominator == 1, b.numerator > 0
      else { return nil }
      self.init(numerator: a.numerator, denominator: b.numerator)
    } else {
      guard parts.count == 1, let value = Self.decimal(parts[0]) else { return nil }
      self = value
    }
  }

  private static func decimal(_ text: Substring) -> Ratio? {
    let isNegative = text.hasPrefix("-")
    let parts = (isNegative ? text.dropFirst() : text).split(
      separator: ".", omittingEmptySubsequences: false)
    guard parts.count <= 2, let whole = parts.first, !whole.isEmpty else { return nil }
    let fraction = parts.count == 2 ? parts[1] : ""
    guard parts.count == 1 || !fraction.isEmpty else { return nil }
    let digits = whole + fraction
    guard digits.utf8.count <= 12, digits.utf8.allSatisfy({ (48...57).contains($0) }) else {
      return nil
    }
    let value = digits.utf8.reduce(Int64(0)) { $0 * 10 + Int64($1 - 48) }
    let denominator = fraction.utf8.reduce(Int64(1)) { power, _ in power * 10 }
    return Ratio(numerator: isNegative ? -value : value, denominator: denominator)
  }

  /// `value` times the ratio, rounded once.
  func of(_ value: Int64) -> Double { of(Double(value)) }

  /// `value` times the ratio.
  func of(_ value: Double) -> Double { value * Double(numerator) / Double(denominator) }

  /// `value` times the ratio times `factor` in integers, rounded to nearest, halves away from zero;
  /// `nil` beyond `Int32`.
  func scaled(_ value: Int64, by factor: Int64) -> Int32? {
    let (a, overflow) = value.multipliedReportingOverflow(by: numerator)
    let (b, overflowToo) = a.multipliedReportingOverflow(by: factor)
    guard !overflow, !overflowToo else { return nil }
    let (whole, rest) = b.quotientAndRemainder(dividingBy: denominator)
    let isUpperHalf = rest.magnitude >= denominator.magnitude - rest.magnitude
    return Int32(exactly: isUpperHalf ? whole + (b < 0 ? -1 : 1) : whole)
  }

  /// The ratio itself.
  var value: Double { of(1.0) }
}
