import Foundation

// Numbers with their units as people read them; the same in every language.

extension Quantity {
  /// A value with the digits that the quantity has and its unit: `61.75 kg`, `78°`, `12 st 13 lb`.
  ///
  /// - Parameters:
  ///   - value: The value, in `unit`.
  ///   - unit: The unit; the quantity's own for `nil`.
  ///   - units: The units of the person who reads it; `nil` to keep the unit.
  /// - Returns: The text.
  package func text(
    _ value: Double, in unit: UnitOfMeasure? = nil, for units: PreferredUnits? = nil
  ) -> String {
    let given = unit ?? self.unit
    let shown = units == nil ? given : self.unit(for: units)
    guard let number = given.convert(value, to: shown) else {
      return given.text(value.plainText)
    }
    guard shown == .stone else {
      return shown.text(number.plainText(digits: fractionDigits(in: shown)))
    }
    let pounds = Int(saturating: (abs(number) * 14).rounded())
    return (number < 0 ? "-" : "") + "\(pounds / 14) st \(pounds % 14) lb"
  }
}

extension UnitOfMeasure {
  /// A number with the unit's symbol: `82.15 kg`, `78°`, `938`.
  package func text(_ number: String) -> String {
    switch symbol {
    case "", "1": number
    case "°": number + symbol
    default: "\(number) \(symbol)"
    }
  }
}

extension Double {
  /// At most three decimals, without trailing zeros.
  package var plainText: String { plainText(digits: 3) }

  /// At most that many decimals, 0 to 6, without trailing zeros.
  package func plainText(digits: Int) -> String {
    guard isFinite, abs(self) < 1e12 else { return "\(self)" }
    let scale = pow(10, Double(digits))
    var text = String(format: "%.\(digits)f", (self * scale).rounded() / scale)
    if text.contains(".") {
      while text.hasSuffix("0") { text.removeLast() }
      if text.hasSuffix(".") { text.removeLast() }
    }
    return text == "-0" ? "0" : text
  }
}
