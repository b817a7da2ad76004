public import Foundation

/// What a device session or a measurement yields, before anyone knows whose it is.
public struct Reading: Hashable, Sendable {
  /// What was measured.
  public var quantity: Quantity
  /// The value in the quantity's canonical unit.
  public var value: Double
  /// The value as the device sent it, where its unit is not the canonical one.
  public var sourceValue: SourceValue?
  /// What the device's clock said; `nil` where it has none or does not know.
  public var deviceTime: LocalDateTime?
  /// When it was heard (the trace's time in a replay).
  public var arrival: Date
  /// The span it speaks of, for what is measured over time (steps of a minute); `nil` for an instant.
  public var interval: DateInterval?
  /// Where it comes from.
  public var device: DeviceIdentity
  /// The user slot on the device, where it keeps several people apart.
  public var userIndex: Int?
  /// Which of several readings of the same quantity in one frame this is, from 0.
  public var ordinal: Int
  /// Which of a measurement's values this is (`range`, `finish`); `nil` for a plain one.
  public var kind: String?
  /// Whether the device streams (heart beats, minutes of steps): its identity is then the arrival
  /// and ordinal, since the same bytes come again and again.
  public var isStreamed: Bool
  /// The frame it was read from, as it came; of an advertised weight without the impedance, which
  /// only some of the frames that tell the same weight have.
  public var raw: [UInt8]

  /// Makes a reading.
  public init(
    quantity: Quantity, value: Double, sourceValue: SourceValue? = nil,
    deviceTime: LocalDateTime? = nil, arrival: Date, interval: DateInterval? = nil,
    device: DeviceIdentity, userIndex: Int? = nil, ordinal: Int = 0, kind: String? = nil,
    isStreamed: Bool = false, raw: [UInt8] = []
  ) {
    self.quantity = quantity
    self.value = value
    self.sourceValue = sourceValue
    self.deviceTime = deviceTime
    self.arrival = arrival
    self.interval = interval
    self.device = device
    self.userIndex = userIndex
    self.ordinal = ordinal
    self.kind = kind
    self.isStreamed = isStreamed
    self.raw = raw
  }
}

/// A value and unit as a device sent them.
public struct SourceValue: Hashable, Sendable {
  /// The number in `unit`.
  public var value: Double
  /// The unit that the frame speaks.
  public var unit: UnitOfMeasure

  /// Makes a source value.
  public init(value: Double, unit: UnitOfMeasure) {
    self.value = value
    self.unit = unit
  }
}
