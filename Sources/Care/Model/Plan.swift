public import Foundation

/// A whole plan, as a plan file describes it: patients, tasks and devices, in one time zone.
public struct PlanDocument: Hashable, Sendable {
  /// The plan's zone: times without an offset, and device clocks, are read in it.
  public var timeZone: TimeZone
  /// The people.
  public var patients: [Patient]
  /// Their tasks.
  public var tasks: [PlannedTask]
  /// Their devices.
  public var devices: [DeviceBinding]

  /// Makes a plan.
  public init(
    timeZone: TimeZone, patients: [Patient], tasks: [PlannedTask], devices: [DeviceBinding] = []
  ) {
    self.timeZone = timeZone
    self.patients = patients
    self.tasks = tasks
    self.devices = devices
  }
}

/// A person with a care plan.
public struct Patient: Hashable, Sendable, Codable {
  /// The id that plans and the command line use.
  public var id: String
  /// The person's name.
  public var name: PersonName
  /// The values expected of this person, by quantity: evidence for attributing readings.
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

/// A value near which a person's measurements are expected, in the quantity's canonical unit.
public struct Expectation: Hashable, Sendable, Codable {
  /// The expected value.
  public var value: Double
  /// The largest accepted difference; `nil` for the quantity's own rule.
  public var tolerance: Double?

  /// Makes an expectation.
  public init(value: Double, tolerance: Double? = nil) {
    self.value = value
    self.tolerance = tolerance
  }
}
