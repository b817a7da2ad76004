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
