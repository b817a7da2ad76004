public import Foundation

/// A span of events; what is `nil` does not narrow it.
public struct EventQuery: Hashable, Sendable {
  /// The patient.
  public var patient: String?
  /// The task's id.
  public var task: String?
  /// The beginning: an event that ended exactly then is included.
  public var from: Date
  /// The end: an event that starts then is not included.
  public var to: Date
  /// The current time, so that an event of a day that is not over has its task's newest words.
  ///
  /// `nil` for the words of the version that owns it.
  public var now: Date?
  /// Whether the tasks are left out that are due more often than a list shows, rather than all is
  /// refused for their sake: ``TaskHistory/isCrowded(from:to:)``.
  public var omitsCrowded: Bool
  /// Whether the events are counted only: an outcome has its answer's state and its values, and need not have
  /// its id, end, dates and reason.
  public var countsOnly: Bool

  /// Makes a query.
  public init(
    patient: String? = nil, task: String? = nil, from: Date, to: Date, now: Date? = nil,
    omitsCrowded: Bool = false, countsOnly: Bool = false
  ) {
    self.patient = patient
    self.task = task
    self.from = from
    self.to = to
    self.now = now
    self.omitsCrowded = omitsCrowded
    self.countsOnly = countsOnly
  }
}

/// A selection of samples; what is `nil` does not narrow it.
public struct SampleQuery: Hashable, Sendable {
  /// The owner of the samples.
  public var owner: Owner
  /// The quantity.
  public var quantity: Quantity?
  /// The device.
  public var device: DeviceID?
  /// The start of the span that samples must touch; both ends count, so that a sample that ended
  /// exactly then is included.
  public var from: Date?
  /// The end of the span that samples must touch; a sample that starts exactly then is included.
  public var to: Date?
  /// The largest number of samples; the latest are returned.
  public var limit: Int?
  /// The states that are asked for.
  public var states: Set<Sample.State>

  /// The owner of samples.
  public enum Owner: Hashable, Sendable {
    /// All samples.
    case anyone
    /// Those of the patient with this id.
    case patient(String)
    /// Those that belong to no patient.
    case unassigned
  }

  /// Makes a query.
  public init(
    owner: Owner = .anyone, quantity: Quantity? = nil, device: DeviceID? = nil, from: Date? = nil,
    to: Date? = nil, limit: Int? = nil, states: Set<Sample.State> = [.live]
  ) {
    self.owner = owner
    self.quantity = quantity
    self.device = device
    self.from = from
    self.to = to
    self.limit = limit
    self.states = states
  }
}

/// The measurements of a device that belong to one person, or to nobody, in an hour of UTC.
public struct DeviceHour: Hashable, Sendable {
  /// Whose they are; `nil` for nobody's.
  public var patient: String?
  /// The device.
  public var device: DeviceIdentity
  /// Whether they count.
  public var state: Sample.State
  /// The battery's level that they say, in percent; `nil` for measurements of anything else.
  public var battery: Double?
  /// When the first of them began, the last of them began, and all were over.
  public var first, latest, end: Date

  /// Makes an hour.
  public init(
    patient: String?, device: DeviceIdentity, state: Sample.State = .live, battery: Double? = nil,
    first: Date, latest: Date, end: Date
  ) {
    (self.patient, self.device, self.state, self.battery) = (patient, device, state, battery)
    (self.first, self.latest, self.end) = (first, latest, end)
  }
}

/// The latest measurement of a patient's quantity, as far as a list of many people shows it.
public struct LatestMeasurement: Hashable, Sendable {
  /// The device.
  public var device: DeviceID
  /// When it began, and was over.
  public var start, end: Date

  /// Makes a measurement.
  public init(device: DeviceID, start: Date, end: Date) {
    (self.device, self.start, self.end) = (device, start, end)
  }
}
