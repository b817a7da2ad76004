public import Motion

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

/// A device that a plan gives to a patient.
public struct DeviceBinding: Hashable, Sendable, Codable {
  /// The Bluetooth address, or a recorded sensor's name.
  public var address: String
  /// The definition to read it with; `nil` to recognise it.
  public var definition: String?
  /// Whose it is; `nil` where its user slots or its readings tell.
  public var patient: String?
  /// The user slot on the device that is this patient's.
  public var userIndex: Int?
  /// Where it is worn.
  public var placement: Placement?
  /// What opens its encrypted advertisements (a bind key): 16 bytes.
  public var key: Secret<[UInt8]>?
  /// What opens the user slot on the device, 0...9999, as it shows it or its application chose it.
  public var consentCode: Secret<UInt16>?

  /// What is encoded: everything but the secrets, which are for this machine alone.
  private enum CodingKeys: String, CodingKey {
    case address, definition, patient, userIndex, placement
  }

  /// Makes a binding.
  public init(
    address: String, definition: String? = nil, patient: String? = nil, userIndex: Int? = nil,
    placement: Placement? = nil, key: Secret<[UInt8]>? = nil, consentCode: Secret<UInt16>? = nil
  ) {
    self.address = address
    self.definition = definition
    self.patient = patient
    self.userIndex = userIndex
    self.placement = placement
    self.key = key
    self.consentCode = consentCode
  }

  /// Whether it is of the device at `address`; capitals make no difference.
  public func isOf(_ address: String) -> Bool {
    self.address.uppercased() == address.uppercased()
  }
}
