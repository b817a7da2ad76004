public import Foundation

/// How a value was obtained.
public enum Provenance: String, Hashable, Sendable, CaseIterable, Codable {
  /// A device reported it by itself.
  case passive
  /// A person performed a measurement.
  case active
  /// A person entered it. A passive value never replaces it.
  case manual
}

/// A stored reading: a patient's, or unassigned.
///
/// The members of ``reading`` are members of the sample, too: `sample.quantity` is
/// `sample.reading.quantity`.
@dynamicMemberLookup
public struct Sample: Hashable, Sendable {
  /// The identity, the same when the sample is received again: see ``SampleIdentity``.
  public var identity: SampleIdentity {
    get {
      switch ownIdentity {
      case .ofReading: SampleIdentity(reading, isClockTrusted: isClockTrusted)
      case .other(let identity): identity
      }
    }
    set { ownIdentity = .other(newValue) }
  }
  private var ownIdentity = OwnIdentity.ofReading

  /// The identity, which most samples have from their reading; another one stands apart, so that a
  /// sample is small.
  private enum OwnIdentity: Hashable {
    case ofReading
    indirect case other(SampleIdentity)
  }
  /// The measurement, as it was received.
  ///
  /// Of a sample that is read from a store, the interval is that of ``start`` and ``end``.
  public var reading: Reading
  /// The patient it belongs to; `nil` while it is unassigned.
  public var patient: String?
  /// Why it is unassigned, for people; `nil` once it belongs to a patient.
  public var unassignedReason: String?
  /// When it was measured; the start of what is measured over time.
  public var start: Date
  /// When the measured span ended; equal to `start` for an instant.
  public var end: Date
  /// Whether `start` is the device's own time (or the arrival of something that needs no clock).
  public var isClockTrusted: Bool
  /// How it was obtained.
  public var provenance: Provenance
  /// Whether it counts.
  public var state: State
  /// The measured sample that this one, which a person entered, stands in place of.
  public var corrects: SampleIdentity?

  /// Whether a sample counts.
  public enum State: String, Hashable, Sendable, CaseIterable, Codable {
    /// It counts.
    case live
    /// A person deleted it.
    case deleted
    /// A person said that it is of none of the patients.
    case disowned
    /// A person's correction stands in its place.
    case corrected
    /// Another receiver reported the same broadcast earlier.
    case duplicate
    /// Its value is none that the quantity can have (``Quantity/possible``), or the device's definition
    /// discards it (``Reading/discardedBy``): it is kept, and not taken as a measurement.
    case notTaken
  }

  /// Makes a sample.
  public init(
    identity: SampleIdentity, reading: Reading, patient: String? = nil,
    unassignedReason: String? = nil, start: Date, end: Date, isClockTrusted: Bool = true,
    provenance: Provenance = .passive, state: State = .live, corrects: SampleIdentity? = nil
  ) {
    self.init(
      reading: reading, patient: patient, unassignedReason: unassignedReason, start: start,
      end: end,
      isClockTrusted: isClockTrusted, provenance: provenance, state: state, corrects: corrects)
    ownIdentity = .other(identity)
  }

  /// Makes a sample with the identity of its reading.
  public init(
    reading: Reading, patient: String? = nil, unassignedReason: String? = nil, start: Date,
    end: Date, isClockTrusted: Bool = true, provenance: Provenance = .passive, state: State = .live,
    corrects: SampleIdentity? = nil
  ) {
    self.reading = reading
    self.patient = patient
    self.unassignedReason = unassignedReason
    self.start = start
    self.end = end
    self.isClockTrusted = isClockTrusted
    self.provenance = provenance
    self.state = state
    self.corrects = corrects
  }

  /// A member of ``reading``.
  @inlinable
  public subscript<Member>(dynamicMember member: WritableKeyPath<Reading, Member>) -> Member {
    get { reading[keyPath: member] }
    set { reading[keyPath: member] = newValue }
  }
}

extension Sample {
  /// Its state if nobody says anything about it: whether its value can be one of the quantity, and the
  /// device's definition takes it for one.
  package var ownState: State {
    reading.discardedBy == nil && reading.quantity.possible.contains(reading.value)
      ? .live : .notTaken
  }

  /// Whether its device has a clock that is not believed; of a device without one, nothing is to be
  /// doubted.
  public var hasDistrustedClock: Bool { !isClockTrusted && reading.deviceTime != nil }

  public static func == (a: Sample, b: Sample) -> Bool {
    a.reading == b.reading && a.patient == b.patient && a.unassignedReason == b.unassignedReason
      && a.start == b.start && a.end == b.end && a.isClockTrusted == b.isClockTrusted
      && a.provenance == b.provenance && a.state == b.state && a.corrects == b.corrects
      && (a.ownIdentity == b.ownIdentity || a.identity == b.identity)
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(reading)
    hasher.combine(patient)
    hasher.combine(start)
    hasher.combine(state)
  }
}

extension Sample {
  /// The largest time between a weight and what its scale measures with it, in seconds.
  package static let weighingSpan: TimeInterval = 60

