import Foundation

/// How several values of a quantity combine.
public enum Aggregation: String, Hashable, Sendable, Codable {
  /// Each value stands for itself: a weight, a heart rate.
  case discrete
  /// Values add up over time: steps, minutes of exercise.
  case cumulative
}

/// A kind of measurement, with everything that is known of it.
///
/// The quantities are the static members (``bodyMass``, ``heartRate``, …), listed in ``all``. Two
/// are equal if their names are. The raw value is the name that plans, device definitions, the
/// store and the command line use.
public struct Quantity: RawRepresentable, Sendable {
  /// The name: `bodyMass`, `heartRate`, `stepCount`.
  public var rawValue: String { definition.rawValue }
  /// The unit in which values are stored and printed.
  public var unit: UnitOfMeasure { definition.unit }
  /// Whether values add up.
  public var aggregation: Aggregation { definition.aggregation }
  /// The name for people.
  public var title: String { definition.title }
  /// The LOINC code, if there is one.
  public var loinc: String? { definition.loinc }
  /// The IEEE 11073-10101 nomenclature code (`MDC_…`), if there is one.
  public var mdc: Int? { definition.mdc }
  /// The values that a living person can have, in ``unit``; a value outside is never attributed to
  /// a person without further evidence.
  public var plausible: ClosedRange<Double> { definition.plausible }
  /// The values that a device can send and a body can have, in ``unit``, wider than ``plausible``:
  /// a newborn's weight is one.
  ///
  /// Nothing outside is an amount of it: it is refused where a person, a plan or a program gives it,
  /// and a reading outside is kept, but not taken as a measurement (``Sample/State/notTaken``).
  public var possible: ClosedRange<Double> { definition.possible }
  /// How many decimals a value in ``unit`` has for people.
  public var fractionDigits: Int { definition.fractionDigits }
  /// Whether it is measured on a person, rather than on a device or the air around it.
  public var isPersonal: Bool { definition.isPersonal }
  /// Whether a scale measures it together with a weight, so that it belongs to the weight's owner.
  public var isMeasuredWithWeight: Bool { definition.isMeasuredWithWeight }

  /// Shared, so that a reading is small.
  private let definition: Definition

  private final class Definition: Sendable {
    let rawValue: String
    let unit: UnitOfMeasure
    let aggregation: Aggregation
    let title: String
    let loinc: String?
    let mdc: Int?
    let plausible: ClosedRange<Double>
    let possible: ClosedRange<Double>
    let fractionDigits: Int
    let isPersonal: Bool
    let isMeasuredWithWeight: Bool

    init(
      _ rawValue: String, _ unit: UnitOfMeasure, _ aggregation: Aggregation, title: String,
      loinc: String?, mdc: Int?, plausible: ClosedRange<Double>, possible: ClosedRange<Double>,
      fractionDigits: Int, isPersonal: Bool, isMeasuredWithWeight: Bool
    ) {
      self.rawValue = rawValue
      self.unit = unit
      self.aggregation = aggregation
      self.title = title
      self.loinc = loinc
      self.mdc = mdc
      self.plausible = plausible
      self.possible = possible
      self.fractionDigits = fractionDigits
      self.isPersonal = isPersonal
      self.isMeasuredWithWeight = isMeasuredWithWeight
    }
  }

  /// Defines a quantity; it also has to be added to ``all``.
  ///
  /// The possible range is the plausible one unless it is given.
  init(
    _ name: String, _ unit: UnitOfMeasure, _ aggregation: Aggregation = .discrete, title: String,
    loinc: String? = nil, mdc: Int? = nil, plausible: ClosedRange<Double>,
    possible: ClosedRange<Double>? = nil, digits: Int = 0, isPersonal: Bool = true,
    isMeasuredWithWeight: Bool = false
  ) {
    definition = Definition(
      name, unit, aggregation, title: title, loinc: loinc, mdc: mdc, plausible: plausible,
      possible: possible ?? plausible, fractionDigits: digits, isPersonal: isPersonal,
      isMeasuredWithWeight: isMeasuredWithWeight)
  }

  /// The quantity of that name; `nil` if there is none.
  public init?(rawValue: String) {
    guard let quantity = Self.named[rawValue] else { return nil }
    self = quantity
  }

  /// The names of every quantity, sorted.
  public static var allNames: [String] { named.keys.sorted() }

  private static let named = Dictionary(
    all.map { ($0.rawValue, $0) }, uniquingKeysWith: { first, _ in first })
}

