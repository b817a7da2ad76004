/// The physical dimension that a unit measures.
///
/// Values convert only within one dimension.
public enum Dimension: String, Hashable, Sendable, CaseIterable {
  case mass, length, volume, time, frequency, temperature, angle, pressure, number, energy, voltage
  case resistance, substanceConcentration, massConcentration, areaDensity, acceleration, velocity
  case angularVelocity, squaredAcceleration, squaredJerk, power, arbitraryActivity
}

/// A unit of measure under its UCUM code.
///
/// The units are the static members, listed in ``all``; two are equal if their codes are. A value
/// in a unit is `value * numerator / denominator + offset` in the dimension's base unit. The factor
/// is a ratio of integers, so a conversion rounds once.
///
/// Source: The Unified Code for Units of Measure, <https://ucum.org/ucum>.
public struct UnitOfMeasure: Sendable {
  /// The case-sensitive UCUM code: `kg`, `[lb_av]`, `/min`, `mm[Hg]`, `Cel`, `1`.
  public var code: String { definition.code }
  /// The dimension that it measures.
  public var dimension: Dimension { definition.dimension }
  /// The symbol for people: `kg`, `lb`, `°C`.
  public var symbol: String { definition.symbol }

  /// Shared, so that a value with its unit is small.
  private let definition: Definition

  private final class Definition: Sendable {
    let code: String
    let dimension: Dimension
    let symbol: String
    let numerator: Double
    let denominator: Double
    let offset: Double

    init(
      _ code: String, _ dimension: Dimension, symbol: String, _ numerator: Double,
      _ denominator: Double, offset: Double
    ) {
      self.code = code
      self.dimension = dimension
      self.symbol = symbol
      self.numerator = numerator
      self.denominator = denominator
      self.offset = offset
    }
  }

  private init(
    _ code: String, _ dimension: Dimension, symbol: String? = nil, _ numerator: Double = 1,
    _ denominator: Double = 1, offset: Double = 0
  ) {
    definition = Definition(
      code, dimension, symbol: symbol ?? code, numerator, denominator, offset: offset)
  }

  /// The unit that `text` names, by UCUM code or by one of the other spellings that people write
  /// (`lb`, `bpm`, `mmHg`, `°C`, …).
  ///
  /// - Returns: `nil` for a unit that is not known.
  public init?(_ text: String) {
    guard let unit = Self.named[Self.aliases[text] ?? text] else { return nil }
    self = unit
  }

  /// `value`, given in this unit, in `other`; `nil` if the dimensions differ, or if not the same is
  /// counted: two tablets are no puffs.
  public func convert(_ value: Double, to other: UnitOfMeasure) -> Double? {
    guard dimension == other.dimension else { return nil }
    guard self != other else { return value }
    guard self == .one || other == .one || !isCounted && !other.isCounted else { return nil }
    let (from, to) = (definition, other.definition)
    let base = value * from.numerator / from.denominator + from.offset
    return (base - to.offset) * to.denominator / to.numerator
  }

  /// Whether it counts things of one kind, which UCUM has in braces.
  private var isCounted: Bool { code.hasPrefix("{") }
}

extension UnitOfMeasure: Hashable {
  public static func == (a: UnitOfMeasure, b: UnitOfMeasure) -> Bool {
    a.definition === b.definition || a.code == b.code
  }

  public func hash(into hasher: inout Hasher) { hasher.combine(code) }
}

/// A unit is coded as its UCUM code.
extension UnitOfMeasure: Codable {
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let code = try container.decode(String.self)
    guard let unit = UnitOfMeasure(code) else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "there is no unit ‘\(code)’")
    }
    self = unit
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(code)
  }
}

// MARK: - The units

