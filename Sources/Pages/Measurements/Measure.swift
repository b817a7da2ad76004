import Care
import Foundation

/// How the values of a quantity read for a person: in which unit, with how many digits.
struct Measure: Sendable {
  /// The quantity.
  let quantity: Quantity
  /// The unit in which the person reads it.
  let unit: UnitOfMeasure
  /// How many decimals a value has.
  let digits: Int

  init(_ quantity: Quantity, for units: PreferredUnits?) {
    self.quantity = quantity
    unit = quantity.unit(for: units)
    digits = quantity.fractionDigits(in: unit)
  }

  /// The unit that stands beside a number; empty for counts and angles, whose sign is in the number.
  var symbol: String { ["1", "°"].contains(unit.symbol) || unit == .stone ? "" : unit.symbol }

  /// The unit in which a value is entered: stones are entered in pounds.
  var entryUnit: UnitOfMeasure { unit == .stone ? .pound : unit }

  /// A value without its unit's name: `82.15`, `3 214`, `78°`, `12 st 13 lb`.
  func number(_ value: Double) -> String {
    if unit == .stone { return quantity.text(value, for: .uk) }
    return (quantity.unit.convert(value, to: unit) ?? value).grouped(digits: digits) + sign
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
    let number = abs(end - start).grouped(digits: max(quantity.fractionDigits(in: unit), 1))
    return sign.isEmpty ? unit.text(number) : number + sign
  }

  /// Whether a difference is less than its last shown digit.
  func isNothing(_ difference: Double) -> Bool {
    guard let end = quantity.unit.convert(abs(difference), to: entryUnit),
      let start = quantity.unit.convert(0, to: entryUnit)
    else { return difference == 0 }
    return abs(end - start) < 0.5 * pow(10, -Double(max(quantity.fractionDigits(in: entryUnit), 1)))
  }

  /// A number for a field of a form, in ``entryUnit``.
  func entry(_ value: Double) -> String {
    (quantity.unit.convert(value, to: entryUnit) ?? value)
      .plainText(digits: quantity.fractionDigits(in: entryUnit))
  }

  /// The mark of an axis, in the person's unit.
  @Sendable
  func mark(_ value: Double) -> String {
    guard unit != .stone else { return value.grouped(digits: 1) + " st" }
    return value.grouped(digits: 3) + sign
  }

  /// A value in the person's unit, for a chart.
  func charted(_ value: Double) -> Double { quantity.unit.convert(value, to: unit) ?? value }

  private var sign: String { unit.symbol == "°" ? "°" : "" }
}

extension Double {
  /// At most that many decimals, without trailing zeros, in groups of three digits from 1000 on:
  /// `3 214`, with a narrow space that does not break.
  func grouped(digits: Int) -> String {
    let text = plainText(digits: digits)
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard let whole = parts.first, !text.contains("e") else { return text }
    let (sign, figures) = whole.hasPrefix("-") ? ("\u{2212}", whole.dropFirst()) : ("", whole)
    var grouped = ""
    for (place, figure) in figures.enumerated() {
      if place > 0, (figures.count - place).isMultiple(of: 3) { grouped += "\u{202F}" }
      grouped.append(figure)
    }
    return sign + grouped + (parts.count > 1 ? "." + parts[1] : "")
  }
}

// MARK: - Devices and sources

/// The names of devices for people, by the id of the definition that reads them.
package struct DeviceTitles: Sendable {
  private let titles: [String: String]

  /// Takes the titles of definitions, by id.
  package init(_ titles: [String: String] = [:]) {
    self.titles = titles
  }

  /// The title of its definition, the definition's id, or the address.
  func title(of device: DeviceIdentity) -> String {
    guard let definition = device.definition else { return device.address.text }
    return titles[definition] ?? definition
  }
}

extension Language {
  /// When, how and with what a value was obtained: `07:05 by itself, Mi Scale 2`.
  func source(of sample: Sample, _ titles: DeviceTitles, at time: String) -> String {
    let way = text("source." + sample.provenance.rawValue, ["time": time])
    guard sample.provenance != .manual else { return way }
    return text("source.with", ["way": way, "device": titles.title(of: sample.device)])
  }
}

// MARK: - Looks

extension Quantity {
  /// The symbol of its card.
  var glyph: String {
    switch self {
    case .heartRate, .rrInterval, .pulseRate: "cardio"
    case .bloodPressureSystolic, .bloodPressureDiastolic, .bloodPressureMean, .cuffPressure:
      "bloodPressure"
    case .bodyTemperature: "temperature"
    case .oxygenSaturation, .pulseAmplitudeIndex: "respiratoryHealth"
    case .bloodGlucose, .bloodGlucoseMass: "blood"
    case .stepCount, .exerciseTime, .distanceWalked, .cadence, .walkingSpeed, .energyExpended,
      .sixMinuteWalkDistance, .sixMinuteWalkSteps:
      "activeLife"
    case .rangeOfMotion: "joint"
    case .timedUpAndGo, .fiveTimesSitToStand, .chairStandCount: "timer"
    case .tremorAcceleration, .swayAcceleration: "neuro"
    default: isMeasuredWithWeight || self == .bodyMass ? "scale" : "measurements"
    }
  }

  /// The tint of its group.
  var tint: Tint {
    switch glyph {
    case "cardio", "bloodPressure", "blood": .rose
    case "activeLife": .blue
    case "temperature", "respiratoryHealth": .amber
    case "joint", "timer", "neuro": .plum
    default: .teal
    }
  }
}
