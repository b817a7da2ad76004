/// What a unit measures.
///
/// Values convert only within one dimension.
public enum Dimension: String, Hashable, Sendable, CaseIterable {
  case mass, length, time, frequency, temperature, angle, pressure, number, energy, voltage
  case resistance, substanceConcentration, massConcentration, areaDensity, acceleration, velocity
  case angularVelocity, squaredAcceleration, squaredJerk
}

/// A unit of measure under its UCUM code, with the few other spellings that people write.
///
/// A value in the unit is `value * numerator / denominator + offset` in the dimension's base unit;
/// the factor is a ratio of integers, so a conversion rounds once.
///
/// Source: The Unified Code for Units of Measure, <https://ucum.org/ucum>.
public struct UnitOfMeasure: Hashable, Sendable {
  /// The case-sensitive UCUM code: `kg`, `[lb_av]`, `/min`, `mm[Hg]`, `Cel`, `1`.
  public let code: String
  /// What it measures.
  public let dimension: Dimension
  /// What people read: `kg`, `lb`, `bpm`.
  public let symbol: String
  let numerator: Double
  let denominator: Double
  let offset: Double

  init(
    _ code: String, _ dimension: Dimension, symbol: String? = nil, _ numerator: Double = 1,
    _ denominator: Double = 1, offset: Double = 0
  ) {
    self.code = code
    self.dimension = dimension
    self.symbol = symbol ?? code
    self.numerator = numerator
    self.denominator = denominator
    self.offset = offset
  }

  public static func == (a: UnitOfMeasure, b: UnitOfMeasure) -> Bool { a.code == b.code }

  public func hash(into hasher: inout Hasher) { hasher.combine(code) }

  /// The unit that `text` names, by UCUM code or by one of the spellings of ``aliases``.
  ///
  /// - Returns: `nil` for a unit that is not known.
  public init?(_ text: String) {
    guard let unit = Self.named[Self.aliases[text] ?? text] else { return nil }
    self = unit
  }

  /// `value`, given in this unit, in `other`; `nil` where the dimensions differ.
  public func convert(_ value: Double, to other: UnitOfMeasure) -> Double? {
    guard dimension == other.dimension else { return nil }
    guard self != other else { return value }
    let base = value * numerator / denominator + offset
    return (base - other.offset) * other.denominator / other.numerator
  }
}

extension UnitOfMeasure {
  /// The units that are known, by code.
  ///
  /// Base units: kg, m, s, /s, Cel, deg, mm[Hg], 1, kJ, V, Ohm,
  /// mol/L, kg/L, m/s2, m/s, deg/s, m2/s4, m2/s5.
  static let named: [String: UnitOfMeasure] = Dictionary(
    uniqueKeysWithValues: [
      UnitOfMeasure("kg", .mass), UnitOfMeasure("g", .mass, 1, 1000),
      UnitOfMeasure("[lb_av]", .mass, symbol: "lb", 45_359_237, 100_000_000),
      UnitOfMeasure("[oz_av]", .mass, symbol: "oz", 45_359_237, 1_600_000_000),
      UnitOfMeasure("[stone_av]", .mass, symbol: "st", 635_029_318, 100_000_000),
      // Half a kilogram by Chinese law; the UCUM has no code for it.
      UnitOfMeasure("jin", .mass, 1, 2),
      UnitOfMeasure("m", .length), UnitOfMeasure("cm", .length, 1, 100),
      UnitOfMeasure("mm", .length, 1, 1000), UnitOfMeasure("km", .length, 1000),
      UnitOfMeasure("[mi_i]", .length, symbol: "mi", 1_609_344, 1000),
      UnitOfMeasure("[ft_i]", .length, symbol: "ft", 3048, 10_000),
      UnitOfMeasure("[in_i]", .length, symbol: "in", 254, 10_000),
      UnitOfMeasure("s", .time), UnitOfMeasure("ms", .time, 1, 1000),
      UnitOfMeasure("min", .time, 60), UnitOfMeasure("h", .time, 3600),
      UnitOfMeasure("d", .time, 86_400),
      UnitOfMeasure("/s", .frequency), UnitOfMeasure("/min", .frequency, 1, 60),
      UnitOfMeasure("Hz", .frequency),
      UnitOfMeasure("Cel", .temperature, symbol: "°C"),
      UnitOfMeasure("[degF]", .temperature, symbol: "°F", 5, 9, offset: -160.0 / 9),
      UnitOfMeasure("K", .temperature, offset: -273.15),
      UnitOfMeasure("deg", .angle, symbol: "°"),
      UnitOfMeasure("rad", .angle, 180, 3.141592653589793),
      UnitOfMeasure("mm[Hg]", .pressure, symbol: "mmHg"),
      UnitOfMeasure("kPa", .pressure, 1_000_000, 133_322),
      UnitOfMeasure("Pa", .pressure, 1000, 133_322),
      UnitOfMeasure("hPa", .pressure, 100_000, 133_322),
      UnitOfMeasure("1", .number, symbol: ""), UnitOfMeasure("%", .number, 1, 100),
      UnitOfMeasure("kJ", .energy), UnitOfMeasure("kcal", .energy, 4184, 1000),
      UnitOfMeasure("V", .voltage), UnitOfMeasure("mV", .voltage, 1, 1000),
      UnitOfMeasure("Ohm", .resistance, symbol: "Ω"),
      UnitOfMeasure("mol/L", .substanceConcentration),
      UnitOfMeasure("mmol/L", .substanceConcentration, 1, 1000),
      UnitOfMeasure("kg/L", .massConcentration),
      UnitOfMeasure("mg/dL", .massConcentration, 1, 100_000),
      UnitOfMeasure("m/s2", .acceleration),
      UnitOfMeasure("[g]", .acceleration, symbol: "g", 980_665, 100_000),
      UnitOfMeasure("m/s", .velocity),
      UnitOfMeasure("deg/s", .angularVelocity, symbol: "°/s"),
      UnitOfMeasure("m2/s4", .squaredAcceleration, symbol: "m²/s⁴"),
      UnitOfMeasure("m2/s5", .squaredJerk, symbol: "m²/s⁵"),
      UnitOfMeasure("kg/m2", .areaDensity, symbol: "kg/m²"),
    ].map { ($0.code, $0) })

  /// What plans and flags may say instead of a UCUM code.
  static let aliases: [String: String] = [
    "lb": "[lb_av]", "lbs": "[lb_av]", "oz": "[oz_av]", "st": "[stone_av]", "mi": "[mi_i]",
    "ft": "[ft_i]", "in": "[in_i]", "bpm": "/min", "count/min": "/min", "count": "1",
    "steps": "1", "mmHg": "mm[Hg]", "°C": "Cel", "degC": "Cel", "°F": "[degF]", "degF": "[degF]",
    "°": "deg", "degree": "deg", "degrees": "deg", "ohm": "Ohm", "Ω": "Ohm", "": "1",
  ]
}