extension UnitOfMeasure {
  /// Every unit that is known.
  public static let all: [UnitOfMeasure] = [
    .kilogram, .gram, .milligram, .microgram, .litre, .decilitre, .millilitre, .drop,
    .internationalUnit, .tablet, .capsule, .puff, .sachet, .pound, .ounce, .stone, .jin, .metre,
    .centimetre, .millimetre, .kilometre, .mile, .foot, .inch, .second, .millisecond, .minute,
    .hour, .day, .perSecond, .perMinute, .hertz, .degreeCelsius, .degreeFahrenheit, .kelvin,
    .degree, .radian, .millimetreOfMercury, .kilopascal, .pascal, .hectopascal, .one, .percent,
    .kilojoule, .kilocalorie, .volt, .millivolt, .ohm, .molePerLitre, .millimolePerLitre,
    .kilogramPerLitre, .milligramPerDecilitre, .metrePerSquareSecond, .standardGravity,
    .metrePerSecond, .degreePerSecond, .squaredAcceleration, .squaredJerk, .watt,
    .kilogramPerSquareMetre,
  ]

  /// kg, the base unit of mass.
  public static let kilogram = UnitOfMeasure("kg", .mass)
  /// g.
  public static let gram = UnitOfMeasure("g", .mass, 1, 1000)
  /// mg.
  public static let milligram = UnitOfMeasure("mg", .mass, 1, 1_000_000)
  /// µg.
  public static let microgram = UnitOfMeasure("ug", .mass, symbol: "µg", 1, 1_000_000_000)
  /// L, the base unit of volume.
  public static let litre = UnitOfMeasure("L", .volume)
  /// dL.
  public static let decilitre = UnitOfMeasure("dL", .volume, 1, 10)
  /// mL.
  public static let millilitre = UnitOfMeasure("mL", .volume, 1, 1000)
  /// A drop, 1/20 mL.
  public static let drop = UnitOfMeasure("[drp]", .volume, symbol: "drops", 1, 20_000)
  /// IU, the international unit: of each substance another amount, so that it converts to no other.
  public static let internationalUnit = UnitOfMeasure("[iU]", .arbitraryActivity, symbol: "IU")
  /// A number of tablets.
  public static let tablet = UnitOfMeasure("{tablet}", .number, symbol: "tablets")
  /// A number of capsules.
  public static let capsule = UnitOfMeasure("{capsule}", .number, symbol: "capsules")
  /// A number of puffs.
  public static let puff = UnitOfMeasure("{puff}", .number, symbol: "puffs")
  /// A number of sachets.
  public static let sachet = UnitOfMeasure("{sachet}", .number, symbol: "sachets")
  /// lb, the avoirdupois pound.
  public static let pound = UnitOfMeasure("[lb_av]", .mass, symbol: "lb", 45_359_237, 100_000_000)
  /// oz, the avoirdupois ounce.
  public static let ounce = UnitOfMeasure("[oz_av]", .mass, symbol: "oz", 45_359_237, 1_600_000_000)
  /// st, 14 pounds.
  public static let stone = UnitOfMeasure(
    "[stone_av]", .mass, symbol: "st", 635_029_318, 100_000_000)
  /// jin, half a kilogram by Chinese law; UCUM has no code for it.
  public static let jin = UnitOfMeasure("jin", .mass, 1, 2)
  /// m, the base unit of length.
  public static let metre = UnitOfMeasure("m", .length)
  /// cm.
  public static let centimetre = UnitOfMeasure("cm", .length, 1, 100)
  /// mm.
  public static let millimetre = UnitOfMeasure("mm", .length, 1, 1000)
  /// km.
  public static let kilometre = UnitOfMeasure("km", .length, 1000)
  /// mi, the international mile.
  public static let mile = UnitOfMeasure("[mi_i]", .length, symbol: "mi", 1_609_344, 1000)
  /// ft, the international foot.
  public static let foot = UnitOfMeasure("[ft_i]", .length, symbol: "ft", 3048, 10_000)
  /// in, the international inch.
  public static let inch = UnitOfMeasure("[in_i]", .length, symbol: "in", 254, 10_000)
  /// s, the base unit of time.
  public static let second = UnitOfMeasure("s", .time)
  /// ms.
  public static let millisecond = UnitOfMeasure("ms", .time, 1, 1000)
  /// min.
  public static let minute = UnitOfMeasure("min", .time, 60)
  /// h.
  public static let hour = UnitOfMeasure("h", .time, 3600)
  /// d, 24 hours.
  public static let day = UnitOfMeasure("d", .time, 86_400)
  /// /s, the base unit of frequency.
  public static let perSecond = UnitOfMeasure("/s", .frequency)
  /// /min.
  public static let perMinute = UnitOfMeasure("/min", .frequency, 1, 60)
  /// Hz.
  public static let hertz = UnitOfMeasure("Hz", .frequency)
  /// °C, the base unit of temperature.
  public static let degreeCelsius = UnitOfMeasure("Cel", .temperature, symbol: "°C")
  /// °F.
  public static let degreeFahrenheit = UnitOfMeasure(
    "[degF]", .temperature, symbol: "°F", 5, 9, offset: -160.0 / 9)
  /// K.
  public static let kelvin = UnitOfMeasure("K", .temperature, offset: -273.15)
  /// ° (deg), the base unit of angles.
  public static let degree = UnitOfMeasure("deg", .angle, symbol: "°")
  /// rad.
  public static let radian = UnitOfMeasure("rad", .angle, 180, 3.141592653589793)
  /// mmHg, the base unit of pressure.
  public static let millimetreOfMercury = UnitOfMeasure("mm[Hg]", .pressure, symbol: "mmHg")
  /// kPa.
  public static let kilopascal = UnitOfMeasure("kPa", .pressure, 1_000_000, 133_322)
  /// Pa.
  public static let pascal = UnitOfMeasure("Pa", .pressure, 1000, 133_322)
  /// hPa.
  public static let hectopascal = UnitOfMeasure("hPa", .pressure, 100_000, 133_322)
  /// 1, the base unit of numbers.
  public static let one = UnitOfMeasure("1", .number, symbol: "")
  /// %.
  public static let percent = UnitOfMeasure("%", .number, 1, 100)
  /// kJ, the base unit of energy.
  public static let kilojoule = UnitOfMeasure("kJ", .energy)
  /// kcal.
  public static let kilocalorie = UnitOfMeasure("kcal", .energy, 4184, 1000)
  /// V, the base unit of voltage.
  public static let volt = UnitOfMeasure("V", .voltage)
  /// mV.
  public static let millivolt = UnitOfMeasure("mV", .voltage, 1, 1000)
  /// Ω, the base unit of resistance.
  public static let ohm = UnitOfMeasure("Ohm", .resistance, symbol: "Ω")
  /// mol/L, the base unit of substance concentration.
  public static let molePerLitre = UnitOfMeasure("mol/L", .substanceConcentration)
  /// mmol/L.
  public static let millimolePerLitre = UnitOfMeasure("mmol/L", .substanceConcentration, 1, 1000)
  /// kg/L, the base unit of mass concentration.
  public static let kilogramPerLitre = UnitOfMeasure("kg/L", .massConcentration)
  /// mg/dL.
  public static let milligramPerDecilitre = UnitOfMeasure("mg/dL", .massConcentration, 1, 100_000)
  /// m/s², the base unit of acceleration.
  public static let metrePerSquareSecond = UnitOfMeasure("m/s2", .acceleration)
  /// g, the standard acceleration of free fall.
  public static let standardGravity = UnitOfMeasure(
    "[g]", .acceleration, symbol: "g", 980_665, 100_000)
  /// m/s, the base unit of velocity.
  public static let metrePerSecond = UnitOfMeasure("m/s", .velocity)
  /// °/s, the base unit of angular velocity.
  public static let degreePerSecond = UnitOfMeasure("deg/s", .angularVelocity, symbol: "°/s")
  /// m²/s⁴, for the area of an ellipse of accelerations.
  public static let squaredAcceleration = UnitOfMeasure(
    "m2/s4", .squaredAcceleration, symbol: "m²/s⁴")
  /// m²/s⁵, for a jerk squared and summed over time.
  public static let squaredJerk = UnitOfMeasure("m2/s5", .squaredJerk, symbol: "m²/s⁵")
  /// Watt.
  public static let watt = UnitOfMeasure("W", .power)
  /// kg/m², the base unit of mass per area.
  public static let kilogramPerSquareMetre = UnitOfMeasure("kg/m2", .areaDensity, symbol: "kg/m²")
}

