import Care
import Foundation
import Localization

/// How the values of a quantity read for a person: in which unit, with how many digits.
struct Measure: Sendable {
  /// The quantity.
  let quantity: Quantity
  /// The unit in which the person reads it.
  let unit: UnitOfMeasure
  /// How many decimals a value has, at most; where it stands beside others exactly.
  private(set) var digits: Int
  /// Whether zeros stand at the end, too, so that all values of a place have the same decimals.
  private var isEven = false
  /// The language in which the person reads it.
  private let language: Language

  init(_ quantity: Quantity, for units: PreferredUnits?, in language: Language) {
    self.quantity = quantity
    self.language = language
    unit = quantity.unit(for: units)
    digits = quantity.fractionDigits(in: unit)
  }

  /// The same for values that stand in one place: all have the decimals that one of them needs.
  func even(over summaries: some Sequence<DaySummary>) -> Measure {
    guard quantity.aggregation == .discrete, unit != .stone else { return self }
    let values = summaries.filter { $0.count > 0 }.flatMap { [$0.least, $0.most] }
    var measure = self
    measure.digits =
      values.map { value in
        let text = charted(value).plainText(digits: digits)
        return text.split(separator: ".").dropFirst().first?.count ?? 0
      }.max() ?? digits
    measure.isEven = true
    return measure
  }

  /// The unit that stands beside a number; empty for counts and angles, whose sign is in the number.
  var symbol: String {
    ["1", "°"].contains(unit.symbol) || unit == .stone ? "" : language.symbol(of: unit)
  }

  /// The unit in which a value is entered: stones are entered in pounds.
  var entryUnit: UnitOfMeasure { unit.forEntry }

  /// A value without its unit's name: `82.15`, `3 214`, `78°`, `12 st 13 lb`.
  func number(_ value: Double) -> String {
    if unit == .stone { return quantity.text(value, for: .uk) }
    return grouped(quantity.unit.convert(value, to: unit) ?? value, digits) + sign
  }

  /// A value with its unit: `82.15 kg`.
  func text(_ value: Double) -> String {
    symbol.isEmpty ? number(value) : number(value) + "\u{A0}" + symbol
  }

  /// The size of a difference between two values, with its unit: `0.4 kg`.
  func difference(_ difference: Double) -> String {
    let unit = entryUnit
    guard let end = quantity.unit.convert(difference, to: unit),
      let start = quantity.unit.convert(0, to: unit)
    else { return text(abs(difference)) }
    let number = grouped(abs(end - start), differenceDigits)
    return sign.isEmpty ? language.figure(unit.text(number)) : number + sign
  }

  /// Whether a difference is less than its last shown digit.
  func isNothing(_ difference: Double) -> Bool {
    guard let end = quantity.unit.convert(abs(difference), to: entryUnit),
      let start = quantity.unit.convert(0, to: entryUnit)
    else { return difference == 0 }
    return abs(end - start) < 0.5 * pow(10, -Double(differenceDigits))
  }

  /// How many decimals a difference has: hundredths of a kilogram are noise from day to day.
  private var differenceDigits: Int {
    let digits = quantity.fractionDigits(in: entryUnit)
    return quantity.unit == .kilogram ? min(digits, 1) : digits
  }

  /// A number for a field of a form, in ``entryUnit``.
  func entry(_ value: Double) -> String { quantity.entry(value, in: entryUnit) }

  /// The mark of an axis, in the person's unit.
  @Sendable
  func mark(_ value: Double) -> String {
    guard unit != .stone else { return grouped(value, 1) + " st" }
    return grouped(value, 3) + sign
  }

  /// A value that is in the person's unit already, as ``number(_:)``.
  func shown(_ value: Double) -> String {
    unit == .stone ? mark(value.rounded(to: digits)) : grouped(value, digits) + sign
  }

  private func grouped(_ value: Double, _ digits: Int) -> String {
    language.figure(
      isEven && digits == self.digits
        ? value.fixedText(digits: digits).groupingDigits : value.grouped(digits: digits))
  }

  /// A value in the person's unit, for a chart.
  func charted(_ value: Double) -> Double { quantity.unit.convert(value, to: unit) ?? value }

  private var sign: String { unit.symbol == "°" ? "°" : "" }
}

extension UnitOfMeasure {
  /// The unit in which a value is entered that is read in this one: stones are entered in pounds.
  var forEntry: UnitOfMeasure { self == .stone ? .pound : self }
}

extension Quantity {
  /// A number for a field of a form, in `unit`.
  func entry(_ value: Double, in unit: UnitOfMeasure) -> String {
    (self.unit.convert(value, to: unit) ?? value).plainText(digits: fractionDigits(in: unit))
  }
}

extension Double {
  /// Exactly that many decimals, unless it is too large for any.
  fileprivate func fixedText(digits: Int) -> String {
    let text = plainText(digits: digits)
    guard digits > 0, isFinite, abs(self) < 1e12 else { return text }
    let parts = text.split(separator: ".", maxSplits: 1)
    let decimals = parts.dropFirst().first ?? ""
    return "\(parts[0])." + decimals + String(repeating: "0", count: digits - decimals.count)
  }

  /// At most that many decimals, without trailing zeros, with a narrow space between the thousands.
  func grouped(digits: Int) -> String { plainText(digits: digits).groupingDigits }
}

extension Viewer {
  /// When, how and with what a value was obtained: `07:05 by itself, Mi Scale 2`.
  func source(of sample: Sample) -> String {
    language.provenance(
      sample.provenance, at: sample.start,
      device: sample.provenance == .manual ? nil : deviceName(sample.device), day: now,
      in: timeZone)
  }

  /// How and with what it was obtained, without the time.
  func way(of sample: Sample) -> String {
    let way = language.text("source." + sample.provenance.rawValue)
    guard sample.provenance != .manual else { return way }
    return language.text("source.with", ["way": way, "device": deviceName(sample.device)])
  }
}

// MARK: - Looks

extension Quantity {
  /// The symbol of its card.
  var glyph: String { TaskLook.glyph(self) }

  /// The tint of its group.
  var tint: Tint { TaskLook.tint(of: glyph) }
}
