/// The people who may stand on the plan's scales.
public struct Household: Hashable, Sendable {
  /// The patients and the housemates who are named without being patients, in the plan's order.
  public var people: [Person]

  /// Makes a household.
  public init(people: [Person]) {
    self.people = people
  }

  /// Whether the plan names exactly one person.
  var isSingle: Bool { people.count == 1 }
}

/// A person of the plan.
public struct Person: Hashable, Sendable {
  /// The patient's identifier; `nil` for a housemate of whom nothing is stored.
  public var patient: String?
  /// The expected weight in g; `nil` if nothing is known.
  public var weight: Int?
  /// Half the width in g of the range in which the weight is expected; `nil` for the usual one.
  public var tolerance: Int?

  /// Makes a person.
  public init(patient: String?, weight: Int? = nil, tolerance: Int? = nil) {
    self.patient = patient
    self.weight = weight
    self.tolerance = tolerance
  }
}

/// One reading of a scale with what else it measured.
public struct Weighing: Hashable, Sendable {
  /// When, in minutes since 1970; only differences count.
  public var minute: Int
  /// The local calendar day, counted from any fixed day.
  public var day: Int
  /// The weight in g, 1...500 000; other values are clamped.
  public var weight: Int
  /// The impedance in hundredths of an ohm; `nil` if the scale measured none.
  public var impedance: Int?
  /// The body fat in hundredths of a percent; used where the impedance it follows from is missing.
  public var bodyFat: Int?
  /// The heart rate in hundredths of a beat per minute.
  public var heartRate: Int?
  /// The label, which says whose it is.
  public var label: Label
  /// Who is reported to be at home at this time (`true`) or away, by patient.
  public var presence: [String: Bool]

  /// Makes a weighing.
  public init(
    minute: Int, day: Int, weight: Int, impedance: Int? = nil, bodyFat: Int? = nil,
    heartRate: Int? = nil, label: Label = .none, presence: [String: Bool] = [:]
  ) {
    self.minute = minute
    self.day = day
    self.weight = weight
    self.impedance = impedance
    self.bodyFat = bodyFat
    self.heartRate = heartRate
    self.label = label
    self.presence = presence
  }

  /// log2 of how much likelier it is that a person weighs who is reported at home, or away, than
  /// without the report, in units of 2^-16.
  ///
  /// A report is right 95 times in 100, and people are at home on two weighings of three.
  func presence(of patient: String) -> Int64 {
    guard let isHome = presence[patient] else { return 0 }
    // 0.95 / 0.65 and 0.05 / 0.35.
    return isHome ? 35_880 : -183_982
  }

  /// A label that says whose a weighing is, without the evidence of its values.
  ///
  /// One in 500 is a mistake. An assignment that the evidence made is `none`: it must not confirm
  /// itself.
  public enum Label: Hashable, Sendable {
    /// Nothing.
    case none
    /// It is this patient's: assigned by hand, or measured by a bound device or user slot.
    case patient(String)
    /// A value that a person typed or corrected for this patient.
    case entered(String)
    /// It is no patient's.
    case nobody
  }
}
