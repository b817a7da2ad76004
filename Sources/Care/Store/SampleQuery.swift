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

  /// Makes a query.
  public init(
    patient: String? = nil, task: String? = nil, from: Date, to: Date, now: Date? = nil,
    omitsCrowded: Bool = false
  ) {
    self.patient = patient
    self.task = task
    self.from = from
    self.to = to
    self.now = now
    self.omitsCrowded = omitsCrowded
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

/// An hour of UTC in which a device measured a patient.
public struct MeasuredHour: Hashable, Sendable {
  /// The device.
  public var device: DeviceID
  /// When the last measurement of the hour ended.
  public var last: Date

  /// Makes an hour.
  public init(device: DeviceID, last: Date) {
    (self.device, self.last) = (device, last)
  }
}
