import Care
import Foundation

// How values of the care model read for people.

extension Sample {
  /// The quantity and its value in the units of its patient: `Weight 61.75 kg`.
  func summary(for units: [String: PreferredUnits] = [:]) -> String {
    let kind = reading.kind.map { " (\($0))" } ?? ""
    return "\(reading.quantity.title)\(kind) "
      + reading.quantity.text(reading.value, for: patient.flatMap { units[$0] })
  }
}

extension Quantity {
  /// A value with the digits that the quantity has and its unit: `61.75 kg`, `78°`, `12 st 13 lb`.
  ///
  /// - Parameters:
  ///   - value: The value, in `unit`.
  ///   - unit: The unit; the quantity's own for `nil`.
  ///   - units: The units of the person who reads it; `nil` to keep the unit.
  /// - Returns: The text.
  func text(
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
    let pounds = Int((abs(number) * 14).rounded())
    return (number < 0 ? "-" : "") + "\(pounds / 14) st \(pounds % 14) lb"
  }
}

extension UnitOfMeasure {
  /// A number with the unit's symbol: `82.15 kg`, `78°`, `938`.
  func text(_ number: String) -> String {
    switch symbol {
    case "", "1": number
    case "°": number + symbol
    default: "\(number) \(symbol)"
    }
  }
}

extension OutcomeValue {
  /// The kind, the value and its unit: `range 82.4°`.
  var text: String { (kind.map { $0 + " " } ?? "") + figure }

  /// The value and its unit: `82.4°`.
  var figure: String {
    let number =
      switch value {
      case .integer(let number): String(number)
      case .double(let number): number.plainText
      case .boolean(let flag): flag ? "yes" : "no"
      case .text(let text): text
      case .binary(let bytes): "\(bytes.count) bytes"
      case .date(let date): date.rfc3339(in: .gmt)
      }
    return unit?.text(number) ?? number
  }
}

extension Patient {
  /// The name, or the id of a patient without one.
  var displayName: String {
    let parts = [name.given, name.family].compactMap(\.self)
    return parts.isEmpty ? id : parts.joined(separator: " ")
  }
}

extension Double {
  /// At most three decimals, without trailing zeros.
  var plainText: String { plainText(digits: 3) }

  /// At most that many decimals, 0 to 6, without trailing zeros.
  func plainText(digits: Int) -> String {
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

extension Date {
  /// The time to the second: `2026-11-20T07:09:58-08:00`.
  func toTheSecond(in timeZone: TimeZone) -> String {
    addingTimeInterval(-timeIntervalSince1970.truncatingRemainder(dividingBy: 1))
      .rfc3339(in: timeZone)
  }
}

extension String {
  /// The text without characters that control a terminal: a device chooses its own name.
  var printable: String {
    String(
      String.UnicodeScalarView(
        unicodeScalars.filter { scalar in
          switch scalar.properties.generalCategory {
          case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator,
            .paragraphSeparator:
            false
          default: true
          }
        }))
  }
}