  /// Whether this weight is of the weighing in which the same device measured `reading`.
  ///
  /// - Parameters:
  ///   - reading: A value that a scale measures beside a weight.
  ///   - start: When the reading was measured.
  /// - Returns: Whether device, device's time and user are the same, and the times near.
  package func isWeight(with reading: Reading, at start: Date) -> Bool {
    self.reading.quantity == .bodyMass && self.reading.device.address == reading.device.address
      && self.reading.deviceTime == reading.deviceTime
      && self.reading.userIndex == reading.userIndex
      && abs(self.start.timeIntervalSince(start)) <= Self.weighingSpan
  }
}

// MARK: - Reading

/// A measured value of a device or a performed measurement, not yet attributed to a patient.
public struct Reading: Hashable, Sendable {
  /// The measured quantity.
  public var quantity: Quantity
  /// The value in the quantity's canonical unit.
  public var value: Double
  /// The value as the device sent it, if its unit is not the canonical one.
  public var sourceValue: SourceValue?
  /// The time of the device's clock; `nil` if it has none or does not know the time.
  public var deviceTime: LocalDateTime?
  /// Whether ``deviceTime`` is counted back from the arrival, by the age that the device sent.
  ///
  /// It then differs by a few seconds when the record is sent again. A stored sample omits it.
  public var isDatedByAge: Bool
  /// When it was received (the trace's time in a replay).
  public var arrival: Date
  /// The measured span, for what is measured over time (steps of a minute); `nil` for an instant.
  public var interval: DateInterval?
  /// The device it comes from.
  public var device: DeviceIdentity
  /// The user slot on the device, if it distinguishes several people.
  public var userIndex: Int?
  /// Which of several readings of the same quantity in one frame this is, from 0; of a performed
  /// measurement, a number that stands for the figure.
  public var ordinal: Int
  /// Which of a measurement's values this is (`range`, `finish`); `nil` for a plain one.
  public var kind: String?
  /// Whether the device streams (heart beats, minutes of steps): its identity then consists of the
  /// arrival and ordinal, since a stream repeats its bytes.
  public var isStreamed: Bool
  /// Whether it was broadcast in an advertisement, so that several receivers can have the same one.
  public var isBroadcast: Bool
  /// Whether the device sent it after the measurement, with a time that may be that of its end.
  ///
  /// It is then the same as one of that value shortly before. A stored sample omits it.
  public var isRepeated: Bool
  /// The frame it was read from, as received; of an advertised weight without the impedance, which
  /// only some of the frames with the same weight contain.
  public var raw: [UInt8]
  /// Which bytes of ``raw`` name the record in the device, if it names its records; `nil` otherwise.
  ///
  /// The same record may say another time when it is sent again. A stored sample omits it.
  public var nameInRaw: Range<Int>?
  /// How the device counted, if it sent a running total; `nil` for what was measured by itself.
  public var counter: RunningTotal?
  /// The running total that the device sent, in the quantity's canonical unit, of a stored sample:
  /// ``value`` is then what it added to the total before it.
  ///
  /// It is `nil` before a reading is stored, when ``value`` is the total. A total that adds nothing
  /// is kept as a ``Sample/State/duplicate``, since later ones are counted from it.
  public var total: Double?
  /// The device's remarks on the measurement; empty for a stream.
  public var context: MeasurementContext
  /// The rule of the device's definition by which it is not taken as a measurement, as it is written
  /// there: `validIf: unit != 3`; `constant`; `nil` for a measurement.
  public var discardedBy: String?

  /// The rule that discards a value that a device sends with whatever it measures.
  package static let constant = "constant"

  /// How long a device repeats a frame, in seconds: the same frame later is another measurement, at
  /// the same time of a clock that was set back or has stopped.
  public static let repetitionWindow: TimeInterval = 1800

  /// How far the clock of a device that sends live may be from the arrival, in seconds, to be
  /// believed.
  public static let clockTolerance: TimeInterval = 300

  /// Makes a reading.
  public init(
    quantity: Quantity, value: Double, sourceValue: SourceValue? = nil,
    deviceTime: LocalDateTime? = nil, isDatedByAge: Bool = false, arrival: Date,
    interval: DateInterval? = nil,
    device: DeviceIdentity, userIndex: Int? = nil, ordinal: Int = 0, kind: String? = nil,
    isStreamed: Bool = false, isBroadcast: Bool = false, isRepeated: Bool = false,
    raw: [UInt8] = [],
    nameInRaw: Range<Int>? = nil, counter: RunningTotal? = nil, total: Double? = nil,
    context: MeasurementContext = [],
    discardedBy: String? = nil
  ) {
    self.quantity = quantity
    self.value = value
    self.sourceValue = sourceValue
    self.deviceTime = deviceTime
    self.isDatedByAge = isDatedByAge
    self.arrival = arrival
    self.interval = interval
    self.device = device
    self.userIndex = userIndex
    self.ordinal = ordinal
    self.kind = kind
    self.isStreamed = isStreamed
    self.isBroadcast = isBroadcast
    self.isRepeated = isRepeated
    self.raw = raw
    self.nameInRaw = nameInRaw
    self.counter = counter
    self.total = total
    self.context = context
    self.discardedBy = discardedBy
  }
}

/// A value and unit as a device sent them.
public struct SourceValue: Hashable, Sendable {
  /// The number in `unit`.
  public var value: Double
  /// The unit of the frame.
  public var unit: UnitOfMeasure

  /// Makes a source value.
  public init(value: Double, unit: UnitOfMeasure) {
    self.value = value
    self.unit = unit
  }
}