// MARK: - One thing, two quantities

extension Quantity {
  /// The quantity that says the same in another dimension: glucose as a mass and as an amount of
  /// substance; `nil` for every other.
  public var counterpart: Quantity? {
    switch self {
    case .bloodGlucose: .bloodGlucoseMass
    case .bloodGlucoseMass: .bloodGlucose
    default: nil
    }
  }

  /// The kilograms of a mole of glucose: 1 mmol/L is 18.016 mg/dL.
  private static let glucose = 0.18016

  /// `value`, given in `unit`, in `other`, also between a mass and an amount of what is measured.
  ///
  /// - Returns: `nil` if the units measure different things.
  public func convert(
    _ value: Double, from unit: UnitOfMeasure, to other: UnitOfMeasure
  ) -> Double? {
    if let converted = unit.convert(value, to: other) { return converted }
    guard counterpart != nil else { return nil }
    if let mass = unit.convert(value, to: .kilogramPerLitre) {
      return UnitOfMeasure.molePerLitre.convert(mass / Self.glucose, to: other)
    }
    return unit.convert(value, to: .molePerLitre).flatMap {
      UnitOfMeasure.kilogramPerLitre.convert($0 * Self.glucose, to: other)
    }
  }
}

extension Sample {
  /// The sample as one of `quantity`, if it measures the same; `nil` else.
  public func measured(as quantity: Quantity) -> Sample? {
    guard self.quantity != quantity else { return self }
    guard self.quantity.counterpart == quantity,
      let value = quantity.convert(self.value, from: self.quantity.unit, to: quantity.unit)
    else { return nil }
    var reading = reading
    reading.quantity = quantity
    reading.value = value
    reading.sourceValue = nil
    var sample = self
    // It stays the sample that it is.
    sample.identity = identity
    sample.reading = reading
    return sample
  }
}

// MARK: - For people

extension Quantity {
  /// The unit in which a person with these units reads it; its own for `nil`.
  public func unit(for units: PreferredUnits?) -> UnitOfMeasure {
    switch (units, self) {
    case (.us, _) where unit == .kilogram: .pound
    case (.uk, .bodyMass): .stone
    case (.us, .height): .inch
    case (.us, .distanceWalked), (.uk, .distanceWalked): .mile
    case (.us, .distanceCycled), (.uk, .distanceCycled): .mile
    case (.us, _) where unit == .degreeCelsius: .degreeFahrenheit
    default: unit
    }
  }

  /// How many decimals a value in `other` has for people.
  ///
  /// A unit loses a digit for each factor of ten by which it is smaller than ``unit``, counted from
  /// a half: pounds have one digit fewer than kilograms, degrees Fahrenheit as many as Celsius.
  public func fractionDigits(in other: UnitOfMeasure) -> Int {
    guard other != unit, let one = unit.convert(1, to: other),
      let zero = unit.convert(0, to: other)
    else { return fractionDigits }
    return max(0, fractionDigits - Int(saturating: log10((one - zero) / 2).rounded(.down)) - 1)
  }
}

// MARK: - For programs

extension Quantity {
  /// How many decimals a value in `other` has for programs: six more than for people.
  ///
  /// A conversion between units is exact in them, and the noise of binary fractions lies beyond.
  public func dataDigits(in other: UnitOfMeasure) -> Int { fractionDigits(in: other) + 6 }

  /// The value in `other` with its ``dataDigits(in:)``: 141.19 for 141.19000000000003.
  public func rounded(_ value: Double, in other: UnitOfMeasure) -> Double {
    value.rounded(digits: dataDigits(in: other))
  }
}

extension Double {
  /// The nearest number with at most that many decimals, 0 to 15; itself if it has no room for them.
  package func rounded(digits: Int) -> Double {
    let scale = pow(10, Double(digits))
    // Beyond 2^53 a number has no decimals left.
    guard isFinite, abs(self) * scale < 0x1p53 else { return self }
    return (self * scale).rounded() / scale
  }
}

extension Quantity: Hashable {
  public static func == (a: Quantity, b: Quantity) -> Bool {
    a.definition === b.definition || a.rawValue == b.rawValue
  }

  public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }
}

/// A quantity is coded as its name.
extension Quantity: Codable {
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let name = try container.decode(String.self)
    guard let quantity = Quantity(rawValue: name) else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "there is no quantity ‘\(name)’")
    }
    self = quantity
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(rawValue)
  }
}
