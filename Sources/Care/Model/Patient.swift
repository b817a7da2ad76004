/// A person with a care plan.
public struct Patient: Hashable, Sendable, Codable {
  /// The id that plans and the command line use.
  public var id: String
  /// The person's name.
  public var name: PersonName
  /// What is expected of this person's measurements, as evidence of whose a reading is.
  public var expects: [String: Expectation]

  /// Makes a patient.
  public init(id: String, name: PersonName = PersonName(), expects: [String: Expectation] = [:]) {
    self.id = id
    self.name = name
    self.expects = expects
  }
}

/// A person's name.
public struct PersonName: Hashable, Sendable, Codable {
  /// The given name.
  public var given: String?
  /// The family name.
  public var family: String?

  /// Makes a name.
  public init(given: String? = nil, family: String? = nil) {
    self.given = given
    self.family = family
  }
}

/// A value that a person's measurements are expected near, in the quantity's canonical unit.
public struct Expectation: Hashable, Sendable, Codable {
  /// The expected value.
  public var value: Double
  /// How far off a reading may be; `nil` for the quantity's own rule.
  public var tolerance: Double?

  /// Makes an expectation.
  public init(value: Double, tolerance: Double? = nil) {
    self.value = value
    self.tolerance = tolerance
  }
}
