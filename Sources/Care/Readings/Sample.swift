public import Foundation

/// How a value came to be known.
public enum Provenance: String, Hashable, Sendable, CaseIterable {
  /// A device reported it by itself.
  case passive
  /// A person performed a measurement.
  case active
  /// A person typed it in. A passive value never replaces it.
  case manual
}

/// A stored reading: a patient's, or waiting in the unassigned tray.
public struct Sample: Hashable, Sendable {
  /// What makes it the same sample when it is sent again: see ``SampleIdentity``.
  public var identity: SampleIdentity
  /// Whose it is; `nil` in the unassigned tray.
  public var patient: String?
  /// Why it is nobody's, for people; `nil` once it belongs to a patient.
  public var unassignedReason: String?
  /// What was measured.
  public var quantity: Quantity
  /// The value in the quantity's canonical unit.
  public var value: Double
  /// The value as the device sent it, where its unit is another.
  public var sourceValue: SourceValue?
  /// When it was measured (the start, for what is measured over time).
  public var start: Date
  /// When the measured span ended; equal to `start` for an instant.
  public var end: Date
  /// When it arrived.
  public var arrival: Date
  /// What the device's clock said, kept also when it is not believed.
  public var deviceTime: LocalDateTime?
  /// Whether `start` is the device's own time (or the arrival of something that needs no clock).
  public var isClockTrusted: Bool
  /// Where it came from.
  public var device: DeviceIdentity
  /// The user slot on the device.
  public var userIndex: Int?
  /// How it came to be known.
  public var provenance: Provenance
  /// The kind of value in a measurement with several (`range`, `start`, …); `nil` for a plain one.
  public var kind: String?
  /// The frame it was read from.
  public var raw: [UInt8]

  /// Makes a sample.
  public init(
    identity: SampleIdentity, patient: String?, unassignedReason: String? = nil,
    quantity: Quantity, value: Double, sourceValue: SourceValue? = nil, start: Date, end: Date,
    arrival: Date, deviceTime: LocalDateTime? = nil, isClockTrusted: Bool = true,
    device: DeviceIdentity, userIndex: Int? = nil, provenance: Provenance = .passive,
    kind: String? = nil, raw: [UInt8] = []
  ) {
    self.identity = identity
    self.patient = patient
    self.unassignedReason = unassignedReason
    self.quantity = quantity
    self.value = value
    self.sourceValue = sourceValue
    self.start = start
    self.end = end
    self.arrival = arrival
    self.deviceTime = deviceTime
    self.isClockTrusted = isClockTrusted
    self.device = device
    self.userIndex = userIndex
    self.provenance = provenance
    self.kind = kind
    self.raw = raw
  }
}
