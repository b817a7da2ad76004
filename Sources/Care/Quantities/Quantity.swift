/// How several values of a quantity combine.
public enum Aggregation: String, Hashable, Sendable {
  /// Each value stands for itself: a weight, a heart rate.
  case discrete
  /// Values add up over time: steps, minutes of exercise.
  case cumulative
}

/// A kind of measurement in the registry.
///
/// The raw value is the name that plans, definitions and the command line use.
public struct Quantity: Hashable, Sendable, RawRepresentable {
  /// The registry's name: `bodyMass`, `heartRate`, `stepCount`.
  public let rawValue: String

  /// The quantity of that name; `nil` where the registry has none.
  public init?(rawValue: String) {
    guard Self.registry[rawValue] != nil else { return nil }
    self.rawValue = rawValue
  }

  init(registered name: String) {
    rawValue = name
  }

  /// What the registry knows of it.
  public var definition: QuantityDefinition {
    Self.registry[rawValue] ?? QuantityDefinition(unit: "1", title: rawValue)
  }

  /// The unit in which values are stored and printed.
  public var unit: UnitOfMeasure { definition.unit }
}

/// What the registry holds about a quantity.
public struct QuantityDefinition: Sendable {
  /// The unit in which values are stored and printed.
  public let unit: UnitOfMeasure
  /// Whether values add up.
  public let aggregation: Aggregation
  /// What people read.
  public let title: String
  /// The LOINC code, where there is one.
  public let loinc: String?
  /// The IEEE 11073-10101 nomenclature code (`MDC_…`), where there is one.
  public let mdc: Int?
  /// What a living person can plausibly have, in the canonical unit; nothing outside it is
  /// ever given to someone without further evidence.
  public let plausible: ClosedRange<Double>
  /// Whether it is measured on a person, rather than on a device or the air around it.
  public let isPersonal: Bool

  init(
    unit: String, _ aggregation: Aggregation = .discrete, title: String, loinc: String? = nil,
    mdc: Int? = nil, plausible: ClosedRange<Double> = -1e12...1e12, isPersonal: Bool = true
  ) {
    self.unit = UnitOfMeasure(unit) ?? UnitOfMeasure("1", .number)
    self.aggregation = aggregation
    self.title = title
    self.loinc = loinc
    self.mdc = mdc
    self.plausible = plausible
    self.isPersonal = isPersonal
  }
}