extension UnitOfMeasure {
  private static let named = Dictionary(
    all.map { ($0.code, $0) }, uniquingKeysWith: { first, _ in first })

  /// Spellings that plans and flags may use instead of a UCUM code.
  private static let aliases: [String: String] = [
    "lb": "[lb_av]", "lbs": "[lb_av]", "oz": "[oz_av]", "st": "[stone_av]", "mi": "[mi_i]",
    "ft": "[ft_i]", "in": "[in_i]", "bpm": "/min", "count/min": "/min", "count": "1",
    "steps": "1", "mmHg": "mm[Hg]", "°C": "Cel", "degC": "Cel", "°F": "[degF]", "degF": "[degF]",
    "°": "deg", "degree": "deg", "degrees": "deg", "ohm": "Ohm", "Ω": "Ohm", "": "1", "µg": "ug",
    "mcg": "ug", "IU": "[iU]", "drops": "[drp]", "tablets": "{tablet}", "capsules": "{capsule}",
    "puffs": "{puff}", "sachets": "{sachet}",
  ]

  /// The unit that a person means, who minds no capitals and writes names out: `KG`, `kgs`,
  /// `pounds`, `F`.
  ///
  /// - Returns: `nil` for a unit that is not known, and where capitals tell two units apart.
  package init?(typed text: String) {
    let name = text.lowercased()
    guard let unit = UnitOfMeasure(text) ?? Self.typed[name] ?? Self.withoutCapitals[name] else {
      return nil
    }
    self = unit
  }

