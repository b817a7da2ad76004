import Foundation

/// A number with its unit as people type it: `64 kg`, `12 st 13 lb`, `141lb`, `81,6`.
package struct EnteredMeasure: Hashable {
  /// The number, in ``unit``.
  package var number: Double
  /// The unit that was typed; `nil` for a bare number.
  package var unit: UnitOfMeasure?

  /// Why a text is no such number.
  package enum Flaw: Error, Hashable {
    /// It is no number, or has a unit that is none.
    case malformed
    /// A comma before three digits may separate thousands or decimals.
    case ambiguous(thousands: String, decimals: String)
  }

  /// Reads a number with or without a unit.
  ///
  /// A decimal comma is one unless three digits follow. Of several parts, such as stones and pounds,
  /// each after the first is in the next smaller unit; pounds need not be named after stones.
  ///
  /// - Throws: ``Flaw``.
  package init(_ text: String) throws(Flaw) {
    var parts: [(number: Double, unit: UnitOfMeasure?)] = []
    var rest = text.trimmingCharacters(in: .whitespaces)[...]
    while !rest.isEmpty {
      var digits = rest.prefix { ("0"..."9").contains($0) || ".,+-".contains($0) }
      // A sign belongs to the first number only, and an exponent to the digits.
      if parts.isEmpty, let exponent = Self.exponent(in: rest.dropFirst(digits.count)) {
        digits = rest.prefix(digits.count + exponent)
      }
      let number = try Self.number(digits)
      guard parts.isEmpty || number >= 0 else { throw .malformed }
      rest = rest.dropFirst(digits.count).drop(while: \.isWhitespace)
      let name = rest.prefix { !$0.isWhitespace && !("0"..."9").contains($0) }
      rest = rest.dropFirst(name.count).drop(while: \.isWhitespace)
      parts.append((number, name.isEmpty ? nil : try Self.unit(String(name))))
    }
    guard let first = parts.first else { throw .malformed }
    (number, unit) = first
    for part in parts.dropFirst() {
      let smaller = part.unit ?? (unit == .stone ? .pound : nil)
      guard let smaller, let larger = unit, larger != smaller, number >= 0,
        let one = larger.convert(1, to: smaller), one > 1, part.number < one,
        let converted = larger.convert(number, to: smaller)
      else { throw .malformed }
      (number, unit) = ((converted + part.number).rounded(digits: 9), smaller)
    }
  }

  private static func unit(_ name: String) throws(Flaw) -> UnitOfMeasure {
    guard let unit = UnitOfMeasure(typed: name) else { throw .malformed }
    return unit
  }

  /// The length of an exponent such as `e3` at the beginning of a text.
  private static func exponent(in text: Substring) -> Int? {
    guard text.first == "e" || text.first == "E" else { return nil }
    let digits = text.dropFirst().prefix { ("0"..."9").contains($0) || $0 == "-" || $0 == "+" }
    return digits.contains(where: \.isNumber) ? digits.count + 1 : nil
  }

  private static func number(_ text: Substring) throws(Flaw) -> Double {
    let parts = text.split(separator: ",", omittingEmptySubsequences: false)
    if parts.count > 1 {
      guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty, !text.contains(".") else {
        throw .malformed
      }
      guard parts[1].count != 3 else {
        throw .ambiguous(
          thousands: parts.joined(), decimals: "\(parts[0]).\(parts[1].prefix(1))")
      }
    }
    let plain = text.replacing(",", with: ".")
    guard let number = Double(plain), number.isFinite, plain.last != "." else { throw .malformed }
    return number
  }
}

extension String {
  /// Whether it is a number with a decimal comma, as much of Europe writes it: `63,9`.
  package var isDecimalWithComma: Bool {
    let parts = drop { "+-".contains($0) }.split(separator: ",", omittingEmptySubsequences: false)
    return parts.count == 2
      && parts.allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy { (48...57).contains($0) } }
  }
}
