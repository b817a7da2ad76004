import Care
import Foundation
package import StrictYAML

extension YAMLNode {
  /// A name that people and commands use: one line, without spaces around it.
  func identifier() throws(YAMLError) -> String {
    let text = try string()
    guard !text.contains(where: \.isNewline), text.first?.isWhitespace == false,
      text.last?.isWhitespace == false
    else { throw error("an id is one line without spaces around it") }
    return text
  }

  /// A zone by its IANA name.
  func timeZone() throws(YAMLError) -> TimeZone {
    let name = try string()
    guard let zone = TimeZone(iana: name) else {
      throw error(
        "there is no time zone ‘\(name)’; give an IANA name such as Europe/Berlin",
        meant: Spelling.Suggestion(for: name, among: TimeZone.knownTimeZoneIdentifiers))
    }
    return zone
  }

  /// A date or time; without an offset it is read in `timeZone`, a date alone is its midnight.
  func date(in timeZone: TimeZone) throws(YAMLError) -> Date {
    let text = try string()
    guard let date = Date(text, in: timeZone) else {
      throw error(
        "‘\(text)’ is no date or time; write 2026-11-01, 2026-11-01T09:00 or "
          + "2026-11-01T09:00:00-08:00")
    }
    return date
  }

  /// A quantity by its name.
  func quantity() throws(YAMLError) -> Quantity {
    try location.quantity(named: try string())
  }

  /// A minute of the day: `22:00`, `7:00`.
  func minute() throws(YAMLError) -> Int {
    let text = try scalar().text
    guard let minute = QuietHours.minute(text) else {
      throw error("‘\(text)’ is no time of the day; write 22:00 or 7:00")
    }
    return minute
  }

  /// A unit by UCUM code or by another known spelling.
  func unit() throws(YAMLError) -> UnitOfMeasure {
    let text = try scalar().text
    guard let unit = UnitOfMeasure(text) else {
      throw error("there is no unit ‘\(text)’; give a UCUM code such as kg, /min or deg")
    }
    return unit
  }

  /// A number with a unit (`82 kg`) that is one of `quantity`, in the quantity's own unit.
  ///
  /// - Parameters:
  ///   - quantity: The quantity.
  ///   - isDifference: Whether it is a difference of two values, to which the zero point of a scale
  ///     such as °F does not apply.
  /// - Returns: The value.
  /// - Throws: ``YAMLError`` for anything else, and for a unit of another dimension.
  func measure(of quantity: Quantity, isDifference: Bool = false) throws(YAMLError) -> Double {
    let text = try string()
    let parts = text.split(separator: " ", maxSplits: 1)
    guard let number = parts.first.flatMap({ YAMLNode.number(String($0)) }) else {
      throw error(
        "expected a number with a unit such as ‘\(quantity.unit.text("82"))’, found ‘\(text)’")
    }
    let name = parts.count > 1 ? String(parts[1]) : ""
    guard let unit = UnitOfMeasure(name) else { throw error("there is no unit ‘\(name)’") }
    guard let value = unit.convert(number, to: quantity.unit),
      let zero = unit.convert(0, to: quantity.unit)
    else {
      let found = name.isEmpty ? "has no unit" : "is in \(unit.name)"
      throw error(
        "\(quantity.rawValue) is \(quantity.unit.measuredIn), but ‘\(text)’ \(found)")
    }
    return isDifference ? value - zero : value
  }

  /// A number with a unit that a person can have, in the quantity's own unit.
  ///
  /// - Throws: As ``measure(of:isDifference:)`` does, and for a value outside ``Quantity/possible``.
  func possible(_ quantity: Quantity) throws(YAMLError) -> Double {
    let value = try measure(of: quantity)
    guard quantity.possible.contains(value) else {
      throw error(
        "‘\(try string())’ is no plausible \(quantity.rawValue): "
          + quantity.unit.span(quantity.possible))
    }
    return value
  }
}

// MARK: - Amounts

extension UnitOfMeasure {
  /// `it lies between 0.2 kg and 400 kg`.
  fileprivate func span(_ limits: ClosedRange<Double>) -> String {
    "it lies between \(text(limits.lowerBound.plainText)) and"
      + " \(text(limits.upperBound.plainText))"
  }
}

extension AmountFlaw {
  /// The mistake, with the limits.
  var reason: String {
    let unit = unit ?? .one
    let owner = quantity.map { " is no possible \($0.rawValue)" } ?? " is too far from 0"
    return unit.text(number.plainText) + owner + ": " + unit.span(limits)
  }
}

extension AmountFlaw.Place {
  /// Where it stands in a task of a plan's file.
  var path: PlanPath {
    switch self {
    case .target(let element, let index):
      PlanPath() / "schedule" / element / "targets" / index / "value"
    case .threshold(let index): PlanPath() / "thresholds" / index
    case .rule(let index): PlanPath() / "rules" / index
    case .reminder: PlanPath() / "reminder"
    case .fallback: PlanPath() / "fallback"
    case .activeTask(let key): PlanPath() / "activeTask" / key.rawValue
    case .expectation(let quantity): PlanPath() / "expects" / quantity.rawValue
    case .other, .value: PlanPath()
    }
  }
}

extension YAMLLocation {
  /// The quantity of that name, at this location.
  func quantity(named name: String) throws(YAMLError) -> Quantity {
    guard let quantity = Quantity(rawValue: name) else {
      throw error("there is no quantity ‘\(name)’", meant: Quantity.suggestion(for: name))
    }
    return quantity
  }
}

extension Quantity {
  /// Suggests the meaning of an unknown name: the quantities of an everyday word, or the nearest
  /// name.
  package static func suggestion(for name: String) -> Spelling.Suggestion {
    Spelling.Suggestion(for: name, among: allNames, meaning: meant(by: name).map(\.rawValue))
  }
}