  /// Units without capitals, as far as these do not tell two of them apart.
  private static let withoutCapitals: [String: UnitOfMeasure] = {
    let names =
      named.map { ($0, $1) }
      + aliases.compactMap { name, code in
        named[code].map { (name, $0) }
      }
    return Dictionary(grouping: names) { $0.0.lowercased() }.compactMapValues { units in
      Set(units.map(\.1)).count == 1 ? units.first?.1 : nil
    }
  }()

  /// Names that people write out.
  private static let typed: [String: UnitOfMeasure] = [
    "kgs": .kilogram, "kilo": .kilogram, "kilos": .kilogram, "kilogram": .kilogram,
    "kilograms": .kilogram, "kilogramme": .kilogram, "kilogrammes": .kilogram, "gram": .gram,
    "grams": .gram, "milligram": .milligram, "milligrams": .milligram, "microgram": .microgram,
    "micrograms": .microgram, "pound": .pound, "pounds": .pound, "ounce": .ounce, "ounces": .ounce,
    "stone": .stone, "stones": .stone, "litre": .litre, "litres": .litre, "liter": .litre,
    "liters": .litre, "millilitre": .millilitre, "millilitres": .millilitre,
    "milliliter": .millilitre, "milliliters": .millilitre, "drop": .drop, "tablet": .tablet,
    "capsule": .capsule, "puff": .puff, "sachet": .sachet, "units": .internationalUnit,
    "metre": .metre, "metres": .metre, "meter": .metre, "meters": .metre, "inch": .inch,
    "inches": .inch, "feet": .foot, "mile": .mile, "miles": .mile, "sec": .second, "secs": .second,
    "seconds": .second, "mins": .minute, "minutes": .minute, "hours": .hour, "hrs": .hour,
    "days": .day, "c": .degreeCelsius, "celsius": .degreeCelsius, "f": .degreeFahrenheit,
    "fahrenheit": .degreeFahrenheit, "percent": .percent, "beats/min": .perMinute,
  ]
}
